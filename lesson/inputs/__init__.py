"""The inputs that the lesson works through: heads of a real model, made-up ones, and the learner's own."""

from lesson.inputs.catalogue import DEFAULT_KEY, Entry, entries, heads, load
from lesson.inputs.input import Input, InputError
from lesson.inputs.own import MAX_D, MAX_FILE_BYTES, MAX_N, load_npz

__all__ = [
    "DEFAULT_KEY",
    "MAX_D",
    "MAX_FILE_BYTES",
    "MAX_N",
    "Entry",
    "Input",
    "InputError",
    "entries",
    "heads",
    "load",
    "load_npz",
]
