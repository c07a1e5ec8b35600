"""Part 4: FLOPs, intensity and the roofline. A bound with its assumptions, never a time."""

from engine.roofline import ASSUMPTIONS, Dot, Roofline, attention_flops, roofline
from engine.shapes import AttentionShape
from engine.statements import deciding_side
from engine.units import exact_bytes
from ui.calculator.controls import Values, device_of, shape_of
from ui.calculator.hardware_table import hardware_table
from ui.calculator.html import Card, cards, heading, note, statements, table
from ui.calculator.ledger import other_side
from ui.calculator.numbers import ratio, scaled
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet
from ui.calculator.takeaway import take_away
from ui.calculator.words import say, words

CONTROLS = (
    "n_q",
    "n_k",
    "format",
    "heads",
    "batch",
    "d",
    "kv_heads",
    "mask",
    "bq",
    "bk",
    "order",
    "direction",
    "device",
    "bandwidth",
    "rate",
)
NAMES = {"standard": "standard", "tiled": "tiled", "compulsory": "each tensor once"}
MARKS = {"standard": ("s", "square"), "tiled": ("q", "circle"), "compulsory": ("m", "diamond")}

__all__ = ["CONTROLS", "draw_roofline"]


def draw_roofline(sheet: Sheet, values: Values, formulas: bool) -> None:
    """Draw the part from its controls' values."""
    shape, device = shape_of(values), device_of(values)
    roof = roofline(
        shape, device, values["bq"], values["bk"], order=values["order"], direction=values["direction"]
    )
    text = words()["roofline"]
    standard, tiled = roof.dot("standard"), roof.dot("tiled")
    same = standard.flops == tiled.flops
    sub = text["flops_same"] if same else say("roofline", "flops_sub", tiled=scaled(tiled.flops, "FLOP", 2))
    sheet.add(
        cards(
            [
                Card(
                    say("roofline", "flops", direction=values["direction"]),
                    scaled(standard.flops, "FLOP", 2),
                    sub,
                ),
                _intensity(standard),
                _intensity(tiled, say("roofline", "tiles", bq=f"{values['bq']:,}", bk=f"{values['bk']:,}")),
                Card(
                    say("roofline", "ridge", device=device.name),
                    f"{device.ridge:.0f}",
                    say(
                        "roofline",
                        "ridge_sub",
                        flops=scaled(device.flops_per_s, "FLOP/s"),
                        bytes=scaled(device.hbm_bytes_per_s, "B/s", 3),
                    ),
                ),
            ]
        ),
        note(say("roofline", "assumes", assumptions="; ".join(ASSUMPTIONS))),
        statements(_say(roof, shape, values)),
        *(_formulas(values, shape, roof) if formulas else []),
    )
    _draw_chart(sheet, roof)
    rows = [
        [
            NAMES[dot.name],
            f"{dot.flops:,}",
            f"{dot.n_bytes:,}",
            ratio(dot.intensity),
            text[dot.side],
            scaled(dot.bound_flops_per_s, "FLOP/s"),
        ]
        for dot in roof.dots
    ]
    columns = ("algorithm", "FLOP", "bytes", "FLOP per byte", "side", "bound")
    sheet.add(table(text["chart_table"], columns, rows, words=(0, 4)))
    sheet.add(hardware_table(words()["fit"]["devices"]))
    take_away(
        sheet,
        "roofline",
        ("algorithm", "flop", "bytes", "flop_per_byte", "side", "bound_flop_per_s"),
        [
            (dot.name, dot.flops, dot.n_bytes, dot.intensity, dot.side, dot.bound_flops_per_s)
            for dot in roof.dots
        ],
    )


def _intensity(dot: Dot, tiles: str = "") -> Card:
    text = words()["roofline"]
    return Card(
        say("roofline", "intensity", name=NAMES[dot.name]),
        ratio(dot.intensity),
        say("roofline", "intensity_sub", side=text[dot.side], tiles=tiles),
        "good" if dot.side == "compute" else "",
    )


