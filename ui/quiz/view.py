"""The question view as text, for pages that are not Streamlit's: it draws a question and reads an answer."""

from pathlib import Path

from ui.joiner import join_modules

FOLDER = Path(__file__).parent

VIEW_CSS = (FOLDER / "quiz_view.css").read_text(encoding="utf-8")
"""Its looks. They use the palette's custom properties (`ui.palette.css_variables`)."""


def view_module() -> str:
    """Return one ES module that exports `createQuestionView` and `fillWords`.

    Words: `lesson.words.load_words("quiz_player").table("answer")`. What it draws and what it hands back are
    described in `ui/quiz/README.md`.
    """
    return join_modules(FOLDER, "quiz_view.js", export_names=True)
