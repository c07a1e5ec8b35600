"""A room's votes as a table: one row for each participant, question and round."""

import csv
import io
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from classroom.questions import question_or_none
from classroom.results import answer_of, answer_text
from classroom.rooms import asks_of
from classroom.schema import vote

__all__ = ["COLUMNS", "guarded", "room_csv"]

COLUMNS = (
    "place",
    "question",
    "seed",
    "prompt",
    "round",
    "participant",
    "answer",
    "answer_text",
    "right",
    "voted_at",
)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def guarded(cell: str) -> str:
    """Return a text that no spreadsheet takes for a formula: one that could be gets an apostrophe in front.

    Blanks before the sign do not hide it, and a plain negative number stays one.
    """
    bare = cell.lstrip(" \u00a0")
    if not cell.startswith(_FORMULA_STARTS) and not bare.startswith(_FORMULA_STARTS):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"


def _written(rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    # The mark at the start tells spreadsheets that the text is UTF-8.
    out.write("\ufeff")
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def room_csv(connection: Connection, room_id: int) -> str:
    """Return every vote of a room, both rounds, in the order of the questions.

    Participants are the room's own random numbers. An answer to a question that a later version of the lesson
    has taken out stays in its short form, without words and verdict.
    """
    rows: list[tuple[object, ...]] = []
    for place, each in enumerate(asks_of(connection, room_id), start=1):
        asked = question_or_none(each.question, each.seed)
        query = (
            select(vote)
            .where(vote.c.room_id == room_id, vote.c.ask_id == each.id)
            .order_by(vote.c.round, vote.c.number)
        )
        for row in connection.execute(query):
            prompt = text = right = ""
            if asked is not None:
                prompt, text = asked.prompt, answer_text(asked, row.answer)
                right = "yes" if asked.grade(answer_of(asked, row.answer)).right else "no"
            voted = datetime.fromtimestamp(row.voted_ms / 1000, UTC).isoformat(timespec="milliseconds")
            asked_as = (place, each.question, each.seed, prompt)
            rows.append((*asked_as, row.round, row.number, row.answer, text, right, voted))
    return _written(rows)
