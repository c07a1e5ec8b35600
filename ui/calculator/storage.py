"""Part 1: what the score matrix takes if it is stored, and what stays when it is not."""

from html import escape

from engine.footprint import (
    Growth,
    growth,
    kv_cache_bytes,
    longest_square,
    score_storage,
    tensor_storage,
    weight_bytes,
)
from engine.hardware import DEVICES
from engine.models import MODELS
from engine.shapes import AttentionShape, pair_counts
from engine.traffic import stat_bytes
from engine.units import binary_bytes, decimal_bytes, exact_bytes, format_bytes
from ui.calculator.controls import Values, shape_of
from ui.calculator.hardware_table import hardware_table
from ui.calculator.html import Card, Segment, bars, cards, heading, note, pair, statements, table
from ui.calculator.numbers import ratio
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet
from ui.calculator.takeaway import take_away
from ui.calculator.words import say, words

CONTROLS = ("n_q", "n_k", "format", "heads", "batch", "d", "kv_heads", "mask", "layers", "model")
LENGTHS = tuple(2**power for power in range(7, 21))
# A few memories far enough apart to be told from each other; the table has them all.
LINES = ("t4", "rtx4090", "a100-40", "h100", "b200")

__all__ = ["CONTROLS", "draw_storage"]


def draw_storage(sheet: Sheet, values: Values, formulas: bool) -> None:
    """Draw the part from its controls' values."""
    shape = shape_of(values)
    sheet.add(_result(shape))
    _draw_pairs(sheet, shape)
    _draw_bars(sheet, shape, values, formulas)
    points = growth(shape, LENGTHS)
    _draw_growth(sheet, shape, points)
    take_away(
        sheet,
        "storage",
        ("length", "scores_bytes", "qkvo_bytes", "lse_bytes"),
        [(at.n, at.scores, at.tensors, at.lse) for at in points],
    )


def _result(shape: AttentionShape) -> str:
    """The size with its arithmetic, before anything else."""
    size = score_storage(shape).all_bytes
    factors = [
        f"{shape.n_q:,} {'query' if shape.n_q == 1 else 'queries'}",
        f"{shape.n_k:,} {'key' if shape.n_k == 1 else 'keys'}",
        exact_bytes(shape.bytes_per_element),
    ]
    # One head and one request are the formula's own terms; they are written only where there are more.
    factors += [f"{shape.heads:,} heads"] if shape.heads > 1 else []
    factors += [f"{shape.batch:,} requests"] if shape.batch > 1 else []
    rounded = decimal_bytes(size, 1)
    also = "" if rounded == decimal_bytes(size) else f", {rounded} to one decimal place"
    text = words()["storage"]
    return (
        f'<div class="twc-result"><div class="twc-label">{escape(text["title"])}</div>'
        f'<div class="twc-big" data-testid="result">{escape(binary_bytes(size))}</div>'
        f"<p>{escape(' × '.join(factors))} = <b>{escape(exact_bytes(size))}</b></p>"
        f"<p>That is <b>{escape(decimal_bytes(size))}</b>{escape(also)}.</p>"
        f"<p><small>{escape(text['assumes'])}</small></p></div>"
    )


def _draw_pairs(sheet: Sheet, shape: AttentionShape) -> None:
    """Allowed pairs apart from stored cells, and what stays."""
    stored = score_storage(shape)
    tensors = tensor_storage(shape)
    pairs = stored.pairs
    share = f"{100 * pairs.allowed / pairs.stored:.4g} %"
    items = [
        Card(
            words()["storage"]["allowed"],
            f"{pairs.allowed:,}",
            say("storage", "allowed_sub", share=share, stored=f"{pairs.stored:,}"),
        ),
        Card(
            words()["storage"]["unused"],
            binary_bytes(stored.all_bytes - stored.used_bytes),
            words()["storage"]["unused_sub"],
        ),
        Card(
            words()["storage"]["tensors"],
            binary_bytes(tensors.inputs_and_output),
            f"{exact_bytes(tensors.inputs_and_output)}; {words()['storage']['tensors_sub']}",
        ),
    ]
    if shape.copies > 1:
        items.insert(
            0,
            Card(
                words()["storage"]["one_head"],
                binary_bytes(stored.one_head_bytes),
                exact_bytes(stored.one_head_bytes),
            ),
        )
    sheet.add(cards(items), statements([("", text) for text in _about_pairs(shape)]))


