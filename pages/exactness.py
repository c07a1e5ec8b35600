"""Exact, sparse and approximate attention side by side on one head, and what rounding does to each."""

from lesson.glossary import term_values
from lesson.text import load_text
from ui.content import render_text
from ui.exactness.lab import Lab
from ui.exactness.runs import REAL_BLOCK, REAL_FORMAT, REAL_N, stall
from ui.exactness.settings import take_page_address
from ui.frame import begin, end

begin("exactness")
take_page_address()
lab = Lab()
render_text(
    "exactness",
    slots={
        "settings": lab.settings,
        "maps": lab.maps,
        "methods": lab.methods,
        "rows": lab.rows,
        "real": lab.real,
        "rounding": lab.rounding,
        "sums": lab.sums,
        "counting": lab.counting,
    },
    values={
        **term_values(load_text("exactness").values),
        "real_n": f"{REAL_N:,}",
        "real_block": str(REAL_BLOCK),
        "real_format": REAL_FORMAT,
        "stall_half": f"{stall('float16'):,.0f}",
        "stall_bfloat": f"{stall('bfloat16'):,.0f}",
    },
)
end("exactness")
