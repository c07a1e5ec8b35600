"""The page's slots in order, with the one comparison that they share."""

from engine.variants import Comparison
from lesson.inputs import Input, load
from ui.exactness.maps import draw_maps
from ui.exactness.methods import draw_methods, draw_real, draw_rows
from ui.exactness.rounding import draw_counting, draw_rounding, draw_sums
from ui.exactness.runs import compared, rounding_limit
from ui.exactness.settings import Asked, draw_settings

__all__ = ["Lab"]


class Lab:
    """What was asked and what came out. `settings` is drawn first; the other slots follow it."""

    asked: Asked
    given: Input
    result: Comparison
    count: int | None

    def settings(self) -> None:
        """Draw the menus, then run."""
        self.asked = draw_settings()
        self.given = load(self.asked.key)
        self.result = compared(self.asked.key, self.asked.settings, self.asked.storage)

    def maps(self) -> None:
        """Which pairs each method computes."""
        limit = rounding_limit(self.asked.key, self.asked.storage, self.asked.settings.causal)
        draw_maps(self.result, limit)

    def methods(self) -> None:
        """Pairs, FLOPs, bytes and differences."""
        draw_methods(self.asked, self.given, self.result)

    def rows(self) -> None:
        """Differences row by row."""
        draw_rows(self.given, self.result)

    def real(self) -> None:
        """Costs at a real length."""
        draw_real(self.given, self.asked)

    def rounding(self) -> None:
        """Errors by number format."""
        draw_rounding(self.asked)

    def sums(self) -> None:
        """Sums that stop growing."""
        self.count = draw_sums()

    def counting(self) -> None:
        """Attention whose row sum counts its keys; nothing where the count above is impossible."""
        if self.count is not None:
            draw_counting(self.count)
