"""What the practice quiz is sent: every question with a few sets of numbers, its keys, and the words."""

import hashlib
import json
from functools import lru_cache
from typing import Any

from lesson.outline import load_outline
from lesson.quiz import MOST_SEED, bank, load_misconceptions, make
from lesson.words import load_words

VARIANTS = 5
"""Sets of numbers of a generated question, for "try again with new numbers" without asking the server."""
SHUFFLES = 2
"""Orders of the options of a written one."""
_TABLES = ("answer", "verdict", "player")

__all__ = ["SHUFFLES", "VARIANTS", "quiz_payload"]


@lru_cache(maxsize=32)
def quiz_payload(seed: int) -> dict[str, Any]:
    """Return the data of the component, as builtins.

    Parameters
    ----------
    seed : int
        The first set of numbers; the others follow it. The same seed is the same quiz, here and on paper.

    Raises
    ------
    ValueError
        If the seed is impossible.
    """
    words = load_words("quiz_player")
    outline = load_outline()
    questions = []
    for entry in bank():
        count = VARIANTS if entry.generated else SHUFFLES
        made = [make(entry.id, (seed + at) % (MOST_SEED + 1)) for at in range(count)]
        questions.append(
            {
                "id": entry.id,
                "title": entry.title,
                "topic": entry.topic,
                "generated": entry.generated,
                "variants": [{"question": each.public(), "key": each.key()} for each in made],
            }
        )
    document: dict[str, Any] = {
        "bank": questions,
        "topics": dict(words.table("topics")),
        "words": {name: dict(words.table(name)) for name in _TABLES},
        "beliefs": [
            {
                "key": each.key,
                "belief": each.belief,
                "truth": each.truth,
                "href": each.href,
                "label": outline.page(each.page).label,
            }
            for each in load_misconceptions().values()
        ],
    }
    text = json.dumps(document, allow_nan=False, ensure_ascii=False)
    return document | {"id": hashlib.sha256(text.encode()).hexdigest()[:16]}
