"""The page that opens first: the lesson itself, section by section."""

from lesson.frames import place
from lesson.inputs import DEFAULT_KEY, load
from lesson.values import section_values
from ui.content import render_text
from ui.frame import begin, end
from ui.lesson.component import show_lesson
from ui.stage import show_stage


def draw_stage() -> None:
    """The stage on the default sentence, with the first block of scores on the chip."""
    given = load(DEFAULT_KEY)
    show_stage(
        given.q,
        given.k,
        given.v,
        key="home_stage",
        tokens=(given.tokens_q, given.tokens_k),
        step=place("score").step or 0,
        **given.options(),
    )


begin("home")
render_text(
    "home",
    slots={"stage": draw_stage, "lesson": show_lesson},
    values=section_values("home", "home"),
)
end("home")
