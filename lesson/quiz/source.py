"""The questions as they stand in the TOML files, checked when they are loaded.

A file is a topic and holds `[[question]]` tables. A written question has its options in
`[[question.option]]`; a generated one names its maker, and has its reasons in `[question.because.NAME]`.
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from lesson.quiz.makers import MAKERS
from lesson.quiz.misconceptions import load_misconceptions
from lesson.quiz.question import KINDS, Kind

__all__ = ["Because", "Source", "SourceOption", "parse_topic"]

_COMMON = {"id", "title", "kind", "prompt"}
_WRITTEN = {"option", "why", "show", "code", "about"}
_GENERATED = {"make", "because", "unit", "counts", "code", "about", "caption"}
_ONE_RIGHT = ("single", "line", "frame")


@dataclass(frozen=True)
class Because:
    """A reason with slots, and the misconception that its answer may come from."""

    reason: str
    misconception: str | None = None


@dataclass(frozen=True)
class SourceOption:
    """A written option."""

    text: str
    right: bool
    because: Because


@dataclass(frozen=True)
class Source:
    """One question as written, before any number is drawn.

    Attributes
    ----------
    id, title, kind, topic, prompt, why : str
    options : tuple of SourceOption
        Of a written question; for an order, in the right order.
    make : str or None
        The maker's name, of a generated one.
    because : mapping of str to Because
        Reasons of a generated one.
    unit, counts, code : str
    show : mapping of str to str
        What to show, of a written one.
    misconceptions : tuple of str
        All that it can uncover, in the order of first mention.
    """

    id: str
    title: str
    kind: Kind
    topic: str
    prompt: str
    why: str
    options: tuple[SourceOption, ...]
    make: str | None
    because: Mapping[str, Because]
    unit: str
    counts: str
    code: str
    show: Mapping[str, str]
    misconceptions: tuple[str, ...]


def parse_topic(topic: str, toml: str) -> tuple[Source, ...]:
    """Return the questions of one file.

    Raises
    ------
    ValueError
        If anything is missing, unknown, twice or of the wrong kind; the message names file, question, key and
        value.
    """
    try:
        document = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{topic}.toml: {error}") from error
    if set(document) != {"question"} or not isinstance(document["question"], list):
        raise ValueError(
            f"{topic}.toml has {sorted(document)}; it holds [[question]] tables and nothing else"
        )
    found = tuple(
        _question(topic, number, table) for number, table in enumerate(document["question"], start=1)
    )
    ids = [question.id for question in found]
    for each in ids:
        if ids.count(each) > 1:
            raise ValueError(f"{topic}.toml: the id {each!r} comes twice")
    return found


def _question(topic: str, number: int, table: dict[str, Any]) -> Source:
    where = f"{topic}.toml, question {number} ({table.get('id')!r})"
    generated = "make" in table
    _known(table, _COMMON | (_GENERATED if generated else _WRITTEN), where)
    kind = table.get("kind")
    if kind not in KINDS:
        raise ValueError(f"{where}: kind is {kind!r}; it can be {', '.join(KINDS)}")
    if kind == "number" and not generated:
        raise ValueError(f"{where}: kind is 'number' but there is no make; a number is always generated")
    identifier = _text(table, "id", where)
    if not identifier.replace("_", "").isalnum() or identifier != identifier.lower():
        raise ValueError(f"{where}: id is {identifier!r}; it has small letters, digits and underscores only")
    options = () if generated else _options(kind, table.get("option", []), where)
    because = _because(table["make"], table.get("because", {}), where) if generated else {}
    about = table.get("about", [])
    if not isinstance(about, list):
        raise ValueError(f"{where}: about is {about!r}; it is a list of misconceptions")
    named = [_misconception(each, where) for each in about]
    named += [option.because.misconception for option in options]
    named += [each.misconception for each in because.values()]
    return Source(
        id=identifier,
        title=_text(table, "title", where),
        kind=kind,
        topic=topic,
        prompt=_text(table, "prompt", where),
        why=because["right"].reason if generated else _text(table, "why", where),
        options=options,
        make=table.get("make"),
        because=because,
        unit=_text(table, "unit", where) if "unit" in table else "",
        counts=_text(table, "counts", where) if "counts" in table else "",
        code=_text(table, "code", where) if kind == "line" else "",
        show={} if generated else _show(table.get("show"), where),
        misconceptions=tuple(dict.fromkeys(each for each in named if each is not None)),
    )


def _options(kind: str, entries: object, where: str) -> tuple[SourceOption, ...]:
    if not isinstance(entries, list) or len(entries) < 3:
        count = len(entries) if isinstance(entries, list) else entries
        raise ValueError(f"{where}: {count} options; at least 3 are needed")
    options = []
    for number, entry in enumerate(entries, start=1):
        at = f"{where}, option {number}"
        _known(entry, {"text", "right", "reason", "misconception"}, at)
        right = entry.get("right", kind == "order")
        if not isinstance(right, bool):
            raise ValueError(f"{at}: right is {right!r}; it must be true or false")
        because = Because(_text(entry, "reason", at), _misconception(entry.get("misconception"), at))
        options.append(SourceOption(_text(entry, "text", at), right, because))
    for name in ("text", "reason"):
        texts = [option.text if name == "text" else option.because.reason for option in options]
        for text in texts:
            if texts.count(text) > 1:
                raise ValueError(f"{where}: two options have the same {name} {text!r}")
    count = sum(option.right for option in options)
    if kind in _ONE_RIGHT and count != 1:
        raise ValueError(f"{where}: {count} right options; exactly 1 is needed")
    if kind == "several" and not 0 < count < len(options):
        raise ValueError(f"{where}: {count} of {len(options)} options are right; some are, and some are not")
    if kind == "order" and count != len(options):
        raise ValueError(f"{where}: {count} of {len(options)} steps are right; in an order every one is")
    return tuple(options)


def _because(make: object, table: object, where: str) -> dict[str, Because]:
    if make not in MAKERS:
        raise ValueError(f"{where}: make is {make!r}; it can be {', '.join(sorted(MAKERS))}")
    wanted = MAKERS[str(make)].names
    if not isinstance(table, dict) or set(table) != wanted:
        found = set(table) if isinstance(table, dict) else set()
        raise ValueError(
            f"{where}: because lacks {sorted(wanted - found)} and has unasked {sorted(found - wanted)}"
        )
    reasons = {}
    for name, entry in table.items():
        at = f"{where}, because {name!r}"
        _known(entry, {"reason", "misconception"}, at)
        reasons[name] = Because(_text(entry, "reason", at), _misconception(entry.get("misconception"), at))
    return reasons


def _show(table: object, where: str) -> dict[str, str]:
    if not isinstance(table, dict) or "page" not in table:
        raise ValueError(f"{where}: show is {table!r}; it is a table with a page")
    for name, value in table.items():
        if not isinstance(value, str):
            raise ValueError(f"{where}: show has {name} = {value!r}; it must be a text")
    return dict(table)


def _known(table: object, names: Collection[str], where: str) -> None:
    if not isinstance(table, dict):
        raise ValueError(f"{where} is {table!r}; it must be a table")
    unknown = set(table) - set(names)
    if unknown:
        raise ValueError(f"{where}: unknown field {min(unknown)!r}")


def _text(table: dict[str, Any], name: str, where: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {name} is {value!r}; it must be a text")
    return value.strip("\n")


def _misconception(value: object, where: str) -> str | None:
    if value is None:
        return None
    known = load_misconceptions()
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{where}: misconception is {value!r}; it can be {', '.join(known)}")
    return value
