"""IO complexity with its domain: the reader's N, d and M."""

from engine.io_bounds import IoBound
from engine.units import exact_bytes
from ui.calculator.html import statements, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.evidence.papers import WORDS
from ui.evidence.units import times
from ui.exactness.numbers import decades

HALF, SINGLE = 2, 4

__all__ = ["growth"]


def _told(bound: IoBound) -> list[tuple[str, str]]:
    """Sentences about the reader's numbers."""
    low, high = (f"{each:,}" for each in bound.domain)
    m = f"{bound.elements:,}"
    if bound.in_domain:
        said = [("good", WORDS.say("growth", "inside", low=low, high=high))]
    else:
        key = "below" if bound.elements < bound.domain[0] else "above"
        said = [("bad", WORDS.say("growth", key, m=m, low=low, high=high))]
    if bound.clamped:
        raw = f"{float(bound.raw_tiled):,.0f}"
        said.append(("bad", WORDS.say("growth", "clamped", raw=raw, least=f"{bound.least:,}")))
    crossing = bound.least**2 // bound.standard
    said.append(("same", WORDS.say("growth", "crossing", m=f"{crossing:,}")))
    ratio = float(bound.standard / bound.tiled)
    said.append(("same", WORDS.say("growth", "saving", ratio=times(ratio))))
    sizes = {"half": exact_bytes(HALF * bound.elements), "single": exact_bytes(SINGLE * bound.elements)}
    said.append(("same", WORDS.say("growth", "bytes", m=m, **sizes)))
    return said


@kept_sheet
def growth(sheet: Sheet, bound: IoBound) -> None:
    """The chart, the sentences and the table."""
    _draw_chart(sheet, bound)
    sheet.add(statements(_told(bound)))
    rows = [
        [WORDS.say("growth", name), f"{float(value):,.0f}", times(float(value) / bound.least)]
        for name, value in (
            ("standard", bound.standard),
            ("raw", bound.raw_tiled),
            ("held", bound.tiled),
            ("least", bound.least),
        )
    ]
    caption = WORDS.say("growth", "caption", n=f"{bound.n:,}", d=f"{bound.d:,}", m=f"{bound.elements:,}")
    head = [WORDS.say("columns", name) for name in ("quantity", "elements", "times")]
    sheet.add(table(caption, head, rows))


def _draw_chart(sheet: Sheet, bound: IoBound) -> None:
    n, d = bound.n, bound.d
    low_m, high_m = (float(each) for each in bound.domain)
    left, right = min(low_m, bound.elements) / 3, max(high_m, bound.elements) * 3
    foot, top = bound.least**2 / right / 2, max(float(bound.standard), bound.least**2 / low_m) * 4

    def formula(m: float) -> float:
        return float(n * d) ** 2 / m

    def figure(**sizes: int) -> Plot:
        few = 4 if sizes else 8
        plot = Plot(
            Axis(WORDS.say("growth", "plot_x"), left, right, decades(left, right, few)),
            Axis(WORDS.say("growth", "plot_y"), foot, top, decades(foot, top, few)),
            **{**sizes, "right": 102 if sizes else 120},
        )
        plot.upright(low_m, WORDS.say("growth", "low_end"), "muted")
        plot.upright(high_m, WORDS.say("growth", "high_end"), "muted")
        plot.line(
            [(left, float(bound.standard)), (right, float(bound.standard))], "m",
            label=WORDS.say("growth", "standard_line"),
        )  # fmt: skip
        plot.line(
            [(high_m, float(bound.least)), (right, formula(right))], "alpha", dash="dot",
            label=WORDS.say("growth", "formula_line"),
        )  # fmt: skip
        plot.line(
            [(low_m, formula(low_m)), (high_m, float(bound.least)), (right, float(bound.least))], "accent",
            label=WORDS.say("growth", "tiled_line"),
        )  # fmt: skip
        here = WORDS.say("growth", "here", m=f"{bound.elements:,}")
        plot.dot(float(bound.elements), float(bound.tiled), "accent", label=here, lift=12)
        return plot

    alt = WORDS.say(
        "growth", "plot_alt", standard=f"{bound.standard:,}", high=f"{formula(low_m):,.0f}",
        low=f"{bound.least:,}", m=f"{bound.elements:,}",
    )  # fmt: skip
    sheet.figure(figure, alt=alt)
