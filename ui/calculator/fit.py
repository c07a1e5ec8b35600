"""Part 3: do the tiles fit a block of a device, and what do they leave room for?"""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.hardware import Device
from engine.io_bounds import Recipe, paper_recipe
from engine.kernel_tiles import KernelTile, kernel_tiles
from engine.shapes import BYTES_OF_FORMAT
from engine.tile_fit import Fit, Part, TileSetup, fit_tiles
from engine.tile_search import STEP, Frontier, frontier
from engine.units import binary_bytes, exact_bytes, format_bytes
from ui.calculator.controls import Values, device_of
from ui.calculator.hardware_table import hardware_table
from ui.calculator.html import Card, Segment, bars, cards, heading, note, statements, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.recipe import kernels_table, recipe_about
from ui.calculator.sheet import Sheet
from ui.calculator.takeaway import take_away
from ui.calculator.words import say, words

CONTROLS = ("device", "budget", "mode", "bq", "bk", "d", "format", "stages", "warps", "n_q", "heads", "batch")
MOST = 512
SHORT = {"q": "Q", "acc": "acc", "stats": "m, l", "s": "S", "extra": "extra"}
HUES = {"q": "q", "acc": "o", "stats": "m", "s": "s", "extra": "m"}

__all__ = ["CONTROLS", "SLOWER", "Slower", "draw_fit"]


@dataclass(frozen=True)
class Slower:
    """A tile that its authors found slower than their choice, as a comment beside that choice says."""

    block_q: int
    block_k: int
    percent: int


SLOWER_AT = {"d": 64, "n": 2048}
SLOWER_SOURCE = "Dao-AILab/flash-attention at 0251105a2fb1, csrc/flash_attn/src/flash_fwd_launch_template.h"
SLOWER = (Slower(64, 256, 27), Slower(256, 64, 85))


