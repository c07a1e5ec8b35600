"""Our GPU measurements beside the byte model, shape by shape."""

from engine.units import binary_bytes, decimal_bytes
from lesson.evidence import TABLE_FILE, Calls, Measurement, load_provenance
from lesson.evidence_checks import Check, Topic, checks, pairs
from ui.calculator.html import note, statements, table
from ui.calculator.plot import Axis, Plot
from ui.calculator.sheet import Sheet, kept_sheet
from ui.evidence.papers import WORDS
from ui.evidence.units import NO_BREAK, both_units, milliseconds, times

CALLS: tuple[Calls, ...] = ("forward", "forward_backward")

__all__ = ["CALLS", "comparison", "provenance", "times_and_memory"]


@kept_sheet
def provenance(sheet: Sheet) -> None:
    """Device, versions, date, and the whole table to take away."""
    told = load_provenance()
    said = WORDS.say(
        "gpu", "provenance", device=told.device, driver=told.driver, libraries=told.libraries,
        profiler=told.profiler, date=told.date,
    )  # fmt: skip
    sheet.add(note(said, "formula"))
    sheet.take_away(WORDS.say("gpu", "download"), TABLE_FILE.name, TABLE_FILE.read_text(encoding="utf-8"))


def shape_name(row: Measurement) -> str:
    """Return a shape in words."""
    mask = WORDS.say("gpu", "causal" if row.causal else "full")
    words = "one_head" if row.heads == 1 else "shape"
    return WORDS.say("gpu", words, n=f"{row.n:,}", d=row.d, heads=row.heads, mask=mask)


def _short_name(row: Measurement) -> str:
    """A shape for the side of a chart."""
    mask = f" {WORDS.say('gpu', 'causal')}" if row.causal else ""
    return f"{row.n:,} · {row.d} · {row.heads}{mask}"


@kept_sheet
def comparison(sheet: Sheet, topic: Topic, calls: Calls) -> None:
    """What is compared with what: as a chart, as a table with reasons, and what these mean."""
    sheet.add(note(WORDS.say("questions", topic), "text"))
    _draw_chart(sheet, topic, calls)
    _draw_table(sheet, topic, calls)
    _draw_reasons(sheet, topic, calls)


def _draw_chart(sheet: Sheet, topic: Topic, calls: Calls) -> None:
    """Ratios of measured to model, plain and with what is known."""
    found = checks(topic, calls)
    corrected = any(check.corrections for check in found)
    highest = max(1.25, *(max(check.ratio, check.corrected_ratio) for check in found)) * 1.08
    names = [(float(len(found) - 1 - place), _short_name(check.row)) for place, check in enumerate(found)]

    def figure(**sizes: int) -> Plot:
        step = 0.5 if highest > 1.5 else 0.25
        marks = [step * k for k in range(int(highest / step) + 1)]
        plot = Plot(
            Axis(WORDS.say("gpu", "plot_x"), 0, highest, [(x, f"{x:g}") for x in marks], log=False),
            Axis("", -1.1, len(found) - 0.4, names, log=False),
            **{"height": 460, **sizes, "left": 160, "right": 24},
        )
        plot.upright(1.0, WORDS.say("gpu", "equal"), "muted")
        for check, (place, _) in zip(found, names, strict=True):
            tip = f"{shape_name(check.row)}: {times(check.ratio)}"
            if check.corrections:
                plot.line([(check.ratio, place), (check.corrected_ratio, place)], "muted", width=1.5)
                known = f"{tip}, {WORDS.say('gpu', 'known')} {times(check.corrected_ratio)}"
                plot.dot(check.ratio, place, "m", shape="square", size=4, tip=tip)
                plot.dot(check.corrected_ratio, place, "accent", size=5.5, tip=known)
            else:
                plot.dot(check.ratio, place, "m", shape="square", size=4, tip=tip)
        return plot

    sheet.add(_key(corrected))
    alt = WORDS.say(
        "gpu", "plot_alt",
        plain_low=times(min(c.ratio for c in found)), plain_high=times(max(c.ratio for c in found)),
        low=times(min(c.corrected_ratio for c in found)), high=times(max(c.corrected_ratio for c in found)),
    )  # fmt: skip
    sheet.figure(figure, alt=alt)


