"""Part 2: the bytes that move, tensor by tensor, and what that says about the reader's own numbers."""

from fractions import Fraction

from engine.roofline import ledgers
from engine.shapes import AttentionShape
from engine.statements import BlockSide, Reason, Verdict, block_effect, verdict
from engine.traffic import Ledger, Traffic
from engine.units import binary_bytes, exact_bytes, format_bytes
from ui.calculator.controls import Values, shape_of
from ui.calculator.html import Card, Segment, bars, cards, heading, note, statements, table
from ui.calculator.ledger_chart import LETTER, SIDES, draw_chart
from ui.calculator.numbers import ratio
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
)
OTHER_SIDES = SIDES[::2] + SIDES[-1:]
# How the tensors are written, in the order in which they are listed.
SIGNS = {
    "q": "Q",
    "k": "K",
    "v": "V",
    "s": "S",
    "p": "P",
    "o": "O",
    "m": "m",
    "l": "l",
    "lse": "lse",
    "d_o": "dO",
    "delta": "D",
    "d_p": "dP",
    "d_s": "dS",
    "d_q": "dQ",
    "d_k": "dK",
    "d_v": "dV",
}

__all__ = ["CONTROLS", "SIGNS", "draw_ledger", "law_of", "other_side"]


def law_of(values: Values) -> tuple[str, str]:
    """How the limit of the saving and the break-even are written, for the loop order, pass and mask."""
    two = "2 · " if values["mask"] else ""
    if values["direction"] == "backward":
        return f"{two}7 · s · Bc / (4 · d · s + 2 · stat)", "(4 · d · s + 2 · stat) / (7 · s)" + (
            " / 2" if two else ""
        )
    if values["order"] == "kv_outer":
        return f"{two}4 · s · Bc / (3 · d · s + 4 · stat)", "(3 · d · s + 4 · stat) / (4 · s)" + (
            " / 2" if two else ""
        )
    return ("4 · Br / d", "d / 4") if two else ("2 · Br / d", "d / 2")


def draw_ledger(sheet: Sheet, values: Values, formulas: bool) -> None:
    """Draw the part from its controls' values."""
    shape, bq, bk = shape_of(values), values["bq"], values["bk"]
    options = {"order": values["order"], "direction": values["direction"]}
    books = ledgers(shape, bq, bk, **options)
    found = verdict(shape, bq, bk, **options)
    text, names = words()["ledger"], _names(values)
    sheet.add(
        cards(
            [
                _headline(found.saving.ratio),
                *(
                    Card(names[name][0], binary_bytes(book.total), exact_bytes(book.total))
                    for name, book in books.items()
                ),
            ]
        ),
        note(text["assumes"]),
        _bars(books, names),
        heading(text["your"]),
        statements(_say(values, shape, found)),
        *(_formulas(values, shape, books) if formulas else []),
    )
    draw_chart(sheet, values, shape, found)
    sheet.add(_ledger_table(books))
    take_away(
        sheet,
        "traffic",
        ("model", "tensor", "read_bytes", "written_bytes"),
        [
            (name, each, moved.read, moved.written)
            for name, book in books.items()
            for each, moved in _ordered(book)
        ],
    )


def _names(values: Values) -> dict[str, tuple[str, str]]:
    """What each model of the traffic is called, and in small what it stands for."""
    text = words()["ledger"]
    keys_outside = values["direction"] == "backward" or values["order"] == "kv_outer"
    order = "keys outside" if keys_outside else "queries outside"
    tiles = say("ledger", "tiled_sub", bq=f"{values['bq']:,}", bk=f"{values['bk']:,}", order=order)
    least = text["least_sub_backward" if values["direction"] == "backward" else "least_sub"]
    return {
        "standard": (text["standard"], text["standard_sub"]),
        "tiled": (text["tiled"], tiles),
        "compulsory": (text["least"], least),
    }


def _headline(share: Fraction) -> Card:
    """Which of the two moves fewer bytes, from standard / tiled."""
    text = words()["ledger"]
    if share > 1:
        return Card(
            text["wins_label"],
            say("ledger", "wins", ratio=ratio(share)),
            text["standard"] + " / " + text["tiled"].lower(),
            "good",
        )
    if share < 1:
        return Card(
            text["wins_label"],
            say("ledger", "loses", ratio=ratio(1 / share)),
            text["tiled"] + " / " + text["standard"].lower(),
            "bad",
        )
    return Card(text["wins_label"], text["same"])


def _bars(books: dict[str, Ledger], names: dict[str, tuple[str, str]]) -> str:
    """The models' bytes below each other, tensor by tensor."""
    rows = [
        (
            *names[name],
            [Segment(each, SIGNS[each], moved.read + moved.written) for each, moved in _ordered(book)],
        )
        for name, book in books.items()
    ]
    alt = say(
        "ledger",
        "bars_alt",
        standard=binary_bytes(books["standard"].total),
        tiled=binary_bytes(books["tiled"].total),
        least=binary_bytes(books["compulsory"].total),
    )
    return bars(rows, alt)


def _ordered(book: Ledger) -> list[tuple[str, Traffic]]:
    return [(name, book.by_tensor[name]) for name in SIGNS if name in book.by_tensor]


