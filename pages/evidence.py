"""The byte model beside the papers' printed figures and our own measurements on a GPU."""

from engine.paper_tables import FIGURE_2, TABLE_21
from lesson.evidence import load_measurements, load_provenance
from lesson.glossary import term_values
from lesson.links import link_values
from lesson.text import load_text
from ui.content import render_text
from ui.evidence.errata import draw_errata, draw_errata_run
from ui.evidence.gpu import MENUS, draw_provenance
from ui.evidence.growth import FIELDS
from ui.evidence.page import Evidence
from ui.evidence.papers import draw_figure_two, draw_figure_two_says, draw_memory, draw_memory_forms
from ui.frame import begin, end
from ui.menus import take_address

begin("evidence")
take_address("ev_", MENUS, tuple(field.name for field in FIELDS.values()))
page = Evidence()
shape = FIGURE_2[0]
render_text(
    "evidence",
    slots={
        "figure_two": draw_figure_two,
        "figure_two_says": draw_figure_two_says,
        "memory_forms": draw_memory_forms,
        "memory": draw_memory,
        "growth_fields": page.growth_fields,
        "growth": page.growth,
        "provenance": draw_provenance,
        "gpu_menus": page.gpu_menus,
        "gpu_checks": page.gpu_checks,
        "gpu_time": page.gpu_time,
        "errata": draw_errata,
        "errata_run": draw_errata_run,
    },
    values={
        **link_values(load_text("evidence").values),
        **term_values(load_text("evidence").values),
        "batch": str(shape.batch),
        "heads": str(shape.heads),
        "n": f"{shape.n:,}",
        "d": str(shape.d),
        "table_name": TABLE_21.source.place.split(", ")[1].capitalize(),
        "lengths": str(len(TABLE_21.lengths)),
        "shapes": str(len({row.shape for row in load_measurements()})),
        "command": load_provenance().command,
    },
)
end("evidence")
