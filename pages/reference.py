"""Glossary, notation, sources and licences."""

from ui.frame import begin
from ui.reference.page import REFERENCE

begin("reference")
REFERENCE.show()
