"""How large the matrix of scores would be if it were stored: M_score = T_query · T_key · s."""

from dataclasses import dataclass

import streamlit as st

from engine import score_matrix_bytes
from engine.precision import FORMATS
from engine.units import binary_bytes, decimal_bytes, exact_bytes, parse_count
from ui.address import report_unknown_choice, report_unknown_names
from ui.content import READING_WIDTH, render_text
from ui.frame import begin, end

# Bytes of one stored score. The engine's formats, and the 8-bit floats that it does not compute in.
BYTES_OF_FORMAT = {name: fmt.bytes_per_element for name, fmt in FORMATS.items()} | {"float8": 1}
DEFAULT_FORMAT = "float16"


@dataclass(frozen=True)
class CountField:
    """A field for a whole number, and its limits."""

    key: str
    label: str
    default: str
    highest: int
    help: str


FIELDS = {
    "n_q": CountField(
        "calc_n_q", "Queries, T_query", "4096", 10**9, "How many positions ask. Also written n_q."
    ),
    "n_k": CountField(
        "calc_n_k", "Keys, T_key", "4096", 10**9, "How many positions are asked. Also written n_k."
    ),
    "heads": CountField("calc_heads", "Heads", "1", 10**4, "Query heads whose matrices are stored together."),
    "batch": CountField("calc_batch", "Requests", "1", 10**4, "Requests whose matrices are stored together."),
}
FORMAT_KEY = "calc_format"


def read_inputs() -> dict[str, int | None]:
    """Draw all fields and return their numbers; None, with a message, where there is no possible number."""
    report_unknown_names("calc_", {field.key for field in FIELDS.values()} | {FORMAT_KEY})
    report_unknown_choice(FORMAT_KEY, BYTES_OF_FORMAT, DEFAULT_FORMAT)
    queries, keys, formats, heads, requests = st.columns([3, 3, 3, 2, 2])
    places = {"n_q": queries, "n_k": keys, "heads": heads, "batch": requests}
    numbers: dict[str, int | None] = {}
    messages: list[str] = []
    for name, field in FIELDS.items():
        typed = places[name].text_input(
            field.label, field.default, key=field.key, bind="query-params", help=field.help, max_chars=60
        )
        try:
            numbers[name] = parse_count(typed, name=field.label, lowest=1, highest=field.highest)
        except ValueError as error:
            numbers[name] = None
            messages.append(str(error))
    chosen = formats.selectbox(
        "Number format, s",
        list(BYTES_OF_FORMAT),
        index=list(BYTES_OF_FORMAT).index(DEFAULT_FORMAT),
        key=FORMAT_KEY,
        bind="query-params",
        help="; ".join(f"{name}: {exact_bytes(size)}" for name, size in BYTES_OF_FORMAT.items()),
    )
    numbers["s"] = BYTES_OF_FORMAT[chosen]
    for message in messages:
        st.error(message, icon=":material/error:")
    return numbers


def draw_result(numbers: dict[str, int | None]) -> None:
    """Draw the size with its arithmetic, or say what is missing."""
    known = {name: number for name, number in numbers.items() if number is not None}
    if len(known) < len(numbers):
        st.info("Correct the field named above to see the size.", icon=":material/info:")
        return
    size = score_matrix_bytes(
        known["n_q"], known["n_k"], known["s"], heads=known["heads"], batch=known["batch"]
    )
    factors = [
        f"{known['n_q']:,} {'query' if known['n_q'] == 1 else 'queries'}",
        f"{known['n_k']:,} {'key' if known['n_k'] == 1 else 'keys'}",
        exact_bytes(known["s"]),
    ]
    # One head and one request are the formula's own terms; they are written only where there are more.
    factors += [f"{known['heads']:,} heads"] if known["heads"] > 1 else []
    factors += [f"{known['batch']:,} requests"] if known["batch"] > 1 else []
    with st.container(border=True):
        st.metric("Matrix of scores, if it is stored", binary_bytes(size))
        st.markdown(f"That is **{decimal_bytes(size)}**.")
        st.markdown(f"{' × '.join(factors)} = **{exact_bytes(size)}**")


def draw_symbols() -> None:
    """The symbols with their meaning and unit."""
    with st.container(width=READING_WIDTH):
        st.markdown(
            "| symbol | meaning | unit |\n|---|---|---|\n"
            r"| $M_{\mathrm{score}}$ | size of one dense matrix of scores | bytes |" + "\n"
            r"| $T_{\mathrm{query}}$ | number of query positions | positions |" + "\n"
            r"| $T_{\mathrm{key}}$ | number of key positions | positions |" + "\n"
            r"| $s$ | bytes that one stored score takes | bytes / score |"
        )


begin("calculator")
state: dict[str, int | None] = {}
render_text(
    "calculator",
    slots={
        "inputs": lambda: state.update(read_inputs()),
        "result": lambda: draw_result(state),
        "symbols": draw_symbols,
    },
)
end("calculator")