def _about_pairs(shape: AttentionShape) -> list[str]:
    """Sentences about the mask and the lengths at hand."""
    pairs = shape.pairs
    said = []
    if shape.n_q == 1:
        size = format_bytes(score_storage(shape).all_bytes)
        said.append(say("storage", "decode", n_k=f"{shape.n_k:,}", size=size))
    if shape.causal is None:
        said.append(words()["storage"]["square"])
    elif shape.n_q == shape.n_k:
        said.append(
            say(
                "storage",
                "triangle",
                n=f"{shape.n_q:,}",
                n1=f"{shape.n_q + 1:,}",
                allowed=f"{pairs.allowed:,}",
                stored=f"{pairs.stored:,}",
            )
        )
    else:
        bottom = pair_counts(shape.n_q, shape.n_k, causal="bottom_right").allowed
        top = pair_counts(shape.n_q, shape.n_k, causal="top_left").allowed
        said.append(
            say(
                "storage",
                "offset",
                n_q=f"{shape.n_q:,}",
                n_k=f"{shape.n_k:,}",
                bottom=f"{bottom:,}",
                top=f"{top:,}",
            )
        )
        if shape.n_q > shape.n_k and shape.causal == "bottom_right":
            said.append(say("storage", "empty_rows", rows=f"{shape.n_q - shape.n_k:,}"))
    return said


def _draw_bars(sheet: Sheet, shape: AttentionShape, values: Values, formulas: bool) -> None:
    """Standard beside tiled: scores go, tensors and cache stay."""
    text = words()["storage"]
    scores, tensors = score_storage(shape).all_bytes, tensor_storage(shape)
    layers = values["layers"]
    cache = kv_cache_bytes(
        layers,
        shape.group_heads,
        shape.d,
        shape.n_k,
        batch=shape.batch,
        bytes_per_element=shape.bytes_per_element,
    )
    model = MODELS.get(values["model"])
    weights = weight_bytes(model.parameters, shape.bytes_per_element) if model else 0
    stay = [
        Segment("q", "Q", tensors.q),
        Segment("k", "K", tensors.k),
        Segment("v", "V", tensors.v),
        Segment("o", "O", tensors.o),
    ]
    kept = [Segment("k", "KV cache", cache, striped=True)]
    kept += [Segment("m", "weights", weights, striped=True)] if model else []
    standard = [Segment("s", "scores", scores), *stay, *kept]
    tiled = [Segment("lse", "lse", tensors.lse), *stay, *kept]
    rows = [("Standard", *(scores, 0)), ("Tiled", *(0, tensors.lse))]
    columns = ("algorithm", "scores", "lse", "Q", "K", "V", "O", "KV cache", *(("weights",) if model else ()))
    tail = [f"{size:,}" for size in (tensors.q, tensors.k, tensors.v, tensors.o, cache)]
    tail += [f"{weights:,}"] if model else []
    alt = say(
        "storage",
        "bars_alt",
        scores=binary_bytes(scores),
        tensors=binary_bytes(tensors.inputs_and_output),
        cache=binary_bytes(cache),
        lse=binary_bytes(tensors.lse),
    )
    said = [("same", say("storage", "cache_same", cache=format_bytes(cache)))]
    if model:
        said.append(("same", say("storage", "weights_same", model=model.name, weights=format_bytes(weights))))
    pieces = [
        heading(text["bars"]),
        bars(
            [
                ("Standard", binary_bytes(sum(each.size for each in standard)), standard),
                ("Tiled", binary_bytes(sum(each.size for each in tiled)), tiled),
            ],
            alt,
        ),
        statements(said),
        table(
            f"{text['bars_table']}, bytes",
            columns,
            [[name, f"{first:,}", f"{second:,}", *tail] for name, first, second in rows],
        ),
        note(say("storage", "bars_assumes", layers=f"{layers:,}", kv_heads=f"{shape.group_heads:,}")),
    ]
    if formulas:
        pieces += _formulas(shape, layers, cache)
    sheet.add(*pieces)


