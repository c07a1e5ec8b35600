"""The five methods as tables and as a chart by row."""

from engine.units import binary_bytes, decimal_bytes
from engine.variants import METHODS, Cost, Method
from lesson.inputs import load
from ui.calculator.html import folded, note, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.exactness.numbers import decades, small
from ui.exactness.runs import REAL_FORMAT, REAL_N, compared, real_costs
from ui.exactness.settings import HEAD_ENTRIES, WORDS, Asked

# Exact methods have hues of their own; the inexact ones share one and differ by their dashes.
STYLES: dict[Method, tuple[str, str]] = {
    "standard": ("m", "solid"),
    "tiled": ("accent", "solid"),
    "window": ("alpha", "solid"),
    "block_sparse": ("alpha", "dash"),
    "low_rank": ("alpha", "dot"),
}
# Below what each format can tell apart, so that a difference of 0 has a place at the foot.
FLOOR = {"float64": 1e-18, "float32": 1e-10, "float16": 1e-6, "bfloat16": 1e-5}
CEILING = 10.0
NO_BREAK = "\u00a0"

__all__ = ["bytes_cell", "methods", "real", "rows"]


def bytes_cell(n_bytes: int) -> str:
    """Return bytes in both families of units, short enough for a table and broken only between the two."""
    return " · ".join(unit(n_bytes).replace(" ", NO_BREAK) for unit in (binary_bytes, decimal_bytes))


def _head(*names: str) -> list[str]:
    return [WORDS.say("columns", name) for name in names]


def _cost_cells(cost: Cost) -> list[str]:
    return [
        f"{cost.used:,} of {cost.asked:,}".replace(" ", NO_BREAK),
        f"{cost.left_out:,}",
        f"{cost.multiplied - cost.used:,}",
        f"{cost.flops:,}",
        bytes_cell(cost.ledger.total),
    ]


@kept_sheet
def methods(sheet: Sheet, asked: Asked) -> None:
    """Pairs, FLOPs, bytes and differences of the five runs."""
    given, result = load(asked.key), compared(asked.key, asked.settings, asked.storage)
    cells = []
    for method in METHODS:
        run = result.runs[method]
        worst = int(run.row_difference.argmax())
        cells.append(
            [
                WORDS.say("methods", method),
                *_cost_cells(run.cost),
                small(run.largest),
                small(run.rms),
                f"{given.tokens_q[worst].strip()} ({worst})" if run.largest else "–",
            ]
        )
    entry = HEAD_ENTRIES[asked.key]
    caption = WORDS.say(
        "tables", "methods", sentence=entry.sentence, head=entry.label, n=len(given.q), d=given.q.shape[1],
        storage=asked.storage,
    )  # fmt: skip
    head = _head("method", "used", "left", "hidden", "flops", "bytes", "largest", "rms", "worst")
    sheet.add(table(caption, head, cells, words=(0, 8)))


@kept_sheet
def rows(sheet: Sheet, asked: Asked) -> None:
    """Differences row by row: a chart, and the same as a table."""
    given, result = load(asked.key), compared(asked.key, asked.settings, asked.storage)
    n = len(given.q)
    low = FLOOR[result.storage]
    ticks = [(float(i), str(i)) for i in range(0, n, 3)]

    def figure(**sizes: int) -> Plot:
        plot = Plot(
            Axis(WORDS.say("plots", "rows_x"), 0, n - 1, ticks, log=False),
            Axis(WORDS.say("plots", "rows_y"), low, CEILING, decades(low, CEILING)),
            **{**sizes, "right": 118 if sizes else 150},
        )
        for method, (colour, dash) in STYLES.items():
            points = [(float(i), float(x)) for i, x in enumerate(result.runs[method].row_difference)]
            plot.line(points, colour, dash=dash, label=WORDS.say("methods", method))
            for at, value in points:
                tip = f"{WORDS.say('methods', method)}, {given.tokens_q[int(at)].strip()}: {small(value)}"
                plot.dot(at, value, colour, size=3, tip=tip)
        return plot

    words = " ".join(
        WORDS.say("plots", "rows_part", method=WORDS.say("methods", m), value=small(result.runs[m].largest))
        for m in METHODS
    )
    sheet.figure(figure, alt=WORDS.say("plots", "rows_alt", words=words))
    sheet.add(note(f"{WORDS.say('plots', 'rows_y').capitalize()}: {WORDS.say('plots', 'zero')}."))
    head = [*_head("query"), *(WORDS.say("methods", m) for m in METHODS)]
    cells = [
        [
            f"{i} {given.tokens_q[i].strip()}",
            *(small(float(result.runs[m].row_difference[i])) for m in METHODS),
        ]
        for i in range(n)
    ]
    sheet.add(folded(WORDS.say("tables", "all_rows"), table(WORDS.say("tables", "rows"), head, cells)))


@kept_sheet
def real(sheet: Sheet, asked: Asked) -> None:
    """The same methods at a real length, by closed forms."""
    n, d = load(asked.key).q.shape
    costs = real_costs(asked.settings, n, d)
    cells = [[WORDS.say("methods", method), *_cost_cells(costs[method])] for method in METHODS]
    head = _head("method", "used", "left", "hidden", "flops", "bytes")
    sheet.add(table(WORDS.say("tables", "real", n=f"{REAL_N:,}", d=d, storage=REAL_FORMAT), head, cells))
