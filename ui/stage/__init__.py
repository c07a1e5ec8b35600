"""The trace player that runs in the browser, and its Python side."""

from ui.stage.component import run_left, show_stage

__all__ = ["run_left", "show_stage"]
