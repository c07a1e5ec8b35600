"""One catalogue over the real heads and the made-up inputs. Its keys are stable: they stand in addresses."""

from dataclasses import dataclass
from typing import Literal

from lesson.inputs import made_up, real
from lesson.inputs.input import Input, InputError

__all__ = ["DEFAULT_KEY", "Entry", "entries", "heads", "load"]

DEFAULT_KEY = "keys-lock.prev"  # its maxima rise early and often: five of its ten visits rescale


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue.

    Parameters
    ----------
    key : str
        What `load` takes.
    kind : {"real", "made_up"}
    label : str
        The pattern of a real head, or the title of a made-up input.
    sentence : str or None
        The sentence that a real head read.
    layer, head : int or None
        Which head it is, counted from 0.
    """

    key: str
    kind: Literal["real", "made_up"]
    label: str
    sentence: str | None = None
    layer: int | None = None
    head: int | None = None


def heads() -> list[Entry]:
    """The real heads, sentence by sentence."""
    found = []
    for key in real.names():
        sentence, name = key.split(".")
        layer, head = real.meta()["heads"][name]
        label = real.load(key).title
        found.append(Entry(key, "real", label, real.meta()["sentences"][sentence], layer, head))
    return found


def entries() -> list[Entry]:
    """The whole catalogue: the real heads, then the made-up inputs."""
    return [*heads(), *(Entry(key, "made_up", made_up.load(key).title) for key in made_up.names())]


def load(key: str) -> Input:
    """One input, ready to run.

    Parameters
    ----------
    key : str
        Such as ``"keys-lock.prev"`` or ``"rising"``.

    Raises
    ------
    InputError
        If there is no such key; the message lists those that there are.
    """
    if key in real.names():
        return real.load(key)
    if key in made_up.names():
        return made_up.load(key)
    known = ", ".join(entry.key for entry in entries())
    raise InputError(f"no input has the key {key[:60]!r}; there are {known}")