def _key(corrected: bool) -> str:
    signs = [("plain", "m", "■")] + ([("known", "accent", "●")] if corrected else [])
    items = "".join(
        f'<span style="white-space:nowrap"><span aria-hidden="true" style="color:var(--tw-{colour})">{sign}'
        f"</span> {WORDS.say('gpu', name)}</span>"
        for name, colour, sign in signs
    )
    return f'<p style="display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.92rem">{items}</p>'


def _draw_table(sheet: Sheet, topic: Topic, calls: Calls) -> None:
    """Bytes, ratios and reasons, shape by shape."""
    found = checks(topic, calls)
    corrected = any(check.corrections for check in found)
    names = ["shape", "measured", "model", "plain_ratio", *(["corrected_ratio"] if corrected else []), "why"]
    rows = []
    for check in found:
        ratios = [check.ratio, *([check.corrected_ratio] if corrected else [])]
        rows.append(
            [
                shape_name(check.row), both_units(check.measured_bytes), both_units(check.model_bytes),
                *map(times, ratios), _why(check),
            ]
        )  # fmt: skip
    caption = WORDS.say("gpu", "caption", direction=WORDS.say("directions", calls))
    head = [WORDS.say("columns", name) for name in names]
    sheet.add(table(caption, head, rows, words=(0, len(head) - 1)))


def _why(check: Check) -> str:
    """The reasons of one row, with their bytes where they have a number."""
    counted = [
        f"{WORDS.say('reasons', each.reason)} ({'+' if each.n_bytes >= 0 else '−'}"
        f"{decimal_bytes(abs(each.n_bytes), 1)})".replace(" MB", f"{NO_BREAK}MB").replace(
            " GB", f"{NO_BREAK}GB"
        )
        for each in check.corrections
    ]
    return "; ".join([*counted, *(WORDS.say("reasons", key) for key in check.reasons)]) or WORDS.say(
        "gpu", "none"
    )


def _draw_reasons(sheet: Sheet, topic: Topic, calls: Calls) -> None:
    """What the reasons in the table mean: only those that occur."""
    l2_bytes = load_provenance().l2_bytes
    l2 = f"{binary_bytes(l2_bytes)} ({decimal_bytes(l2_bytes)})"
    found: list[Check] = list(checks(topic, calls))
    keys = dict.fromkeys(key for check in found for key in check.all_reasons)
    said = [
        (
            "",
            f"{WORDS.say('reasons', key).capitalize() if not _is_name(key) else WORDS.say('reasons', key)}. "
            f"{WORDS.say('explained', key, l2=l2)}",
        )
        for key in keys
    ]
    sheet.add(f"<h3>{WORDS.say('gpu', 'reasons')}</h3>", statements(said))


def _is_name(key: str) -> bool:
    """Whether a reason begins with a name, whose letters stay as they are."""
    return key in ("l2_holds_scores", "l2_serves_mask", "float32_dq")


@kept_sheet
def times_and_memory(sheet: Sheet, calls: Calls) -> None:
    """Time, DRAM bytes and memory of both algorithms at the same shapes."""
    rows = [
        [
            shape_name(pair.standard), milliseconds(pair.standard.time_median_s),
            milliseconds(pair.fused.time_median_s), times(pair.faster), times(pair.fewer_bytes),
            both_units(pair.standard.peak_extra_bytes), both_units(pair.fused.peak_extra_bytes),
        ]
        for pair in pairs(calls)
    ]  # fmt: skip
    names = ("shape", "standard_time", "fused_time", "faster", "fewer", "standard_memory", "fused_memory")
    caption = WORDS.say("gpu", "time_caption", direction=WORDS.say("directions", calls))
    head = [WORDS.say("columns", name) for name in names]
    sheet.add(table(caption, head, rows), note(WORDS.say("gpu", "slower")))
