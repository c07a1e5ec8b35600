"""The lecturer's page as pieces of HTML: the code to join with, the live count, the question, the votes.

Every text that is not ours is escaped here.
"""

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

import streamlit as st

from lesson.words import load_words
from ui.qr import qr_svg

__all__ = [
    "Bar",
    "Distribution",
    "corner",
    "draw",
    "join_card",
    "join_form",
    "key_card",
    "note",
    "others",
    "question_card",
    "status_line",
]

WORDS = load_words("classroom").table("page")
ONE_OPTION = ("single", "frame", "line")
"""The kinds of question in which an answer is one option, so that its bars stand in the option's card."""


@dataclass(frozen=True)
class Bar:
    """One answer: its letter, its words, whether it is right, and its counts by round."""

    label: str
    text: str
    right: bool
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Distribution:
    """The votes on a question: the answers, all votes by round, and the right ones by round."""

    bars: tuple[Bar, ...]
    totals: tuple[int, ...]
    right: tuple[int, ...]


def draw(*pieces: str, narrow: bool = False) -> None:
    """Draw pieces of HTML as one element; narrow takes no more width than it needs."""
    st.html(f'<div class="twr">{"".join(pieces)}</div>', width="content" if narrow else "stretch")


def share(count: int, total: int) -> str:
    """Return a share of a total in whole per cent."""
    return f"{round(100 * count / total) if total else 0} %"


@cache
def _qr(link: str) -> str:
    packed = b64encode(qr_svg(link).encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{packed}" alt="{escape(WORDS["qr"])}">'


def join_form(address: str) -> str:
    """Return the way in for somebody with a code: a form that opens the phones' page, without a rerun."""
    return (
        f'<form class="twr-entry" action="{escape(address)}" method="get">'
        f"<h2>{escape(WORDS['enter_heading'])}</h2><p>{escape(WORDS['enter_lead'])}</p>"
        f'<label for="twr-code">{escape(WORDS["enter_code"])}</label><div class="row">'
        '<input id="twr-code" name="code" maxlength="12" autocomplete="off" autocapitalize="characters" '
        f'spellcheck="false" required><button type="submit">{escape(WORDS["enter"])}</button></div></form>'
    )


def _shown(address: str) -> str:
    return f'<p class="address">{escape(address.split("://", 1)[-1])}</p>'


def join_card(address: str, code: str) -> str:
    """Return how to join, for the back of a hall: QR code, address, and the code in large letters."""
    return (
        f'<div class="twr-join"><h2>{escape(WORDS["join_heading"])}</h2>{_qr(f"{address}/{code}")}'
        f'<p class="quiet">{escape(WORDS["join_or"])}</p>{_shown(address)}'
        f'<p class="code">{escape(code)}</p></div>'
    )


def corner(address: str, code: str) -> str:
    """Return how to join for who comes late: the same, small."""
    return (
        f'<div class="twr-corner"><div>{_shown(address)}<p class="code">{escape(code)}</p></div>'
        f"{_qr(f'{address}/{code}')}</div>"
    )


def status_line(phase: str, place: str, joined: int, voted: int | None) -> str:
    """Return the phase and one count: who has answered of those in the room, or who is there.

    Parameters
    ----------
    phase : str
        One of `classroom.phases.PHASES`.
    place : str
        Where in the room's list this is, in words; may be empty.
    joined : int
        People in the room.
    voted : int or None
        Votes in this round; None while nothing is asked.
    """
    number, of = (joined, WORDS["joined"]) if voted is None else (voted, WORDS["voted"].format(joined=joined))
    quiet = f'<span class="of">{escape(place)}</span>' if place else ""
    return (
        f'<div class="twr-live"><p>{quiet}<span class="phase">{escape(WORDS[f"phase_{phase}"])}</span></p>'
        f'<p><span class="number">{number}</span> <span class="of">{escape(of)}</span></p></div>'
    )


def _names(votes: Distribution) -> list[str]:
    return [WORDS["first_vote"], WORDS["second_vote"]][: len(votes.totals)]


def _bars(bar: Bar, totals: Sequence[int], names: Sequence[str]) -> str:
    """Return an answer's bars, one a round."""
    bars = []
    for name, count, total in zip(names, bar.counts, totals, strict=True):
        width = 100 * count / total if total else 0
        told = f'<span class="round">{escape(name)}</span>' if len(names) > 1 else ""
        bars.append(
            f'<span class="bar">{told}<span class="track">'
            f'<span class="fill" style="width:{width:.1f}%"></span></span>'
            f'<span class="count">{count} · {share(count, total)}</span></span>'
        )
    return f'<span class="bars">{"".join(bars)}</span>'


def _answer(letter: str, text: str, bar: Bar | None, votes: Distribution | None, *, right: bool) -> str:
    """Return one answer as a card, with its bars inside."""
    sign = f'<b class="fared">✓ {escape(WORDS["right"])}</b>' if right else ""
    fared = ' class="right"' if right else ""
    bars = _bars(bar, votes.totals, _names(votes)) if bar is not None and votes is not None else ""
    return f'<li{fared}><i>{escape(letter)}</i><span class="words">{escape(text)}</span>{sign}{bars}</li>'


def _table(table: Mapping[str, Any]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table["columns"])
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table["rows"])
    caption = f"<caption>{escape(table['caption'])}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _options(public: Mapping[str, Any], votes: Distribution | None, right: Collection[str]) -> str:
    """Return the options, each once, with its bars where a vote is for one option."""
    kind = public["kind"]
    bars = {bar.label: bar for bar in votes.bars} if votes is not None and kind in ONE_OPTION else {}
    items = []
    for place, option in enumerate(public["options"], start=1):
        # What is put in order has no letter on the phones either.
        letter = str(place) if kind == "line" else "" if kind == "order" else option["id"]
        items.append(_answer(letter, option["text"], bars.get(letter), votes, right=option["id"] in right))
    return f'<ol class="{"lines" if kind == "line" else "options"}">{"".join(items)}</ol>'


