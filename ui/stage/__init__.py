"""The trace player that runs in the browser, and its Python side."""

from ui.stage.component import show_stage

__all__ = ["show_stage"]
