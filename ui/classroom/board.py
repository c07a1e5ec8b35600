"""The lecturer's page as pieces of HTML: the code to join with, the live count, the question, the votes.

Every text that is not ours is escaped here.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from lesson.words import load_words
from ui.palette import css_variables
from ui.qr import qr_svg

__all__ = [
    "Bar",
    "Distribution",
    "draw",
    "join_card",
    "key_card",
    "live_count",
    "others",
    "question_card",
    "style",
    "votes_table",
]

WORDS = load_words("classroom").table("page")
_CSS = Path(__file__).with_name("room.css").read_text(encoding="utf-8")


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


def style() -> None:
    """Put the page's styles in, once a page."""
    st.html(f"<style>:root {{ {css_variables()} }}{_CSS}</style>")


def draw(*pieces: str) -> None:
    """Draw pieces of HTML as one element."""
    st.html(f'<div class="twr">{"".join(pieces)}</div>')


def share(count: int, total: int) -> str:
    """Return a share of a total in whole per cent."""
    return f"{round(100 * count / total) if total else 0} %"


def join_card(address: str, code: str) -> str:
    """Return how to join: QR code, address, and the code in large signs."""
    shown = address.split("://", 1)[-1]
    packed = b64encode(qr_svg(f"{address}/{code}").encode()).decode()
    picture = f'<img src="data:image/svg+xml;base64,{packed}" alt="{escape(WORDS["qr"])}">'
    return (
        f'<div class="twr-join"><h2>{escape(WORDS["join_heading"])}</h2>{picture}'
        f'<p class="quiet">{escape(WORDS["join_or"])}</p><p class="address">{escape(shown)}</p>'
        f'<p class="code">{escape(code)}</p></div>'
    )


def live_count(phase: str, joined: int, voted: int | None) -> str:
    """Return the phase, who is in the room, and how many have answered (None while nothing is asked)."""
    numbers = [(joined, WORDS["joined"])] + ([] if voted is None else [(voted, WORDS["voted"])])
    shown = "".join(
        f'<span><span class="number">{number}</span> <span class="of">{escape(text)}</span></span>'
        for number, text in numbers
    )
    return f'<div class="twr-live"><span class="phase">{escape(WORDS[f"phase_{phase}"])}</span>{shown}</div>'


def question_card(public: Mapping[str, Any], place: int, count: int) -> str:
    """Return a question as the phones show it before the reveal.

    Parameters
    ----------
    public : mapping
        What `lesson.quiz.Question.public` gives.
    place, count : int
        Where it stands in the room's list.
    """
    before = f'<p class="quiet">{escape(WORDS["place"].format(place=place, count=count))}</p>'
    parts = [before, f'<p class="prompt">{escape(public["prompt"])}</p>']
    if public.get("code"):
        parts.append(f'<p class="quiet">{escape(public["code"])}</p>')
    if table := public.get("table"):
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table["columns"])
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table["rows"]
        )
        caption = f"<caption>{escape(table['caption'])}</caption>"
        parts.append(f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    if options := public.get("options"):
        lines = public["kind"] == "line"
        items = "".join(
            f"<li><i>{number if lines else escape(option['id'].upper())}</i>"
            f"<span>{escape(option['text'])}</span></li>"
            for number, option in enumerate(options, start=1)
        )
        parts.append(f'<ol class="{"lines" if lines else "options"}">{items}</ol>')
    elif public.get("counts"):
        parts.append(f'<p class="quiet">{escape(public["counts"])}</p>')
    return f'<div class="twr-question">{"".join(parts)}</div>'


def _cell(bar: Bar, round_name: str, count: int, total: int) -> str:
    width = 100 * count / total if total else 0
    return (
        f'<td class="{"right" if bar.right else "given"}" data-round="{escape(round_name)}">'
        f'<div class="cell"><div class="track"><div class="fill" style="width:{width:.1f}%"></div></div>'
        f'<span class="count">{count} · {share(count, total)}</span></div></td>'
    )


def votes_table(votes: Distribution, *, mark_right: bool) -> str:
    """Return the votes as a table with bars, both rounds side by side.

    Parameters
    ----------
    votes : Distribution
    mark_right : bool
        Say which answer is right. Before the reveal it stays unsaid: the phones' owners look at this screen.
    """
    if not any(votes.totals):
        return f'<p class="quiet">{escape(WORDS["no_votes"])}</p>'
    names = [WORDS["first_vote"], WORDS["second_vote"]][: len(votes.totals)]
    head = "".join(
        f'<th scope="col">{escape(name)} ({total})</th>'
        for name, total in zip(names, votes.totals, strict=True)
    )
    rows = []
    for bar in votes.bars:
        shown = bar if mark_right else Bar(bar.label, bar.text, False, bar.counts)
        label = f"<i>{escape(bar.label)}</i>" if bar.label else ""
        sign = f"<b>✓ {escape(WORDS['right'])}</b>" if shown.right else ""
        cells = "".join(_cell(shown, *each) for each in zip(names, bar.counts, votes.totals, strict=True))
        rows.append(f'<tr><th scope="row">{label}{escape(bar.text)}{sign}</th>{cells}</tr>')
    caption = ""
    if mark_right:
        shares = [share(*pair) for pair in zip(votes.right, votes.totals, strict=True)]
        text = WORDS["right_share" if len(shares) == 1 else "right_shares"]
        caption = f"<caption>{escape(text.format(first=shares[0], second=shares[-1]))}</caption>"
    return (
        f'<table class="twr-bars">{caption}<thead><tr><th scope="col">{escape(WORDS["answer"])}</th>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def key_card(answer: str, why: str) -> str:
    """Return the right answer with its reason."""
    return (
        f'<div class="twr-key"><p class="quiet">{escape(WORDS["right_answer"])}</p>'
        f'<p class="given">{escape(answer)}</p><p>{escape(why)}</p></div>'
    )


def others(counts: Sequence[int]) -> Bar:
    """Return the line of the answers that have none of their own."""
    return Bar("", WORDS["others"], False, tuple(counts))
