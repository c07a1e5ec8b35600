"""The page's slots in order, with the choices that several of them share."""

from engine.io_bounds import IoBound
from lesson.evidence import Calls
from lesson.evidence_checks import Topic
from ui.evidence import gpu
from ui.evidence.growth import draw_fields, draw_growth

__all__ = ["Evidence"]


class Evidence:
    """What the reader asked. The menus and fields are drawn before what follows from them."""

    bound: IoBound | None
    topic: Topic
    calls: Calls

    def growth_fields(self) -> None:
        """Draw the fields of the order of growth."""
        self.bound = draw_fields()

    def growth(self) -> None:
        """Draw what follows from them; nothing where a number is impossible."""
        if self.bound is not None:
            draw_growth(self.bound)

    def gpu_menus(self) -> None:
        """Draw the menus of the measurements."""
        self.topic, self.calls = gpu.draw_menus()

    def gpu_checks(self) -> None:
        """What is compared with what, and what came out."""
        gpu.draw_checks(self.topic, self.calls)

    def gpu_time(self) -> None:
        """Time and memory of the same runs."""
        gpu.draw_time(self.calls)