def _formulas(shape: AttentionShape, layers: int, cache: int) -> list[str]:
    """Every formula of the part with the numbers at hand."""
    tensors = tensor_storage(shape)
    numbers = {
        "n_q": f"{shape.n_q:,}",
        "n_k": f"{shape.n_k:,}",
        "s": shape.bytes_per_element,
        "heads": f"{shape.heads:,}",
        "batch": f"{shape.batch:,}",
        "d": f"{shape.d:,}",
        "kv_heads": f"{shape.group_heads:,}",
        "layers": f"{layers:,}",
        "stat": stat_bytes(shape.bytes_per_element),
    }
    sizes = {
        "formula_score": score_storage(shape).all_bytes,
        "formula_tensors": tensors.inputs_and_output,
        "formula_lse": tensors.lse,
        "formula_cache": cache,
    }
    return [
        note(say("storage", name, **numbers, size=exact_bytes(size)), "formula")
        for name, size in sizes.items()
    ]


def _growth_plot(shape: AttentionShape, points: tuple[Growth, ...], **sizes: int) -> Plot:
    low = min(at.lse for at in points) / 2
    high = max(max(at.scores for at in points), DEVICES["b200"].memory_bytes) * 2
    marks = [
        (1024**power, name)
        for power, name in enumerate(("1 B", "1 KiB", "1 MiB", "1 GiB", "1 TiB", "1 PiB", "1 EiB"))
    ]
    plot = Plot(
        Axis(
            "length n = T_query = T_key, positions",
            LENGTHS[0],
            LENGTHS[-1],
            [(n, f"{n:,}" if n < 2**20 else "2²⁰") for n in LENGTHS[1::4]],
        ),
        Axis("bytes", low, high, [each for each in marks if low <= each[0] <= high]),
        **sizes,
    )
    for key in LINES:
        plot.level(DEVICES[key].memory_bytes, DEVICES[key].name)
    plot.line([(at.n, at.lse) for at in points], "lse", dash="dot", label="lse")
    plot.line([(at.n, at.tensors) for at in points], "q", dash="dash", label="Q, K, V, O")
    plot.line([(at.n, at.scores) for at in points], "s", label="scores", width=3.2)
    here = max(LENGTHS[0], min(LENGTHS[-1], shape.n_k))
    if here == shape.n_k:
        at = growth(shape, (here,))[0]
        plot.dot(
            here,
            at.scores,
            "s",
            tip=f"{here:,}: {binary_bytes(at.scores)}",
            label=binary_bytes(at.scores),
            anchor="end",
            lift=6,
        )
        plot.dot(here, at.tensors, "q", shape="square", tip=f"{here:,}: {binary_bytes(at.tensors)}")
    return plot


def _draw_growth(sheet: Sheet, shape: AttentionShape, points: tuple[Growth, ...]) -> None:
    """Growth over the length, the memories of devices, and both as tables."""
    text = words()["storage"]
    last = points[-1]
    sheet.add(heading(text["growth"]))
    sheet.figure(
        lambda **sizes: _growth_plot(shape, points, **sizes),
        alt=say(
            "storage",
            "growth_alt",
            scores=binary_bytes(last.scores),
            n=f"{last.n:,}",
            tensors=binary_bytes(last.tensors),
        ),
    )
    rows = [
        [f"{at.n:,}", f"{at.scores:,}", f"{at.tensors:,}", ratio(at.scores / at.tensors)] for at in points
    ]
    fits = [
        [
            device.name,
            f"{device.memory_bytes:,}",
            f"{longest_square(device.memory_bytes, shape):,}",
            device.memory,
        ]
        for device in DEVICES.values()
    ]
    grown = ("length", "scores, bytes", "Q, K, V, O, bytes", "scores / tensors")
    memories = ("device", "memory, bytes", "longest n", "what that is")
    sheet.add(
        note(say("storage", "growth_assumes", heads=f"{shape.heads:,}", batch=f"{shape.batch:,}")),
        pair(
            table(text["growth_table"], grown, rows),
            table(text["devices_table"], memories, fits, words=(0, 3)),
        ),
    )
    sheet.add(hardware_table(words()["fit"]["devices"]))
