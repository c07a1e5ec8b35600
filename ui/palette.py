"""The single source of colour: one hue for each tensor, in light and in dark.

A tensor keeps its hue everywhere: on the stage, in formulas, in charts and in text.
Names that belong together share a hue: `o` and `acc`, `s` and `p`, the running statistics, and each
gradient with the tensor that it belongs to.
The hues were chosen so that they stay apart under the three common kinds of colour blindness;
`tests/test_palette.py` computes that distance and every contrast named below.
"""

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Colour:
    """One tensor's colour, in the roles it plays.

    Attributes
    ----------
    strong : str
        Borders, bars and filled cells. At least 3 : 1 against page and panel.
    soft : str
        A quiet fill behind `text`.
    text : str
        Words and numbers. At least 4.5 : 1 on page, panel and `soft`.
    on_strong : str
        Words on a `strong` fill. At least 4.5 : 1.
    """

    strong: str
    soft: str
    text: str
    on_strong: str


@dataclass(frozen=True)
class Surface:
    """The page's own colours, the same as in `.streamlit/config.toml`."""

    page: str
    panel: str
    ink: str
    muted: str
    line: str
    accent: str


SURFACES: dict[Theme, Surface] = {
    "light": Surface("#ffffff", "#f4f6f9", "#1b2430", "#556274", "#d5dbe3", "#1c5fb0"),
    "dark": Surface("#10151c", "#1a212b", "#e8edf3", "#a3b0c0", "#344051", "#6fb2f2"),
}

_WHITE = "#ffffff"
_INK = "#10151c"

_HUES: dict[Theme, dict[str, Colour]] = {
    "light": {
        "blue": Colour("#17529f", "#dceafa", "#1a5c9e", _WHITE),
        "orange": Colour("#c67d10", "#fdeed8", "#8f5206", _INK),
        "green": Colour("#1a9a62", "#d9f2e5", "#176b45", _INK),
        "brown": Colour("#a8391b", "#f9e1d8", "#98350f", _WHITE),
        "purple": Colour("#8f54d8", "#ebe3f9", "#6a3db8", _WHITE),
        "slate": Colour("#75818f", "#e6eaef", "#46556a", _INK),
        "magenta": Colour("#8d1552", "#fbdfec", "#a31159", _WHITE),
    },
    "dark": {
        "blue": Colour("#6fb2f2", "#16324d", "#8cc3f5", _INK),
        "orange": Colour("#eeb04a", "#46300f", "#f2bd6c", _INK),
        "green": Colour("#4cd493", "#12402c", "#70d9a8", _INK),
        "brown": Colour("#dc5a30", "#4a2212", "#f29a70", _INK),
        "purple": Colour("#9467ea", "#342556", "#c7b0f7", _INK),
        "slate": Colour("#b4c0ce", "#2a3644", "#b4c1d2", _INK),
        "magenta": Colour("#d54c92", "#4d1831", "#f795c2", _INK),
    },
}

HUE_OF: dict[str, str] = {
    "q": "blue",
    "k": "orange",
    "v": "green",
    "o": "brown",
    "acc": "brown",
    "s": "purple",
    "p": "purple",
    "m": "slate",
    "l": "slate",
    "lse": "slate",
    "delta": "slate",
    "alpha": "magenta",
    "d_o": "brown",
    "d_q": "blue",
    "d_k": "orange",
    "d_v": "green",
    "d_p": "purple",
    "d_s": "purple",
}
"""Which hue each tensor of the trace wears. A gradient wears its tensor's hue; its name tells them apart."""

TENSORS = tuple(HUE_OF)


def colour(tensor: str, theme: Theme) -> Colour:
    """Return the colour of a tensor.

    Raises
    ------
    KeyError
        If the tensor has no colour.
    """
    return _HUES[theme][HUE_OF[tensor]]


def _declarations(theme: Theme) -> dict[str, str]:
    """Return every custom property of one theme by its name."""
    surface = SURFACES[theme]
    named = {
        "--tw-page": surface.page,
        "--tw-panel": surface.panel,
        "--tw-ink": surface.ink,
        "--tw-muted": surface.muted,
        "--tw-line": surface.line,
        "--tw-accent": surface.accent,
    }
    for tensor in TENSORS:
        shade = colour(tensor, theme)
        name = "--tw-" + tensor.replace("_", "-")
        named[name] = shade.strong
        named[f"{name}-soft"] = shade.soft
        named[f"{name}-text"] = shade.text
        named[f"{name}-on"] = shade.on_strong
    return named


def css_variables(theme: Theme | None = None) -> str:
    """Return CSS declarations, one a line, to put inside a rule.

    Each tensor gives `--tw-q` (strong), `--tw-q-soft`, `--tw-q-text` and `--tw-q-on` (words on strong);
    an underscore becomes a hyphen (`--tw-d-q`). The page gives `--tw-page`, `--tw-panel`, `--tw-ink`,
    `--tw-muted`, `--tw-line` and `--tw-accent`.

    Parameters
    ----------
    theme : {"light", "dark"} or None
        `None` writes both with `light-dark(...)`, which follows the `color-scheme` that Streamlit sets on
        its app element, also inside a component's shadow root. A colour that has stood before is named.
    """
    if theme is not None:
        return "\n".join(f"{name}: {value};" for name, value in _declarations(theme).items())
    light, dark = _declarations("light"), _declarations("dark")
    first: dict[tuple[str, str], str] = {}
    lines = []
    for name in light:
        pair = (light[name], dark[name])
        before = first.setdefault(pair, name)
        said = f"light-dark({pair[0]}, {pair[1]})" if before == name else f"var({before})"
        lines.append(f"{name}: {said};")
    return "\n".join(lines)
