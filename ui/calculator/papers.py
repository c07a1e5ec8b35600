"""Part 6: what the FlashAttention paper prints, beside our own arithmetic."""

from functools import cache

from engine.footprint import MIB, check_table_21, table_21_flash_bytes, table_21_standard_bytes
from engine.hardware import DEVICES
from engine.io_bounds import published_counts
from engine.paper_checks import FIGURE_2_BLOCK, FORMAT_BYTES, check_figure_2
from engine.paper_tables import FIGURE_2, TABLE_21
from engine.units import decimal_bytes, exact_bytes
from ui.calculator.html import heading, note, statements, table
from ui.calculator.numbers import ratio, scaled
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet
from ui.calculator.takeaway import take_away
from ui.calculator.words import say, words

METHODS = {"standard": "PyTorch attention", "flash": "FlashAttention"}
# The tile with which the published counts are listed; the paper's own figure goes on from there.
BLOCK = 128

__all__ = ["draw_papers"]


def draw_papers(sheet: Sheet) -> None:
    """Draw the memory table and figure 2."""
    sheet.add(*_memory())
    sheet.figure(_plot, alt=words()["papers"]["chart_alt"])
    sheet.add(*_figure_2())
    take_away(
        sheet,
        "papers",
        ("n", "method", "computed_bytes", "printed_mib"),
        [(cell.n, cell.method, cell.computed_bytes, cell.printed_mib) for cell in check_table_21()],
    )


@cache
def _memory() -> tuple[str, ...]:
    text, paper = words()["papers"], TABLE_21
    cells = check_table_21()
    by = {(cell.n, cell.method): cell for cell in cells}
    printed = [cell for cell in cells if cell.printed_mib is not None]
    rows = []
    for n, linformer in zip(paper.lengths, paper.linformer_mib, strict=True):
        row = [f"{n:,}"]
        for method in METHODS:
            cell = by[n, method]
            row += [f"{cell.computed_bytes:,}", f"{cell.shown_mib:,}"]
            row += (
                ["out of memory", "–"]
                if cell.printed_mib is None
                else [f"{cell.printed_mib:,}", "✓" if cell.equal else "✗"]
            )
        rows.append([*row, "–" if linformer is None else f"{linformer:,}"])
    columns = ["N"]
    for name in METHODS.values():
        columns += [f"{name}, bytes", "MiB", "printed", "equal"]
    source = f"{paper.source.title}, {paper.source.place}, {paper.source.date}"
    return (
        heading(text["title"]),
        note(
            say(
                "papers",
                "text",
                source=source,
                batch=paper.batch,
                heads=paper.heads,
                d=paper.d,
                device=DEVICES[paper.device].name,
            ),
            "text",
        ),
        statements(
            [
                (
                    "good" if all(c.equal for c in printed) else "bad",
                    say("papers", "match", equal=sum(c.equal for c in printed), cells=len(printed)),
                )
            ]
        ),
        table(text["table"], [*columns, "Linformer, printed"], rows),
        note(text["forms"], "formula"),
        note(text["assumes"]),
    )


def _plot(**sizes: int) -> Plot:
    paper = TABLE_21
    shape = {"heads": paper.heads, "batch": paper.batch, "d": paper.d}
    lengths = paper.lengths
    high = table_21_standard_bytes(lengths[-1], **shape) / MIB
    made = Plot(
        Axis("length N", lengths[0], lengths[-1], [(n, f"{n:,}") for n in lengths[::3]]),
        Axis("MiB", 10, high * 1.5, [(10**p, f"{10**p:,}") for p in range(1, 8) if 10**p < high]),
        **{"right": 140, **sizes},
    )
    for method, form, hue, printed in (
        ("standard", table_21_standard_bytes, "s", paper.standard_mib),
        ("flash", table_21_flash_bytes, "q", paper.flash_mib),
    ):
        made.line(
            [(n, form(n, **shape) / MIB) for n in lengths],
            hue,
            label=METHODS[method].replace(" attention", ""),
            dash="dash" if method == "standard" else "solid",
        )
        for n, cell in zip(lengths, printed, strict=True):
            if cell is not None:
                made.dot(
                    n,
                    cell,
                    hue,
                    shape="square" if method == "standard" else "circle",
                    tip=f"N = {n:,}: {cell:,} printed",
                )
    made.level(DEVICES[paper.device].memory_bytes / MIB, DEVICES[paper.device].name.replace(" SXM", ""))
    return made


@cache
def _figure_2() -> tuple[str, ...]:
    text, run = words()["papers"], FIGURE_2[0]
    source = f"{run.source.title}, {run.source.place}, {run.source.date}"
    said = say(
        "papers", "figure_text", n=f"{run.n:,}", d=run.d, heads=run.heads, batch=run.batch, note=run.note
    )
    return (
        heading(text["figure"]),
        note(f"{said} Source: {source}.", "text"),
        _checked_table(),
        note(say("papers", "figure_assumes", bc=FIGURE_2_BLOCK)),
        _passes_table(),
    )


def _checked_table() -> str:
    """What figure 2 prints of each method, and what our own arithmetic gives."""
    columns = (
        "method",
        "FLOP, printed",
        "FLOP, worked out",
        "factor",
        "bytes, printed",
        "bytes, modelled",
        "printed / modelled",
        "each tensor once",
        "time, printed",
    )
    rows = [
        [
            METHODS[check.printed.method],
            scaled(check.printed.flops_printed, "FLOP"),
            scaled(check.flops, "FLOP", 2),
            ratio(check.flops_factor),
            decimal_bytes(round(check.printed.hbm_bytes)),
            decimal_bytes(check.model_bytes, 3),
            ratio(check.bytes_factor),
            decimal_bytes(check.least_bytes, 3),
            scaled(check.printed.seconds * 1000, "ms"),
        ]
        for check in check_figure_2()
    ]
    return table(words()["papers"]["figure_table"], columns, rows)


def _passes_table() -> str:
    """The passes that the papers count over the tensors, for the call of figure 2."""
    run = FIGURE_2[0]
    counts = published_counts(
        run.n, run.d, BLOCK, FIGURE_2_BLOCK, heads=run.heads, batch=run.batch, bytes_per_element=FORMAT_BYTES
    )
    return table(
        f"{words()['papers']['passes']} (Br = {BLOCK}, Bc = {FIGURE_2_BLOCK})",
        ("count", "passes", "bytes", "size", "source", "note"),
        [
            [
                each.name,
                each.formula,
                exact_bytes(each.n_bytes),
                decimal_bytes(each.n_bytes, 3),
                each.source,
                each.note,
            ]
            for each in counts.values()
        ],
        words=(0, 1, 4, 5),
    )