def draw_fit(sheet: Sheet, values: Values, formulas: bool) -> None:
    """Draw the part from its controls' values."""
    device = device_of(values)
    if device.shared_bytes_per_block is None:
        st.warning(say("fit", "unknown", device=device.name), icon=":material/help:")
        sheet.add(hardware_table(words()["fit"]["devices"]))
        return
    setup = TileSetup(
        values["bq"],
        values["bk"],
        values["d"],
        bytes_per_element=BYTES_OF_FORMAT[values["format"]],
        stages=values["stages"],
        warps=values["warps"],
        mode=values["mode"],
    )
    fit = fit_tiles(setup, device)
    blocks = -(-values["n_q"] // setup.block_q) * values["heads"] * values["batch"]
    sheet.add(
        cards([_headline(fit), *_sub_cards(fit, device, blocks)]),
        note(words()["fit"]["assumes"]),
        heading(words()["fit"]["bars"]),
        _bars(fit),
        *(_formulas(fit) if formulas else []),
    )
    edge = frontier(setup, device, most=MOST)
    recipe = paper_recipe(device.shared_bytes_per_block, setup.bytes_per_element, setup.d)
    tiles = kernel_tiles(setup.d)
    _draw_chart(sheet, fit, device, edge, recipe, tiles)
    sheet.add(
        _largest(edge),
        _larger(fit, device, blocks),
        recipe_about(values, device, recipe),
        kernels_table(setup, tiles, device),
    )
    sheet.add(hardware_table(words()["fit"]["devices"]))
    take_away(
        sheet,
        "fit",
        ("block_q", "largest_block_k", "shared_bytes", "registers_per_thread", "resident"),
        [
            (at.setup.block_q, at.setup.block_k, at.request.asked_bytes, at.registers_per_thread, at.resident)
            for at in edge.tiles
        ],
    )


def _name(part: str) -> str:
    return SHORT.get(part, part.replace("k stage", "K").replace("v stage", "V"))


def _hue(part: str) -> str:
    return HUES.get(part, part[0])


def _headline(fit: Fit) -> Card:
    limit, text = binary_bytes(fit.request.limit_bytes), words()["fit"]
    if fit.fits:
        rest, title = say("fit", "free", size=binary_bytes(fit.request.free_bytes)), text["fits"]
    else:
        part = _name(fit.first_over or "")
        rest, title = (
            say("fit", "over", size=format_bytes(fit.request.over_bytes), part=part),
            text["too_large"],
        )
    sub = f"{exact_bytes(fit.request.asked_bytes)} {say('fit', 'asked_sub', limit=limit, rest=rest)}"
    return Card(title, binary_bytes(fit.request.asked_bytes), sub, "good" if fit.fits else "bad")


def _sub_cards(fit: Fit, device: Device, blocks: int) -> list[Card]:
    text = words()["fit"]
    if fit.registers_per_thread is None:
        registers = Card(text["registers"], "–", text["registers_none"])
    elif fit.register_limit is None:
        registers = Card(text["registers"], f"{fit.registers_per_thread:,}", text["registers_unknown"])
    else:
        verdict = text["spills" if fit.spills else "no_spills"]
        sub = say("fit", "registers_sub", limit=fit.register_limit, verdict=verdict)
        registers = Card(text["registers"], f"{fit.registers_per_thread:,}", sub, "bad" if fit.spills else "")
    by = ", ".join(text[f"by_{name}"] for name in fit.limited_by)
    if device.units is None:
        waves = text["waves_unknown"]
    else:
        waves = say("fit", "waves_sub", most=f"{fit.resident * device.units:,}")
    return [
        registers,
        Card(text["resident"], f"{fit.resident:,}", say("fit", "resident_sub", by=by)),
        Card(text["waves"], f"{blocks:,}", waves),
    ]


def _segments(parts: list[Part]) -> list[Segment]:
    return [Segment(_hue(each.name), _name(each.name), each.n_bytes, "stage" in each.name) for each in parts]


def _bars(fit: Fit) -> str:
    """Parts beside the limit, and as a table."""
    text = words()["fit"]
    shared = [each for each in fit.parts if each.where == "shared"]
    inside = [each for each in fit.parts if each.where == "registers"]
    limit = fit.request.limit_bytes
    title = text["literal_budget"] if fit.setup.mode == "literal" else text["in_shared"]
    rows = [(title, f"{binary_bytes(fit.request.asked_bytes)} of {binary_bytes(limit)}", _segments(shared))]
    if inside:
        rows.append((text["in_registers"], binary_bytes(fit.register_bytes), _segments(inside)))
    listed = ", ".join(f"{_name(each.name)} {binary_bytes(each.n_bytes)}" for each in fit.parts)
    alt = say(
        "fit",
        "bars_alt",
        parts=listed,
        asked=binary_bytes(fit.request.asked_bytes),
        limit=binary_bytes(limit),
    )
    cells = [
        [
            _name(each.name),
            title if each.where == "shared" else text["in_registers"],
            f"{each.n_bytes:,}",
            binary_bytes(each.n_bytes),
        ]
        for each in fit.parts
    ]
    return bars(rows, alt, whole=limit, mark=limit) + table(
        text["parts_table"], ("part", "where", "bytes", "size"), cells, words=(0, 1)
    )


def _draw_chart(
    sheet: Sheet, fit: Fit, device: Device, edge: Frontier, recipe: Recipe, tiles: tuple[KernelTile, ...]
) -> None:
    setup = fit.setup
    sheet.add(heading(words()["fit"]["chart"]))
    sheet.figure(
        partial(_plot, setup, edge, recipe, tiles),
        alt=say(
            "fit",
            "chart_alt",
            device=device.name,
            d=f"{setup.d:,}",
            bq=f"{setup.block_q:,}",
            bk=f"{setup.block_k:,}",
            count=len(tiles),
        ),
    )


def _plot(
    setup: TileSetup, edge: Frontier, recipe: Recipe, tiles: tuple[KernelTile, ...], **size: int
) -> Plot:
    """All tiles by their sides: which fit, which kernels use, the paper's and the reader's own."""
    ticks, text = [(n, f"{n}") for n in range(0, MOST + 1, 128)], words()["fit"]
    made = Plot(
        Axis("Br, queries in a tile", 0, MOST, ticks, log=False),
        Axis("Bc, keys in a tile", 0, MOST, ticks, log=False),
        **{"right": 86, **size},
    )
    _plot_edge(made, edge)
    made.text(made.px(MOST) - 8, made.py(MOST) + 20, text["chart_over"], "alpha-text", "end", bold=True)
    made.text(made.px(8), made.py(8), text["chart_fits"], "ink", bold=True)
    _plot_kernels(made, tiles)
    for tile, hue, marked in (
        (recipe, "k", {"shape": "diamond", "label": text["chart_recipe"]}),
        (setup, "q", {"shape": "ring", "label": text["chart_yours"], "lift": 14}),
    ):
        if max(tile.block_q, tile.block_k) <= MOST:
            made.dot(tile.block_q, tile.block_k, hue, tip=f"{tile.block_q} × {tile.block_k}", **marked)
    return made


def _plot_edge(made: Plot, edge: Frontier) -> None:
    """The line of the largest tiles that fit; what lies above it is too large."""
    if not edge.tiles:
        return
    line = [(at.setup.block_q, at.setup.block_k) for at in edge.tiles]
    line.insert(0, (0, line[0][1]))
    if line[-1][0] < MOST:
        line.append((line[-1][0], 0))
    made.area_above([*line, (MOST, line[-1][1])], "alpha-soft")
    made.line(line, "accent", label="")


def _plot_kernels(made: Plot, tiles: tuple[KernelTile, ...]) -> None:
    """The tiles of real kernels, one mark for all kernels that use the same; one mark tells what they are."""
    users_of: dict[tuple[int, int], list[KernelTile]] = {}
    for tile in tiles:
        users_of.setdefault((tile.block_q, tile.block_k), []).append(tile)
    for (q, k), users in users_of.items():
        names = "; ".join(f"{tile.kernel} on {tile.devices} {tile.when}".strip() for tile in users)
        label = words()["fit"]["chart_kernels"] if (q, k) == max(users_of) else ""
        made.dot(q, k, "v", shape="square", size=5.5, tip=f"{q} × {k}: {names}", label=label)


def _largest(edge: Frontier) -> str:
    if edge.largest is None:
        said = [("bad", say("fit", "nothing", step=STEP))]
    else:
        at = edge.largest
        cells = at.setup.block_q * at.setup.block_k
        said = [
            (
                "",
                say(
                    "fit",
                    "largest",
                    bq=at.setup.block_q,
                    bk=at.setup.block_k,
                    cells=f"{cells:,}",
                    resident=at.resident,
                ),
            )
        ]
    return note(say("fit", "chart_assumes", step=STEP)) + statements(said)


def _larger(fit: Fit, device: Device, blocks: int) -> str:
    """Why the largest tile need not be the fastest, with the reader's own numbers."""
    said = []
    if fit.spills:
        said.append(
            (
                "bad",
                say("fit", "larger_spill", need=f"{fit.registers_per_thread:,}", limit=fit.register_limit),
            )
        )
    if fit.fits and fit.setup.block_q > 1:
        setup = fit.setup
        half = TileSetup(
            -(-setup.block_q // 2),
            setup.block_k,
            setup.d,
            bytes_per_element=setup.bytes_per_element,
            stages=setup.stages,
            warps=setup.warps,
            mode=setup.mode,
        )
        said.append(
            (
                "",
                say(
                    "fit",
                    "larger_resident",
                    resident=f"{fit.resident:,}",
                    half=f"{fit_tiles(half, device).resident:,}",
                ),
            )
        )
    if device.units is not None and blocks < device.units:
        said.append(("bad", say("fit", "larger_few", blocks=f"{blocks:,}", units=device.units)))
    wide, tall = SLOWER
    said.append(
        (
            "",
            say(
                "fit",
                "larger_measured",
                **SLOWER_AT,
                wide_q=wide.block_q,
                wide_k=wide.block_k,
                wide=wide.percent,
                tall_q=tall.block_q,
                tall_k=tall.block_k,
                tall=tall.percent,
                source=SLOWER_SOURCE,
            ),
        )
    )
    return heading(words()["fit"]["larger"]) + statements(said)


def _formulas(fit: Fit) -> list[str]:
    setup = fit.setup
    numbers = {
        "s": setup.bytes_per_element,
        "bq": f"{setup.block_q:,}",
        "bk": f"{setup.block_k:,}",
        "d": f"{setup.d:,}",
        "stages": setup.stages,
        "w": setup.working_bytes,
        "size": exact_bytes(fit.request.asked_bytes),
    }
    terms = ", ".join(f"{words()['fit'][f'by_{name}']} {bound:,}" for name, bound in fit.bounds)
    return [
        note(say("fit", f"formula_{setup.mode}", **numbers), "formula"),
        note(
            say("fit", "formula_resident", terms=terms, resident=f"{min(b for _, b in fit.bounds):,}"),
            "formula",
        ),
    ]