def question_card(
    public: Mapping[str, Any], votes: Distribution | None = None, *, right: Collection[str] | None = None
) -> str:
    """Return a question, with the votes on it once they may be seen.

    Parameters
    ----------
    public : mapping
        What `lesson.quiz.Question.public` gives.
    votes : Distribution, optional
    right : collection of str, optional
        The ids of the right options, after the reveal. Before it nothing says what is right: the phones'
        owners look at this screen.
    """
    parts = [f'<p class="prompt">{escape(public["prompt"])}</p>']
    if public.get("code"):
        parts.append(f'<p class="quiet">{escape(public["code"])}</p>')
    if table := public.get("table"):
        parts.append(_table(table))
    ordered = public["kind"] == "order"
    if public.get("options") and not (ordered and votes is not None and any(votes.totals)):
        parts.append(_options(public, votes, () if ordered else right or ()))
    elif public.get("counts"):
        parts.append(f'<p class="quiet">{escape(public["counts"])}</p>')
    if votes is not None:
        parts.append(_votes(public["kind"], votes, revealed=right is not None))
    return f'<div class="twr-question">{"".join(parts)}</div>'


def _votes(kind: str, votes: Distribution, *, revealed: bool) -> str:
    """Return what the votes say besides the options' own bars."""
    if not any(votes.totals):
        return f'<p class="quiet">{escape(WORDS["no_votes"])}</p>'
    parts = []
    if kind not in ONE_OPTION:
        items = []
        for bar in votes.bars:
            # Letters name options that stand above with their words.
            letter, text = (bar.label, "") if bar.label else ("", bar.text)
            items.append(_answer(letter, text, bar, votes, right=revealed and bar.right))
        parts.append(f'<h2>{escape(WORDS["answered"])}</h2><ol class="given">{"".join(items)}</ol>')
    if revealed:
        shares = [share(*pair) for pair in zip(votes.right, votes.totals, strict=True)]
        text = WORDS["right_share" if len(shares) == 1 else "right_shares"]
        parts.append(f'<p class="shares">{escape(text.format(first=shares[0], second=shares[-1]))}</p>')
    return "".join(parts)


def note(text: str) -> str:
    """Return a sentence beside the matter."""
    return f'<p class="quiet">{escape(text)}</p>'


def key_card(answer: str, why: str) -> str:
    """Return the right answer with its reason."""
    return (
        f'<div class="twr-key"><p class="quiet">{escape(WORDS["right_answer"])}</p>'
        f'<p class="given">{escape(answer)}</p><p>{escape(why)}</p></div>'
    )


def others(counts: Sequence[int]) -> Bar:
    """Return the line of the answers that have none of their own."""
    return Bar("", WORDS["others"], False, tuple(counts))
