"""Exact is not bit-identical: errors by format, tile and order."""

from itertools import groupby

from engine.masks import Causal
from engine.precision_lab import Measured
from ui.calculator.html import folded, statements, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.exactness.numbers import decades, factor, small
from ui.exactness.runs import lab_runs
from ui.exactness.settings import WORDS

LOW, HIGH = 1e-18, 1.0
LEVEL_ERROR = 1.02
"""Errors closer than this factor are called equal."""

__all__ = ["errors", "say_format"]


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


@kept_sheet
def errors(sheet: Sheet, kind: str, key: str, causal: Causal | None) -> None:
    """Errors of every run by format, for one of the lab's inputs or the chosen head."""
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
