"""Part 2's chart: the bytes over the tile side that decides them, and the same as a table."""

from collections.abc import Mapping
from functools import partial

from engine.shapes import AttentionShape
from engine.statements import BlockSide, Verdict, block_effect, deciding_side
from engine.units import binary_bytes, exact_bytes
from ui.calculator.controls import Values
from ui.calculator.html import heading, table
from ui.calculator.numbers import ratio
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet
from ui.calculator.words import words

LETTER = {"block_q": "Br", "block_k": "Bc"}
# Powers of two: on logarithmic axes the bytes are all but straight between them.
SIDES = tuple(2**power for power in range(3, 11))

__all__ = ["LETTER", "SIDES", "draw_chart"]


def draw_chart(sheet: Sheet, values: Values, shape: AttentionShape, found: Verdict) -> None:
    """Draw the bytes that every size of the deciding side moves, the reader's own among them."""
    side = deciding_side(values["order"], values["direction"])
    letter = LETTER[side]
    have = values["bq"] if side == "block_q" else values["bk"]
    sizes = sorted({*SIDES, _inside(have)})
    effect = block_effect(
        shape, values["bq"], values["bk"], side, sizes, order=values["order"], direction=values["direction"]
    )
    tiled, bytes_of, text = dict(effect.points), found.saving, words()["ledger"]
    sheet.add(heading(text["chart"].format(side=letter)))
    sheet.figure(
        partial(_plot, side, have, tiled, found),
        alt=text["chart_alt"].format(
            side=letter,
            standard=binary_bytes(bytes_of.standard),
            most=binary_bytes(max(tiled.values())),
            least=binary_bytes(min(tiled.values())),
            bound=binary_bytes(bytes_of.compulsory),
            have=f"{have:,}",
        ),
    )
    sheet.add(_table(letter, have, tiled, bytes_of.standard))


def _inside(side: int) -> int:
    """The size of a tile, held inside the chart."""
    return max(SIDES[0], min(SIDES[-1], side))


def _plot(side: BlockSide, have: int, tiled: Mapping[int, int], found: Verdict, **size: int) -> Plot:
    letter, bytes_of = LETTER[side], found.saving
    low = min(bytes_of.compulsory, min(tiled.values())) / 1.6
    high = max(bytes_of.standard, max(tiled.values())) * 1.6
    ticks = [(2.0**power, binary_bytes(2**power)) for power in range(120) if low <= 2.0**power <= high]
    ticks = ticks[:: max(1, len(ticks) // 6)]
    made = Plot(
        Axis(
            f"{letter}, {'queries' if side == 'block_q' else 'keys'} in a tile",
            SIDES[0],
            SIDES[-1],
            [(n, f"{n:,}") for n in SIDES[::2]] + [(SIDES[-1], f"{SIDES[-1]:,}")],
        ),
        Axis("bytes moved", low, high, ticks),
        **size,
    )
    for level, colour, dash, label in (
        (bytes_of.standard, "s", "dash", "standard"),
        (bytes_of.compulsory, "m", "dot", "each once"),
    ):
        made.line([(SIDES[0], level), (SIDES[-1], level)], colour, dash=dash, label=label)
    made.line(list(tiled.items()), "q", label="tiled", width=3.2)
    even = found.break_even.smallest
    if even is not None and SIDES[0] <= even <= SIDES[-1]:
        made.upright(even, f"break-even {even:,}")
    at = _inside(have)
    made.dot(
        at,
        tiled[at],
        "q",
        tip=f"{letter} = {at:,}: {exact_bytes(tiled[at])}",
        label="yours" if at == have else "",
        lift=10,
    )
    return made


def _table(letter: str, have: int, tiled: Mapping[int, int], standard: int) -> str:
    """The chart in numbers, with the reader's own size marked."""
    rows = [
        [f"{n:,}", f"{tiled[n]:,}", binary_bytes(tiled[n]), ratio(standard / tiled[n])]
        for n in sorted({*SIDES, *([have] if have in tiled else [])})
    ]
    return table(
        words()["ledger"]["chart_table"].format(side=letter),
        (letter, "tiled, bytes", "tiled", "standard / tiled"),
        rows,
        marked=[at for at, row in enumerate(rows) if row[0] == f"{have:,}"],
    )
