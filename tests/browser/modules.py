"""The browser's own modules, evaluated where they will run: in Chromium, with no page around them."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from ui.joiner import join_modules

UI = Path(__file__).parents[2] / "ui"
IMPORT = """async ([text, expression, argument]) => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const module = await import(address);
  URL.revokeObjectURL(address);
  return await new Function("m", "x", `return (${expression});`)(module, argument);
}"""


class Modules:
    """Evaluates an expression with a module of a folder as `m` and an argument as `x`."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def __call__(self, module: str, expression: str, argument: Any = None) -> Any:
        path = self.folder / module
        text = join_modules(path.parent, path.name, export_names=True)
        return self.page.evaluate(IMPORT, [text, expression, argument])
