"""Makers of generated questions. Importing a module enters its makers into `MAKERS`."""

from lesson.quiz.draft import MAKERS
from lesson.quiz.makers import chip, frames, online, storage, traffic

__all__ = ["MAKERS", "chip", "frames", "online", "storage", "traffic"]
