"""The question player in the browser: `show_quiz`, and the parts that a page without Streamlit needs."""

from ui.quiz.component import show_quiz
from ui.quiz.view import VIEW_CSS, view_module

__all__ = ["VIEW_CSS", "show_quiz", "view_module"]
