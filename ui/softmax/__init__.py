"""The one-row softmax player that runs in the browser, and its Python side."""

from ui.softmax.component import show_row

__all__ = ["show_row"]
