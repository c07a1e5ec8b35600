"""Where the lesson's texts lie, and in which language they are read."""

from pathlib import Path

CONTENT = Path(__file__).with_name("content")
LANGUAGE = "en"

__all__ = ["CONTENT", "LANGUAGE"]