def _say(roof: Roofline, shape: AttentionShape, values: Values) -> list[tuple[str, str]]:
    standard, tiled = roof.dot("standard"), roof.dot("tiled")
    at = {"standard": ratio(standard.intensity), "tiled": ratio(tiled.intensity)}
    moves = tiled.intensity > standard.intensity
    said = [("good", say("roofline", "right", **at)) if moves else ("bad", say("roofline", "left", **at))]
    said.append(
        (
            "",
            words()["roofline"][
                "stays" if standard.side == tiled.side else "crosses" if moves else "crosses_back"
            ],
        )
    )
    if tiled.flops > standard.flops:
        both = {"standard": f"{standard.flops:,} FLOP", "tiled": f"{tiled.flops:,} FLOP"}
        said.append(("", say("roofline", "recompute", **both)))
    said.append(("same", words()["roofline"]["quadratic"]))
    bounds = {dot.name: scaled(dot.bound_flops_per_s, "FLOP/s") for dot in (standard, tiled)}
    said.append(("", say("roofline", "bound", **bounds)))
    said.append(other_side(values, shape, deciding_side(values["order"], values["direction"])))
    return said


def _draw_chart(sheet: Sheet, roof: Roofline) -> None:
    device, values = roof.device, [dot.intensity for dot in roof.dots]
    low = 10.0 ** _floor(min(*values, device.ridge / 10))
    high = 10.0 ** (_floor(max(*values, device.ridge * 4)) + 1)

    def plot(**size: int) -> Plot:
        top = device.flops_per_s * 3
        bottom = low * device.hbm_bytes_per_s
        made = Plot(
            Axis("intensity, FLOP per byte", low, high, _ticks(low, high, "")),
            Axis("rate, FLOP/s", bottom, top, _ticks(bottom, top, "FLOP/s")),
            **{"right": 40, **size, "left": 104},
        )
        roof_line = [
            (low, low * device.hbm_bytes_per_s),
            (device.ridge, device.flops_per_s),
            (high, device.flops_per_s),
        ]
        made.line(roof_line, "ink", width=3)
        made.upright(device.ridge, f"ridge {device.ridge:.0f}")
        for number, dot in enumerate(roof.dots):
            hue, shape = MARKS[dot.name]
            made.dot(
                dot.intensity,
                dot.bound_flops_per_s,
                hue,
                shape=shape,
                size=8,
                tip=f"{NAMES[dot.name]}: {dot.intensity:.2f} FLOP/B",
                label=NAMES[dot.name],
                lift=-20 - 17 * number,
                anchor="start" if dot.intensity < device.ridge else "middle",
            )
        return made

    sheet.add(heading(words()["roofline"]["chart"]))
    sheet.figure(
        plot,
        alt=say(
            "roofline",
            "chart_alt",
            device=device.name,
            ridge=f"{device.ridge:.0f}",
            **{dot.name: ratio(dot.intensity) for dot in roof.dots},
        ),
    )


def _floor(value: float) -> int:
    """The power of ten at or below a value."""
    return int(f"{value:e}".split("e")[1])


def _ticks(low: float, high: float, unit: str) -> list[tuple[float, str]]:
    """Powers of ten, with 2 and 5 between them where there would be fewer than three."""
    powers = range(_floor(low), _floor(high) + 2)
    for steps in ((1,), (1, 2, 5)):
        found = [
            float(step * 10**power) if power >= 0 else step * 10.0**power
            for power in powers
            for step in steps
        ]
        found = [value for value in found if low <= value <= high]
        if len(found) > 2:
            break
    return [(value, scaled(value, unit) if unit else _power(value)) for value in found]


def _formulas(values: Values, shape: AttentionShape, roof: Roofline) -> list[str]:
    standard, tiled = roof.dot("standard"), roof.dot("tiled")
    return [
        note(
            say(
                "roofline",
                "formula_flops",
                pairs=f"{shape.pairs.allowed:,}",
                d=f"{shape.d:,}",
                heads=f"{shape.heads:,}",
                batch=f"{shape.batch:,}",
                forward=f"{attention_flops(shape):,}",
                backward=f"{attention_flops(shape, 'backward'):,}",
            ),
            "formula",
        ),
        note(
            say(
                "roofline",
                "formula_intensity",
                f_standard=f"{standard.flops:,}",
                b_standard=exact_bytes(standard.n_bytes),
                i_standard=ratio(standard.intensity),
                f_tiled=f"{tiled.flops:,}",
                b_tiled=exact_bytes(tiled.n_bytes),
                i_tiled=ratio(tiled.intensity),
            ),
            "formula",
        ),
    ]


def _power(value: float) -> str:
    """A power of ten as it is read best: 0.01, 1,000, 10⁶."""
    power = _floor(value)
    return (
        f"{value:,g}" if power < 6 else "10" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    )
