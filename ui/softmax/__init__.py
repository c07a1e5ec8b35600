"""The one-row softmax player that runs in the browser, and its Python side."""

from ui.softmax.component import ROW_NAME, show_row, typed_row

__all__ = ["ROW_NAME", "show_row", "typed_row"]
