"""Show a drawing in the page: SVG text goes in, the browser draws it in the theme's colours.

Streamlit's own HTML element strips SVG, so a component without any logic of its own shows it.
"""

from collections.abc import Callable

import streamlit as st

from ui.calculator.plot import Plot
from ui.palette import css_variables

__all__ = ["show_figure"]

_CSS = f""":host {{ {css_variables()} }}
.fig {{ container-type: inline-size; color: var(--tw-ink); font-family: var(--st-font, sans-serif); }}
.fig svg {{ width: 100%; height: auto; display: block; max-width: 980px; }}
.fig .narrow {{ display: none; }}
@container (max-width: 560px) {{ .fig .wide {{ display: none; }} .fig .narrow {{ display: block; }} }}
.fig .g {{ stroke: var(--tw-line); stroke-width: 1; opacity: .7; }}
.fig .t {{ fill: var(--tw-muted); }}
.fig .a {{ fill: var(--tw-ink); }}
.fig text {{ paint-order: stroke; stroke: var(--tw-page); stroke-width: 3px; stroke-linejoin: round; }}
"""
_JS = """export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".fig");
  // The role comes with its name: a picture without one is an empty word to a screen reader.
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", data.alt);
  box.innerHTML = `<div class="wide">${data.wide}</div><div class="narrow">${data.narrow}</div>`;
}
"""
_mount = st.components.v2.component("tilewise_figure", html='<div class="fig"></div>', css=_CSS, js=_JS)

NARROW = {"width": 400, "height": 380, "left": 62, "right": 84}


def show_figure(draw: Callable[..., Plot], *, key: str, alt: str) -> None:
    """Show a plot.

    Parameters
    ----------
    draw : callable
        Makes the plot; it takes `Plot`'s sizes, so that a phone gets a drawing of its own.
    key : str
        The element's key on the page.
    alt : str
        What the plot says, in one or two sentences.
    """
    _mount(key=key, data={"wide": draw().svg(), "narrow": draw(**NARROW).svg(), "alt": alt})
