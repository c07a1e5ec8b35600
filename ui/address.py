"""What the address of a page asks for, checked before the widgets take it.

A bound widget drops a value that it cannot take without a word. These helpers say so.
"""

from collections.abc import Collection

import streamlit as st


def report_unknown_names(prefix: str, known: Collection[str]) -> None:
    """Say which parameters with this page's prefix the page does not have."""
    for name in st.query_params:
        if name.startswith(prefix) and name not in known:
            st.warning(
                f"The address asks for `{name[:60]}`, which this page does not have. "
                f"It has {', '.join(f'`{each}`' for each in sorted(known))}.",
                icon=":material/link_off:",
            )


def report_unknown_choice(name: str, choices: Collection[str], fallback: str) -> None:
    """Say that the address names a choice that there is not, and what is shown instead."""
    asked = st.query_params.get(name)
    if asked is not None and asked not in choices:
        named = ", ".join(f"`{each}`" for each in choices)
        st.warning(
            f"The address asks for `{name}={asked[:60]}`. It can be {named}. `{fallback}` is shown.",
            icon=":material/link_off:",
        )


def opened_with(name: str) -> str | None:
    """Return what the address said when the page was opened with it, once; None at every later run.

    The browser alone writes such a parameter, and Streamlit goes on naming what was there at first.
    """
    asked, seen = st.query_params.get(name), f"opened_with_{name}"
    if asked is None or st.session_state.get(seen) == asked:
        return None
    st.session_state[seen] = asked
    return asked