def _ledger_table(books: dict[str, Ledger]) -> str:
    text = words()["ledger"]
    names = [name for name in SIGNS if any(name in book.by_tensor for book in books.values())]
    rows = []
    for name in names:
        row = [SIGNS[name]]
        for book in books.values():
            moved = book.by_tensor.get(name)
            row += [f"{moved.read:,}", f"{moved.written:,}"] if moved else ["–", "–"]
        rows.append(row)
    total = ["all"]
    for book in books.values():
        total += [f"{book.read:,}", f"{book.written:,}"]
    kinds = (text["standard"], text["tiled"], text["least"])
    columns = ("tensor", *(f"{kind}, {way}" for kind in kinds for way in ("read", "written")))
    return table(text["table"], columns, [*rows, total], marked=(len(rows),))


def _say(values: Values, shape: AttentionShape, found: Verdict) -> list[tuple[str, str]]:
    """Sentences about these very numbers, each computed."""
    bytes_of, even = found.saving, found.break_even
    value = ratio(bytes_of.ratio)
    difference = format_bytes(abs(bytes_of.standard - bytes_of.tiled))
    if bytes_of.ratio > 1:
        said = [("good", say("ledger", "say_wins", ratio=value, saved=difference))]
    elif bytes_of.ratio < 1:
        said = [("bad", say("ledger", "say_loses", ratio=value, extra=difference))]
    else:
        said = [("same", words()["ledger"]["say_same"])]
    said += [("bad", _reason(reason, even.side)) for reason in found.reasons]
    limit_law, even_law = law_of(values)
    if bytes_of.limit is not None:
        said.append(("", say("ledger", "say_limit", law=limit_law, limit=ratio(bytes_of.limit), ratio=value)))
    side, have = LETTER[even.side], values["bq"] if even.side == "block_q" else values["bk"]
    law = {"side": side, "law": even_law, "value": ratio(even.law or 0)}
    if even.smallest is not None:
        said.append(("", say("ledger", "say_even", smallest=f"{even.smallest:,}", have=f"{have:,}", **law)))
    else:
        said.append(("", say("ledger", "say_never", searched=f"{even.searched:,}", **law)))
    said.append(other_side(values, shape, even.side))
    if bytes_of.tiled >= bytes_of.compulsory:
        said.append(("", say("ledger", "say_least", ratio=ratio(bytes_of.tiled / bytes_of.compulsory))))
    else:
        said.append(("", words()["ledger"]["say_below"]))
    if values["direction"] == "backward" and values["order"] == "q_outer":
        said.append(("same", words()["ledger"]["backward_order"]))
    said.append(("", words()["ledger"]["say_cache"]))
    return said


def other_side(values: Values, shape: AttentionShape, side: BlockSide) -> tuple[str, str]:
    """Whether the tile side that the law leaves out changes the bytes here: computed, not claimed."""
    other: BlockSide = "block_k" if side == "block_q" else "block_q"
    effect = block_effect(
        shape,
        values["bq"],
        values["bk"],
        other,
        OTHER_SIDES,
        order=values["order"],
        direction=values["direction"],
    )
    sizes = [n_bytes for _, n_bytes in effect.points]
    span = {"side": LETTER[other], "low": f"{SIDES[0]:,}", "high": f"{SIDES[-1]:,}"}
    if not effect.changes:
        return "same", say("ledger", "say_other_same", size=exact_bytes(sizes[0]), **span)
    why = words()["ledger"]["why_mask" if shape.causal else "why_ragged"]
    return "", say(
        "ledger",
        "say_other_changes",
        why=why,
        least=binary_bytes(min(sizes)),
        most=binary_bytes(max(sizes)),
        **span,
    )


def _reason(reason: Reason, side: BlockSide) -> str:
    if reason.code == "re_reads":
        have, need = format_bytes(int(reason.have)), format_bytes(int(reason.need))
    else:
        have, need = (f"{int(x):,}" if x.denominator == 1 else ratio(x) for x in (reason.have, reason.need))
    return say("ledger", reason.code, have=have, need=need, side=LETTER[side])


def _formulas(values: Values, shape: AttentionShape, books: dict[str, Ledger]) -> list[str]:
    """The closed forms with the numbers at hand."""
    bq, bk = min(values["bq"], shape.n_q), min(values["bk"], shape.n_k)
    numbers = {
        "n_q": f"{shape.n_q:,}",
        "n_k": f"{shape.n_k:,}",
        "d": f"{shape.d:,}",
        "s": shape.bytes_per_element,
        "copies": f"{shape.copies:,}",
    }
    terms = " + ".join(
        f"{SIGNS[name]} {moved.read + moved.written:,}" for name, moved in _ordered(books["tiled"])
    )
    return [
        note(
            say(
                "ledger",
                "formula_tiles",
                n_q=numbers["n_q"],
                n_k=numbers["n_k"],
                bq=f"{bq:,}",
                bk=f"{bk:,}",
                tr=f"{-(-shape.n_q // bq):,}",
                tc=f"{-(-shape.n_k // bk):,}",
                copies=numbers["copies"],
            ),
            "formula",
        ),
        note(
            say(
                "ledger",
                f"formula_standard_{values['direction']}",
                **numbers,
                size=exact_bytes(books["standard"].total),
            ),
            "formula",
        ),
        note(say("ledger", "formula_sum", terms=terms, size=exact_bytes(books["tiled"].total)), "formula"),
    ]
