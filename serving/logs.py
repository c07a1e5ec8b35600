"""One line for each log record, a traceback included, so that whatever collects logs keeps it together."""

import logging
import traceback
from typing import Any

__all__ = ["one_line", "write_one_line_each"]


def one_line(text: str) -> str:
    """Return a text with its line breaks and other control characters written as escapes."""
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text)


class _OneLineRecord(logging.LogRecord):
    """A record whose message holds its traceback, both on one line."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.exc_info and self.exc_info[0] is not None:
            trace = "".join(traceback.format_exception(*self.exc_info)).strip()
            self.msg, self.args, self.exc_info = f"{self.getMessage()} | {trace}", None, None

    def getMessage(self) -> str:
        """Return the message on one line."""
        return one_line(super().getMessage())


def write_one_line_each() -> None:
    """Let every record from now on, whoever logs it, fit one line."""
    logging.setLogRecordFactory(_OneLineRecord)
