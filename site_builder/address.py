"""Addresses of the app and what becomes of them here: the same page as a file, or the page that explains."""

from collections.abc import Collection, Mapping
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

HOME = "index.html"
ONLY_IN_APP = "in_the_app.html"
PLACES = {"step": "step_through", "row_method": "online_softmax", "row_step": "online_softmax"}
"""Names in an address that say where in a run one is, and not which run it is."""

CALCULATOR_FIELDS = frozenset(("n_q", "n_k", "format", "heads", "batch"))
"""What the formula here can be given, without the prefix of the address."""

__all__ = ["CALCULATOR_FIELDS", "HOME", "ONLY_IN_APP", "PLACES", "canonical", "query_of", "static_address"]


def query_of(href: str) -> dict[str, str]:
    """Return the settings that stand in an address."""
    return dict(parse_qsl(urlsplit(href).query, keep_blank_values=True))


def canonical(query: Mapping[str, str], defaults: Mapping[str, str]) -> str:
    """Return the name of a run: its settings that are no defaults, sorted, without the place in it.

    `assets/site.js` makes the same text from an address.
    """
    kept = {
        name: value
        for name, value in query.items()
        if name not in PLACES and name in defaults and value != defaults[name]
    }
    return "&".join(f"{name}={kept[name]}" for name in sorted(kept))


def static_address(href: str, pages: Collection[str], app_url: str = "") -> str:
    """Return where a link of the app leads here.

    Parameters
    ----------
    href : str
        Relative to the app, such as `"./step_through?step=3"`. An address elsewhere stays as it is.
    pages : collection of str
        The app's pages that are among these files.
    app_url : str
        Where the app runs, with a slash at its end; "" if nobody said.

    Returns
    -------
    str
    """
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or (not parts.path and not parts.query):
        return href
    page = parts.path.removeprefix("./").strip("/")
    query = query_of(href)
    if not page:
        return HOME + (f"#{parts.fragment}" if parts.fragment else "")
    fields = {name.removeprefix("calc_") for name in query} - {"part"}
    formula = page != "calculator" or (
        query.get("calc_part", "Storage") == "Storage" and fields <= CALCULATOR_FIELDS
    )
    if page in pages and formula:
        tail = f"?{urlencode(query, quote_via=quote)}" if query else ""
        return f"{page}.html{tail}" + (f"#{parts.fragment}" if parts.fragment else "")
    if app_url:
        return f"{app_url}{page}" + (f"?{parts.query}" if parts.query else "")
    asked = page + (f"?{parts.query}" if parts.query else "")
    return f"{ONLY_IN_APP}?{urlencode({'page': asked}, quote_via=quote)}"
