"""A link as a QR code, in SVG."""

import io

import segno

MAX_LINK = 1_000
"""Characters. A longer link would need a code too fine for a phone at the back of a room."""


def qr_svg(link: str) -> str:
    """Return a QR code as an SVG document: dark on white in every theme, with its quiet zone.

    Parameters
    ----------
    link : str
        Up to `MAX_LINK` characters.
    scale : int
        Units of the picture for each module of the code.

    Raises
    ------
    ValueError
        If the link is empty or too long, with its length and the limit.
    """
    if not 1 <= len(link) <= MAX_LINK:
        raise ValueError(f"the link has {len(link)} characters; it must have 1 to {MAX_LINK}")
    out = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        out, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, omitsize=True
    )
    return out.getvalue().decode()
