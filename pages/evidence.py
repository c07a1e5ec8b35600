"""The byte model beside the papers' printed figures and our own measurements on a GPU."""

from ui.evidence.page import EVIDENCE
from ui.frame import begin

begin("evidence")
EVIDENCE.show()
