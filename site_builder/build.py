"""Write the whole static site into a folder."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lesson.outline import load_outline
from site_builder.address import query_of, static_address
from site_builder.lesson_page import lesson_page, linked_places, stage_share
from site_builder.page import Document, plain_json
from site_builder.pages import formula_page, missing_page, quiz_page, reference_page, row_page, stage_page
from site_builder.parts import PARTS
from site_builder.rows import default_row, distinct_rows, payload_of
from site_builder.runs import distinct, offered
from ui.frame import FAVICON
from ui.joiner import lean_styles
from ui.palette import css_variables
from ui.quiz.payload import quiz_payload

ASSETS = Path(__file__).with_name("assets")
PAGES = ("home", "online_softmax", "step_through", "calculator", "quiz", "reference")
"""The app's pages that are here, in the outline's order."""

__all__ = ["PAGES", "build", "links_of_the_lesson"]


def links_of_the_lesson() -> list[str]:
    """Return every address of the app that the lesson or the check leads to."""
    quiz = quiz_payload(0)
    shown = [variant["key"]["show"]["href"] for entry in quiz["bank"] for variant in entry["variants"]]
    return [*linked_places(), *shown, *(each["href"] for each in quiz["beliefs"])]


def _page_of(href: str) -> str:
    return href.removeprefix("./").split("?")[0]


def _give(data: Mapping[str, Any]) -> str:
    return f"tilewise.take({plain_json(data)});\n"


def _write(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _write_data(
    folder: Path, kind: str, made: Mapping[str, Callable[[], Mapping[str, Any]]]
) -> dict[str, str]:
    """Write a file for each, named after its content's name, and return the names."""
    files = {}
    for name, make in made.items():
        files[name] = f"{kind}/{hashlib.sha256(name.encode()).hexdigest()[:12]}.js"
        _write(folder, files[name], _give(make()))
    return files


def _documents(folder: Path, address: Callable[[str], str]) -> list[Document]:
    """Compute what the pages show, write it, and return the pages."""
    links = links_of_the_lesson()
    queries = [query_of(href) for href in links if _page_of(href) == "step_through"]
    runs = distinct([{}, *offered(), *queries])

    def stage_data(name: str) -> Mapping[str, Any]:
        run = runs[name]
        return {**run.payload(), "share": stage_share(run.title, run.given.key)}

    run_files = _write_data(folder, "runs", {name: partial(stage_data, name) for name in runs})
    rows = distinct_rows(query_of(href) for href in links if _page_of(href) == "online_softmax")
    row_files = _write_data(folder, "rows", {text: partial(payload_of, text) for text in rows})
    return [
        lesson_page(address),
        row_page(row_files, rows, default_row(), address),
        stage_page(run_files, {name: run.title for name, run in runs.items()}),
        formula_page(address),
        quiz_page(address),
        reference_page(address),
        missing_page(),
    ]


def build(folder: Path, app_url: str = "") -> dict[str, int]:
    """Write the site and return the bytes of each of its files.

    Parameters
    ----------
    folder : Path
        Made if it is not there. One that holds anything but an earlier site is refused.
    app_url : str
        Where the whole app runs, for the links that lead there; "" if nowhere.

    Raises
    ------
    ValueError
        If the folder holds something else, or the address is no web address.
    """
    if app_url and not app_url.startswith(("http://", "https://")):
        raise ValueError(f"{app_url!r} is no address of an app: it must begin with http:// or https://")
    if folder.exists() and any(folder.iterdir()) and not (folder / "site.js").is_file():
        raise ValueError(f"{folder} is not empty and holds no earlier site, so it is left alone")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    address = partial(static_address, pages=PAGES, app_url=app_url.rstrip("/") + "/" if app_url else "")
    documents = _documents(folder, address)
    outline = load_outline()
    navigation = [
        (document.file, page.label)
        for document, page in zip(documents, map(outline.page, PAGES), strict=False)
    ]
    for document in documents:
        _write(folder, document.file, document.html(navigation))
    for name, part in PARTS.items():
        _write(folder, f"parts/{name}.js", part.script(name))
    for asset in sorted(ASSETS.glob("*.js")):
        _write(folder, asset.name, asset.read_text(encoding="utf-8"))
    variables = f":root {{\ncolor-scheme: light dark;\n{css_variables()}\n}}\n"
    _write(folder, "site.css", lean_styles(variables + (ASSETS / "site.css").read_text(encoding="utf-8")))
    shutil.copy(FAVICON, folder / "favicon.svg")
    sizes = {
        str(file.relative_to(folder)): file.stat().st_size for file in folder.rglob("*") if file.is_file()
    }
    # For whoever serves it: what is here, and of what content.
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(sizes)}
    _write(folder, "manifest.json", json.dumps(digests, indent=1) + "\n")
    return sizes
