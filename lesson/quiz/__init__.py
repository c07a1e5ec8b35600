"""Questions as data: the bank, questions with their numbers, answers and grades."""

from lesson.quiz.bank import MOST_SEED, Entry, bank, make
from lesson.quiz.grading import Verdict
from lesson.quiz.misconceptions import Misconception, load_misconceptions
from lesson.quiz.question import KINDS, Kind, NumberKey, Option, Question, Table

__all__ = [
    "KINDS",
    "MOST_SEED",
    "Entry",
    "Kind",
    "Misconception",
    "NumberKey",
    "Option",
    "Question",
    "Table",
    "Verdict",
    "bank",
    "load_misconceptions",
    "make",
]
