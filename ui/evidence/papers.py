"""FlashAttention's figure 2 and its memory table beside our arithmetic."""

from engine.footprint import TABLE_21_LONG, check_table_21
from engine.hardware import device_named
from engine.paper_checks import FIGURE_2_BLOCK, RunCheck, check_figure_2
from engine.paper_tables import TABLE_21
from lesson.words import load_words
from ui.calculator.html import statements, table
from ui.calculator.sheet import Sheet, kept_sheet
from ui.evidence.units import giga, times

WORDS = load_words("evidence")
A100 = device_named("a100-40")

__all__ = ["A100", "WORDS", "figure_two", "figure_two_says", "memory", "memory_forms"]


def _checks() -> dict[str, RunCheck]:
    return {check.printed.method: check for check in check_figure_2()}


def _products(check: RunCheck) -> int:
    """How many products of N × N × d a run makes, forward and backward."""
    run = check.printed
    return check.flops // (2 * run.n * run.n * run.d * run.heads * run.batch)


@kept_sheet
def figure_two(sheet: Sheet) -> None:
    """Bytes and FLOPs of figure 2, with ratio and kind."""
    checks, rows = _checks(), []
    for method, check in checks.items():
        formula = WORDS.say("figure_two", f"formula_{method}", block=FIGURE_2_BLOCK)
        for ours, kind in (
            (check.model_bytes, WORDS.say("figure_two", "pseudo", formula=formula)),
            (check.least_bytes, WORDS.say("figure_two", "least")),
        ):
            rows.append(
                [
                    WORDS.say("figure_two", f"{method}_bytes"), giga(check.printed.hbm_bytes, "B"),
                    giga(ours, "B", 2), times(check.printed.hbm_bytes / ours), kind,
                ]
            )  # fmt: skip
    for method, check in checks.items():
        rows.append(
            [
                WORDS.say("figure_two", f"{method}_flops"), giga(check.printed.flops_printed, "FLOP"),
                giga(check.flops, "FLOP"), times(1 / check.flops_factor),
                WORDS.say("figure_two", "flops", products=_products(check)),
            ]
        )  # fmt: skip
    source = checks["standard"].printed.source
    caption = WORDS.say("figure_two", "caption", source=source.title, place=source.place, date=source.date)
    head = [WORDS.say("columns", name) for name in ("what", "paper", "ours", "ratio", "kind")]
    sheet.add(table(caption, head, rows, words=(0, 4)))


@kept_sheet
def figure_two_says(sheet: Sheet) -> None:
    """What agrees in figure 2, what does not, and why."""
    checks = _checks()
    standard, flash = checks["standard"], checks["flash"]
    factors = {method: f"{times(check.flops_factor)} times" for method, check in checks.items()}
    seconds = standard.printed.hbm_bytes / A100.hbm_bytes_per_s
    tag = "quoted" if A100.tag == "quoted" else "printed"
    said = [
        ("same", WORDS.say("figure_two_says", "standard", ratio=times(standard.bytes_factor))),
        ("same", WORDS.say("figure_two_says", "flash", ratio=times(flash.bytes_factor))),
        (
            "good",
            WORDS.say(
                "figure_two_says", "bound",
                **{m: times(c.printed.hbm_bytes / c.least_bytes) for m, c in checks.items()},
            ),
        ),
        ("bad", WORDS.say("figure_two_says", "flops", **factors)),
        ("good", WORDS.say("figure_two_says", "more_flops", factor=times(flash.flops / standard.flops))),
        (
            "good",
            WORDS.say(
                "figure_two_says", "time", bandwidth=f"{A100.hbm_bytes_per_s / 1e9:,.0f}",
                tag=WORDS.say("kinds", tag), bytes=f"{standard.printed.hbm_bytes / 1e9:.1f}",
                ms=f"{seconds * 1000:.1f}", printed=f"{standard.printed.seconds * 1000:.1f}",
            ),
        ),
    ]  # fmt: skip
    sheet.add(statements(said))


@kept_sheet
def memory_forms(sheet: Sheet) -> None:
    """The two closed forms and the unit."""
    said = [
        ("", WORDS.say("memory", "standard")),
        ("", WORDS.say("memory", "flash", long=TABLE_21_LONG)),
        ("", WORDS.say("memory", "unit")),
    ]
    sheet.add(statements(said))


@kept_sheet
def memory(sheet: Sheet) -> None:
    """Table 21, cell by cell."""
    cells = {(check.n, check.method): check for check in check_table_21()}
    rows, equal, printed_cells = [], 0, 0
    for place, n in enumerate(TABLE_21.lengths):
        row = [f"{n:,}"]
        for method in ("standard", "flash"):
            check = cells[n, method]
            exact = check.computed_bytes % 2**20 == 0
            computed = f"{check.computed_bytes / 2**20:,.1f}".removesuffix(".0")
            if check.printed_mib is None:
                row += [WORDS.say("memory", "none"), computed]
                continue
            printed_cells += 1
            equal += check.equal
            verdict = ("yes" if exact else "cut") if check.equal else "no"
            row += [f"{check.printed_mib:,}", f"{computed} {WORDS.say('memory', verdict)}"]
        standard, flash = TABLE_21.standard_mib[place], TABLE_21.flash_mib[place]
        row.append(times(standard / flash) if standard and flash else "–")
        linformer = TABLE_21.linformer_mib[place]
        row.append(f"{linformer:,}" if linformer is not None else WORDS.say("memory", "none"))
        rows.append(row)
    source = TABLE_21.source
    caption = WORDS.say(
        "memory", "caption", batch=TABLE_21.batch, heads=TABLE_21.heads, d=TABLE_21.d, source=source.title,
        place=source.place, date=source.date,
    )  # fmt: skip
    names = (
        "tokens", "standard_printed", "standard_computed", "flash_printed", "flash_computed", "saving",
        "linformer",
    )  # fmt: skip
    total = WORDS.say("memory", "total", equal=equal, all=printed_cells)
    sheet.add(
        table(caption, [WORDS.say("columns", name) for name in names], rows),
        statements([("good" if equal == printed_cells else "bad", total)]),
    )
