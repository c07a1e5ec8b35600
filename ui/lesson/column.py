"""The lesson's sentences as few elements: each element costs the server and the browser time."""

from dataclasses import dataclass
from functools import cache
from html import escape

from lesson.outline import load_outline
from lesson.plan import load_sections
from lesson.text import load_text
from lesson.values import section_values
from ui.frame import page_anchor

__all__ = ["Column", "Stretch", "lesson_column"]


@dataclass(frozen=True)
class Stretch:
    """Text that is one element: Markdown, or HTML."""

    text: str
    html: bool = False


@dataclass(frozen=True)
class Column:
    """The whole lesson.

    Attributes
    ----------
    stretches : tuple of Stretch
    places : tuple of dict
        For each section: in which stretch it starts (`starts`) and which heading of that stretch is its own
        (`heading`); in which it ends (`ends`), and before which heading of that stretch (`before`), None for
        the stretch's end. Counted from 0.
    """

    stretches: tuple[Stretch, ...]
    places: tuple[dict[str, int | None], ...]


def _pages_list() -> str:
    """Every other page with its summary."""
    links = [
        page_anchor(page, f"<b>{escape(page.label)}</b>: {escape(page.summary)}", page.icon)
        for page in load_outline().pages
        if page.key != "home"
    ]
    return f'<ul class="tw-pages">{"".join(f"<li>{link}</li>" for link in links)}</ul>'


# What stands between the sentences of a section, where its text has a place for it.
_SLOTS = {"next": _pages_list}


@cache
def lesson_column() -> Column:
    """Compose the sections. Once: nothing in them depends on the reader."""
    stretches: list[Stretch] = []
    places: list[dict[str, int | None]] = []
    markdown: list[str] = []
    headings = 0
    for section in load_sections():
        # The one before ends here, if it did not end with something that is no Markdown.
        if markdown and places:
            places[-1] |= {"ends": len(stretches), "before": headings}
        headings += 2 if section.part else 1
        places.append({"starts": len(stretches), "heading": headings - 1})
        markdown += (
            [f"## {section.part}", f"### {section.title}"] if section.part else [f"## {section.title}"]
        )
        name = f"lesson_{section.key}"
        for part in load_text(name).filled(section_values(section.key, name)).parts:
            if isinstance(part, str):
                markdown.append(part)
                continue
            stretches += [Stretch("\n\n".join(markdown)), Stretch(_SLOTS[part.name](), html=True)]
            markdown, headings = [], 0
            places[-1] |= {"ends": len(stretches) - 1, "before": None}
    if markdown:
        stretches.append(Stretch("\n\n".join(markdown)))
        places[-1] |= {"ends": len(stretches) - 1, "before": None}
    return Column(tuple(stretches), tuple(places))
