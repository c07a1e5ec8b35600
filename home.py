"""The page that opens first, the lesson itself, section by section; and the start of every page's run."""

from lesson.values import section_values
from ui.content import render_text
from ui.frame import begin
from ui.lesson.component import show_lesson
from ui.lesson.first_stage import show_first_stage
from ui.routing import run_asked


def home() -> None:
    """Draw the lesson."""
    begin("home")
    render_text(
        "home",
        slots={"stage": show_first_stage, "lesson": show_lesson},
        values=section_values("home", "home"),
    )


run_asked(home)
