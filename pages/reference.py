"""Glossary, notation, sources and licences."""

from ui.address import report_unknown_names
from ui.content import render_text
from ui.frame import begin
from ui.reference.parts import FILTER_NAME, draw_glossary, draw_licences, draw_notation, draw_sources

begin("reference")
report_unknown_names("ref_", {FILTER_NAME})
render_text(
    "reference",
    slots={
        "glossary": draw_glossary,
        "notation": draw_notation,
        "sources": draw_sources,
        "licences": draw_licences,
    },
)
