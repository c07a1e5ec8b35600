"""Sums that stop growing in a narrow format, by themselves and inside attention."""

from engine.precision_lab import stalls_after
from ui.calculator.html import table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.exactness.runs import SUM_FORMATS, counted, sums
from ui.exactness.settings import WORDS

MOST_POINTS = 160

__all__ = ["counting", "growing_sums"]


@kept_sheet
def growing_sums(sheet: Sheet, value: float, count: int) -> None:
    """Running sums in three formats: where they stop, as a chart and a table."""
    top = value * count
    stride = max(1, count // MOST_POINTS)
    steps = [*range(0, count, stride), count]
    colours = {"float32": ("m", "solid"), "float16": ("accent", "solid"), "bfloat16": ("alpha", "dash")}
    partial = {name: sums(value, count, name) for name in SUM_FORMATS}

    def figure(**sizes: int) -> Plot:
        quarter = [count * part / 4 for part in range(5)]
        plot = Plot(
            Axis(WORDS.say("plots", "sums_x"), 0, count, [(x, f"{x:,.0f}") for x in quarter], log=False),
            Axis(
                WORDS.say("plots", "sums_y"), 0, top * 1.05,
                [(top * part / 4, f"{top * part / 4:,.4g}") for part in range(5)], log=False,
            ),
            **{"height": 340, **sizes, "right": 90},
        )  # fmt: skip
        for name, (colour, dash) in colours.items():
            plot.line([(float(i), float(partial[name][i])) for i in steps], colour, dash=dash, label=name)
        return plot

    words = " ".join(
        WORDS.say("plots", "sums_part", format=name, reached=f"{partial[name][-1]:,.6g}")
        for name in SUM_FORMATS
    )
    sheet.figure(figure, alt=WORDS.say("plots", "sums_alt", words=words))
    rows = []
    for name in SUM_FORMATS:
        last = stalls_after(partial[name])
        told = WORDS.say("say", "never") if last is None else WORDS.say("say", "after", count=f"{last:,}")
        rows.append([name, f"{top:,.6g}", f"{partial[name][-1]:,.6g}", told])
    head = [WORDS.say("columns", each) for each in ("format", "exact_sum", "reached", "stalled")]
    caption = WORDS.say("tables", "sums", value=f"{value:g}", count=f"{count:,}")
    sheet.add(table(caption, head, rows, words=(0, 3)))


@kept_sheet
def counting(sheet: Sheet, count: int) -> None:
    """Attention over equal keys, with wide and with narrow sums."""
    rows = [
        [
            row.storage, WORDS.say("algorithms", "narrow" if row.narrow_sums else "tiled"),
            f"{row.output:.4f}", f"{row.right_output:.4f}", f"{row.lse:.4f}", f"{row.right_lse:.4f}",
        ]
        for row in counted(count)
    ]  # fmt: skip
    head = [
        WORDS.say("columns", each) for each in ("format", "algorithm", "output", "should", "lse", "should")
    ]
    sheet.add(table(WORDS.say("tables", "counting", count=f"{count:,}"), head, rows, words=(0, 1)))
