"""A small plot as SVG text: axes, lines, dots and levels. Knows nothing of attention.

Why not a chart library: building and checking one figure there costs more than a whole rerun may cost here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import log10
from typing import Literal

__all__ = ["Axis", "Plot"]

Anchor = Literal["start", "middle", "end"]
TEXT = 13.5
LINE = 15.0
DASHES = {"solid": "", "dash": "7 4", "dot": "2 4", "long": "12 4 2 4"}


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    title : str
    low, high : float
        Ends. On a logarithmic axis both are above 0.
    ticks : sequence of (float, str)
    log : bool
    """

    title: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    log: bool = True

    def place(self, value: float) -> float:
        """Return where a value lies, 0 to 1, held inside the axis."""
        if self.log:
            low, high, at = log10(self.low), log10(self.high), log10(max(value, self.low))
        else:
            low, high, at = self.low, self.high, value
        return min(1.0, max(0.0, (at - low) / (high - low)))


@dataclass
class Plot:
    """A plot of a given size; parts are added, then `svg` gives the text.

    Attributes
    ----------
    x, y : Axis
    width, height : int
        Of the drawing's own units; the page scales it.
    left, right : int
        Room for the tick labels, and for labels at the ends of lines.
    """

    x: Axis
    y: Axis
    width: int = 760
    height: int = 400
    left: int = 74
    right: int = 120
    _under: list[str] = field(default_factory=list)
    _over: list[str] = field(default_factory=list)
    _ends: list[tuple[float, str, str]] = field(default_factory=list)

    top = 16
    bottom = 50

    def px(self, value: float) -> float:
        """Return the horizontal place of a value."""
        return self.left + self.x.place(value) * (self.width - self.left - self.right)

    def py(self, value: float) -> float:
        """Return the vertical place of a value."""
        return self.height - self.bottom - self.y.place(value) * (self.height - self.top - self.bottom)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        *,
        dash: str = "solid",
        label: str = "",
        width: float = 2.5,
    ) -> None:
        """Add a line, with its name at its right end."""
        path = " ".join(f"{self.px(a):.1f},{self.py(b):.1f}" for a, b in points)
        self._under.append(
            f'<polyline points="{path}" fill="none" stroke="var(--tw-{colour})" stroke-width="{width}"'
            f' stroke-dasharray="{DASHES[dash]}" stroke-linejoin="round"/>'
        )
        if label:
            self._ends.append((self.py(points[-1][1]), label, f"var(--tw-{_text(colour)})"))

    def area_above(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """Fill what lies above a line."""
        edge = " ".join(f"{self.px(a):.1f},{self.py(b):.1f}" for a, b in points)
        first, last = self.px(points[0][0]), self.px(points[-1][0])
        self._under.append(
            f'<polygon points="{first:.1f},{self.top} {edge} {last:.1f},{self.top}" '
            f'fill="var(--tw-{colour})" opacity=".55"/>'
        )

    def level(self, value: float, label: str, colour: str = "muted") -> None:
        """Add a thin level across, named at the right."""
        at = self.py(value)
        self._under.append(
            f'<line x1="{self.left}" x2="{self.width - self.right}" y1="{at:.1f}" y2="{at:.1f}" '
            f'stroke="var(--tw-{colour})" stroke-dasharray="3 4" stroke-width="1.2"/>'
        )
        self._ends.append((at, label, f"var(--tw-{_text(colour)})"))

    def upright(self, value: float, label: str, colour: str = "ink") -> None:
        """Add a vertical line, named at its foot."""
        at = self.px(value)
        near_end = at > self.width - self.right - 90
        self._under.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{self.top}" y2="{self.height - self.bottom}" '
            f'stroke="var(--tw-{colour})" stroke-dasharray="2 3" stroke-width="1.4"/>'
        )
        self.text(
            at + (-5 if near_end else 5),
            self.height - self.bottom - 7,
            label,
            colour,
            "end" if near_end else "start",
        )

    def dot(
        self,
        x: float,
        y: float,
        colour: str,
        *,
        shape: str = "circle",
        tip: str = "",
        label: str = "",
        size: float = 6.5,
        anchor: Anchor = "start",
        lift: float = 0,
    ) -> None:
        """Add a mark: a circle, a square, a diamond or a ring; ``tip`` shows on hover, ``label`` always."""
        a, b = self.px(x), self.py(y)
        self._over.append(_mark(shape, a, b, size, f"var(--tw-{colour})", tip))
        if label:
            side = {"start": size + 6, "end": -size - 6, "middle": 0}[anchor]
            self.text(a + side, b + 4.5 - lift, label, _text(colour), anchor, bold=True)

    def text(
        self,
        a: float,
        b: float,
        words: str,
        colour: str = "ink",
        anchor: Anchor = "start",
        *,
        bold: bool = False,
    ) -> None:
        """Add words at a place of the drawing, with a halo so that lines below do not cut them."""
        weight = ' font-weight="650"' if bold else ""
        self._over.append(
            f'<text x="{a:.1f}" y="{b:.1f}" text-anchor="{anchor}" fill="var(--tw-{colour})"{weight}>'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        """Return the whole drawing."""
        floor, right = self.height - self.bottom, self.width - self.right
        grid = []
        for value, label in self.y.ticks:
            at = self.py(value)
            grid.append(f'<line class="g" x1="{self.left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>')
            grid.append(_words("t", f'x="{self.left - 8}" y="{at + 4:.1f}"', label, "end"))
        for value, label in self.x.ticks:
            at = self.px(value)
            grid.append(f'<line class="g" x1="{at:.1f}" x2="{at:.1f}" y1="{self.top}" y2="{floor}"/>')
            grid.append(_words("t", f'x="{at:.1f}" y="{floor + 18}"', label))
        middle, up = (self.left + right) / 2, (self.top + floor) / 2
        grid.append(_words("a", f'x="{middle:.0f}" y="{self.height - 8}"', self.x.title))
        grid.append(_words("a", f'transform="translate(14 {up:.0f}) rotate(-90)"', self.y.title))
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" font-size="{TEXT}" aria-hidden="true">'
            + "".join(grid + self._under + self._over + self._end_labels())
            + "</svg>"
        )

    def _end_labels(self) -> list[str]:
        """Names at the right, moved apart where they would overlap, with a thread to where they belong."""
        ends = sorted(self._ends)
        places: list[float] = []
        for at, _, _ in ends:
            places.append(max(at, places[-1] + LINE) if places else at)
        over = places[-1] - (self.height - self.bottom + 4) if places else 0
        for number in range(len(places) - 1, -1, -1):
            ceiling = (
                places[number + 1] - LINE if number + 1 < len(places) else places[number] - max(0.0, over)
            )
            places[number] = min(places[number], ceiling)
        right = self.width - self.right
        drawn = []
        for (at, label, paint), place in zip(ends, places, strict=True):
            drawn.append(
                f'<path d="M{right} {at:.1f}L{right + 7} {place:.1f}" stroke="{paint}" fill="none"/>'
                f'<text x="{right + 10}" y="{place + 4:.1f}" fill="{paint}">{escape(label)}</text>'
            )
        return drawn


