"""The colours: readable, apart for colour-blind eyes, and the same in Streamlit's own theme."""

import itertools
import re
import tomllib
from typing import get_args

import numpy as np
import pytest

from tests.conftest import ROOT
from ui.palette import HUE_OF, SURFACES, TENSORS, Theme, colour, css_variables

THEMES: tuple[Theme, ...] = get_args(Theme)

# What a colour looks like without one kind of cone, in linear light.
# Source: Machado, Oliveira and Fernandes (2009), full severity.
SIGHT = {
    "usual": np.eye(3),
    "no long-wave cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no middle-wave cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no short-wave cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def linear(hexadecimal: str) -> np.ndarray:
    """Return linear sRGB in 0 … 1."""
    channels = np.array([int(hexadecimal[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    luminances = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


def lab(hexadecimal: str, sight: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* (D65) as seen with the given sight."""
    seen = np.clip(sight @ linear(hexadecimal), 0, 1)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    xyz = to_xyz @ seen / to_xyz.sum(axis=1)
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def test_the_contrast_formula_gives_the_known_ends() -> None:
    """Black on white is 21, a colour on itself is 1."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tensor", TENSORS)
def test_every_tensor_is_readable(tensor: str, theme: Theme) -> None:
    """Words need 4.5 : 1 and shapes 3 : 1."""
    shade, surface = colour(tensor, theme), SURFACES[theme]
    for ground in (surface.page, surface.panel, shade.soft):
        assert contrast(shade.text, ground) >= 4.5, f"{tensor} text on {ground}"
    for ground in (surface.page, surface.panel):
        assert contrast(shade.strong, ground) >= 3, f"{tensor} strong on {ground}"
    assert contrast(shade.on_strong, shade.strong) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_is_readable(theme: Theme) -> None:
    """Ink, muted words and accents on page and panel."""
    surface = SURFACES[theme]
    for words in (surface.ink, surface.muted, surface.accent):
        for ground in (surface.page, surface.panel):
            assert contrast(words, ground) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHT)
def test_the_hues_stay_apart(sight: str, theme: Theme) -> None:
    """Two hues differ by at least 12 in L*a*b*, several times what is just noticeable, for every sight."""
    one_of = {HUE_OF[tensor]: colour(tensor, theme).strong for tensor in TENSORS}
    for (name, first), (other, second) in itertools.combinations(one_of.items(), 2):
        distance = float(np.linalg.norm(lab(first, SIGHT[sight]) - lab(second, SIGHT[sight])))
        assert distance >= 12, f"{name} and {other} are {distance:.1f} apart"


def test_streamlit_wears_the_same_colours() -> None:
    """Its configuration cannot import the palette, so this holds them equal."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    for name in THEMES:
        surface = SURFACES[name]
        assert theme[name] == {
            "primaryColor": surface.accent,
            "backgroundColor": surface.page,
            "secondaryBackgroundColor": surface.panel,
            "textColor": surface.ink,
            "borderColor": surface.line,
            "linkColor": surface.accent,
        }


def test_css_holds_both_themes() -> None:
    """`light-dark(...)` pairs what each theme says alone."""
    alone = {name: dict(re.findall(r"(--[\w-]+): ([^;]+);", css_variables(name))) for name in THEMES}
    said = dict(re.findall(r"(--[\w-]+): ([^;]+);", css_variables()))
    pairs = {name: said[value[4:-1]] if value.startswith("var(") else value for name, value in said.items()}
    both = {name: re.fullmatch(r"light-dark\((.+)\)", pair)[1] for name, pair in pairs.items()}  # type: ignore[index]
    assert both == {name: f"{alone['light'][name]}, {alone['dark'][name]}" for name in alone["light"]}
    assert {"--tw-q", "--tw-q-soft", "--tw-q-text", "--tw-q-on", "--tw-d-q"} <= set(both)
