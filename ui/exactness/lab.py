"""The page's slots in order, with the choices that they share."""

from ui.exactness.maps import draw_maps
from ui.exactness.methods import draw_methods, draw_real, draw_rows
from ui.exactness.rounding import draw_counting, draw_rounding, draw_sums
from ui.exactness.settings import Asked, draw_settings

__all__ = ["Lab"]


class Lab:
    """What was asked. `settings` is drawn first; the other slots follow it."""

    asked: Asked
    count: int | None

    def settings(self) -> None:
        """Draw the menus."""
        self.asked = draw_settings()

    def maps(self) -> None:
        """Which pairs each method computes."""
        draw_maps(self.asked)

    def methods(self) -> None:
        """Pairs, FLOPs, bytes and differences."""
        draw_methods(self.asked)

    def rows(self) -> None:
        """Differences row by row."""
        draw_rows(self.asked)

    def real(self) -> None:
        """Costs at a real length."""
        draw_real(self.asked)

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