def _text(colour: str) -> str:
    """The readable shade of a tensor's colour; the page's own colours are readable as they are."""
    return colour if colour in ("ink", "muted", "accent") else f"{colour}-text"


def _words(kind: str, place: str, words: str, anchor: Anchor = "middle") -> str:
    """Words of the axes."""
    return f'<text class="{kind}" {place} text-anchor="{anchor}">{escape(words)}</text>'


def _mark(shape: str, a: float, b: float, size: float, paint: str, tip: str) -> str:
    """One mark of a named shape around a place."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    filled = f'fill="{paint}" stroke="var(--tw-page)" stroke-width="1.5"'
    if shape == "square":
        place = f'x="{a - size:.1f}" y="{b - size:.1f}" width="{2 * size}" height="{2 * size}"'
        return f"<rect {place} {filled}>{title}</rect>"
    if shape == "diamond":
        half = size * 1.35
        path = (
            f"M{a:.1f} {b - half:.1f}l{half:.1f} {half:.1f}l{-half:.1f} {half:.1f}l{-half:.1f} {-half:.1f}Z"
        )
        return f'<path d="{path}" {filled}>{title}</path>'
    if shape == "ring":
        line = f'fill="none" stroke="{paint}" stroke-width="3"'
        return f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{size + 4}" {line}>{title}</circle>'
    return f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{size}" {filled}>{title}</circle>'
