"""The paper's recipe for tiles and its order of growth, and the tiles of real kernels beside them."""

from engine.hardware import Device
from engine.io_bounds import Recipe, io_complexity
from engine.kernel_tiles import KernelTile
from engine.tile_fit import TileSetup
from engine.units import exact_bytes
from ui.calculator.controls import Values
from ui.calculator.html import heading, statements, table
from ui.calculator.words import say, words

__all__ = ["kernels_table", "recipe_about"]


def recipe_about(values: Values, device: Device, recipe: Recipe) -> str:
    """The paper's recipe and order of growth, with their domain and their usual misreading."""
    bound = io_complexity(values["n_q"], recipe.d, recipe.elements)
    low, high = bound.domain
    over = {"tiles": f"{recipe.tile_elements:,}", "scores": f"{recipe.score_elements:,}"}
    said = [
        (
            "",
            say(
                "fit",
                "recipe_text",
                bytes=exact_bytes(device.shared_bytes_per_block or 0),
                format=values["format"],
                elements=f"{recipe.elements:,}",
                four_d=f"{4 * recipe.d:,}",
                bc=f"{recipe.block_k:,}",
                br=f"{recipe.block_q:,}",
                d=f"{recipe.d:,}",
            ),
        ),
        ("bad", say("fit", "recipe_slip", wrong=f"{recipe.wrong_block_k:,}")),
        (
            "",
            say("fit", "recipe_under", **over)
            if recipe.fits_literally
            else say("fit", "recipe_over", **over, over=f"{recipe.over_elements:,}"),
        ),
        ("", say("fit", "io", standard=f"{bound.standard:,}", tiled=f"{round(bound.tiled):,}")),
    ]
    if not bound.in_domain:
        name = "io_clamped" if bound.clamped else "io_outside"
        said.append(
            (
                "bad",
                say(
                    "fit",
                    name,
                    raw=f"{round(bound.raw_tiled):,}",
                    least=f"{bound.least:,}",
                    low=f"{low:,}",
                    high=f"{high:,}",
                ),
            )
        )
    return heading(words()["fit"]["recipe"]) + statements(said)


def kernels_table(setup: TileSetup, tiles: tuple[KernelTile, ...], device: Device) -> str:
    """Return the tiles that real kernels use for this head size, each with its source."""
    rows = []
    for tile in tiles:
        size = tile.shared_bytes
        rows.append(
            [
                tile.kernel,
                f"{tile.block_q} × {tile.block_k}",
                f"{size:,}",
                "yes" if size <= (device.shared_bytes_per_block or 0) else "no",
                "–" if tile.warps is None else f"{tile.warps}",
                f"{tile.devices}{'; ' if tile.when else ''}{tile.when}",
                f"{tile.source}, {tile.file}",
                tile.date,
            ]
        )
    columns = (
        "kernel",
        "Br × Bc",
        "Q, K, V tiles, bytes",
        "within this limit",
        "warps",
        "where",
        "source",
        "read",
    )
    return table(words()["fit"]["kernels"] + f" (d = {setup.d:,})", columns, rows, words=(0, 5, 6, 7))
