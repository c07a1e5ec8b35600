"""Exact, sparse and approximate attention side by side on one head, and what rounding does to each."""

from ui.exactness.lab import LAB
from ui.frame import begin

begin("exactness")
LAB.show()
