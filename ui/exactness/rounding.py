"""Exact is not bit-identical: errors by format, tile and order, and sums that stop growing."""

from itertools import groupby

from engine.masks import Causal
from engine.precision_lab import Measured, stalls_after
from ui.calculator.html import draw, folded, statements, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.exactness.numbers import decades, factor, small
from ui.exactness.runs import SUM_FORMATS, counted, lab_runs, sums
from ui.exactness.settings import WORDS, Asked, draw_lab_input, draw_sum_fields

LOW, HIGH = 1e-18, 1.0
LEVEL_ERROR = 1.02
"""Errors closer than this factor are called equal."""
MOST_POINTS = 160

__all__ = ["draw_counting", "draw_rounding", "draw_sums", "say_format"]


def _tile_words(run: Measured) -> str:
    if run.tile is None:
        return "–"
    return f"{run.tile.block_q} × {run.tile.block_k}, {WORDS.say('orders', run.tile.order)}"


def _parts(runs: list[Measured]) -> tuple[Measured, list[Measured], list[Measured]]:
    """The standard run, the tiled ones and the narrow one (or none)."""
    (standard,) = (run for run in runs if run.algorithm == "standard")
    return (
        standard,
        [run for run in runs if run.algorithm == "tiled"],
        [run for run in runs if run.algorithm == "narrow"],
    )


def say_format(runs: list[Measured]) -> list[tuple[str, str]]:
    """Return sentences on one format's runs: who is closer, and where that turns round.

    Parameters
    ----------
    runs : list of Measured
        All of one format.

    Returns
    -------
    list of (mood, sentence)
        The mood is "good", "bad" or "same".
    """
    standard, tiled, narrow = _parts(runs)
    name = standard.storage
    inside = [run for run in tiled if run.tile and run.tile.order == "q_outer"]
    best = min(inside, key=lambda run: run.rms)
    said: list[tuple[str, str]] = []
    if standard.rms == 0:
        said.append(("same", WORDS.say("say", "tie", format=name)))
    elif standard.rms > LEVEL_ERROR * best.rms:
        said.append(("good", WORDS.say("say", "better", format=name, factor=factor(standard.rms / best.rms))))
    elif best.rms > LEVEL_ERROR * standard.rms:
        said.append(("bad", WORDS.say("say", "worse", format=name, factor=factor(best.rms / standard.rms))))
    else:
        said.append(("same", WORDS.say("say", "same", format=name)))
    outside = max((run for run in tiled if run not in inside), key=lambda run: run.rms)
    if standard.rms and outside.tile and outside.rms > LEVEL_ERROR * standard.rms:
        said.append(
            (
                "bad",
                WORDS.say(
                    "say", "honest", format=name, factor=factor(outside.rms / standard.rms),
                    block_q=outside.tile.block_q, block_k=outside.tile.block_k,
                ),
            )
        )  # fmt: skip
    for run in narrow:
        same_tile = next(each for each in tiled if each.tile == run.tile)
        said.append(("bad", WORDS.say("say", "narrow", format=name, factor=factor(run.rms / same_tile.rms))))
    return said


def draw_rounding(asked: Asked) -> None:
    """Errors of every run by format, for the input that a menu says."""
    _draw_errors(draw_lab_input(), asked.key, asked.settings.causal)


@kept_sheet("ex_rounding")
def _draw_errors(sheet: Sheet, kind: str, key: str, causal: Causal | None) -> None:
    n, runs = lab_runs(kind, key, causal)
    formats = {name: list(group) for name, group in groupby(runs, key=lambda run: run.storage)}
    _draw_chart(sheet, formats)
    sheet.add(statements([sentence for group in formats.values() for sentence in say_format(group)]))
    rows = []
    for name, group in formats.items():
        standard, tiled, narrow = _parts(group)
        rows.append(
            [
                name,
                small(standard.rms),
                small(min(run.rms for run in tiled)),
                small(max(run.rms for run in tiled)),
                small(narrow[0].rms) if narrow else "–",
                f"{len({run.bits for run in tiled})} of {len(tiled)}",
            ]
        )
    head = [
        WORDS.say("columns", each)
        for each in ("format", "standard", "tiled_best", "tiled_worst", "narrow", "patterns")
    ]
    sheet.add(table(WORDS.say("tables", "rounding", n=n), head, rows))
    head = [WORDS.say("columns", each) for each in ("format", "algorithm", "tile", "largest", "rms", "bits")]
    every = [
        [
            run.storage, WORDS.say("algorithms", run.algorithm), _tile_words(run), small(run.largest),
            small(run.rms), run.bits,
        ]
        for run in runs
    ]  # fmt: skip
    runs_table = table(WORDS.say("tables", "runs"), head, every, words=(0, 1, 2, 5))
    sheet.add(folded(WORDS.say("tables", "all_runs"), runs_table))


def _draw_chart(sheet: Sheet, formats: dict[str, list[Measured]]) -> None:
    names = list(formats)
    ticks = [(float(place), name) for place, name in enumerate(reversed(names))]

    def figure(**sizes: int) -> Plot:
        plot = Plot(
            Axis(WORDS.say("plots", "error"), LOW, HIGH, decades(LOW, HIGH, 7)),
            Axis("", -0.6, len(names) - 0.4, ticks, log=False),
            **{"height": 330, **sizes, "right": 24},
        )
        for place, name in enumerate(reversed(names)):
            standard, tiled, narrow = _parts(formats[name])
            marks = [(standard, "m", "square", 0.24)]
            for run in tiled:
                inside = run.tile is not None and run.tile.order == "q_outer"
                marks.append((run, "accent", "circle", 0.0) if inside else (run, "o", "diamond", -0.22))
            marks += [(run, "alpha", "square", -0.42) for run in narrow]
            for run, colour, shape, lift in marks:
                tip = (
                    f"{name}, {WORDS.say('algorithms', run.algorithm)}, {_tile_words(run)}: {small(run.rms)}"
                )
                plot.dot(run.rms, place + lift, colour, shape=shape, size=5, tip=tip)
        return plot

    words = " ".join(
        WORDS.say(
            "plots", "rounding_part", format=name, standard=small(parts[0].rms),
            best=small(min(run.rms for run in parts[1])), worst=small(max(run.rms for run in parts[1])),
        )
        for name, parts in ((name, _parts(group)) for name, group in formats.items())
    )  # fmt: skip
    sheet.add(_key())
    sheet.figure(figure, alt=WORDS.say("plots", "rounding_alt", words=words))


def _key() -> str:
    """What the marks of the chart mean: the sign and the words, in the order of the rows."""
    signs = (
        ("standard", "m", "■"),
        ("tiled", "accent", "●"),
        ("kv_outer", "o", "◆"),
        ("narrow", "alpha", "■"),
    )
    items = "".join(
        f'<span style="white-space:nowrap"><span aria-hidden="true" style="color:var(--tw-{colour})">{sign}'
        f"</span> {WORDS.say('plots', name)}</span>"
        for name, colour, sign in signs
    )
    return f'<p style="display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.92rem">{items}</p>'


def draw_sums() -> int | None:
    """Running sums in three formats: where they stop, as a chart and a table.

    Returns
    -------
    int or None
        The number of additions; None where what was typed is impossible.
    """
    asked = draw_sum_fields()
    if asked is None:
        return None
    _draw_sums(*asked)
    return asked[1]


@kept_sheet("ex_sums")
def _draw_sums(sheet: Sheet, value: float, count: int) -> None:
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


def draw_counting(count: int) -> None:
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
    draw(table(WORDS.say("tables", "counting", count=f"{count:,}"), head, rows, words=(0, 1)))
