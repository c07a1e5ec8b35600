"""The app's browser modules as classic scripts: opened from disk, a page may not load modules.

Each script hands over one part, `{ html, css, mount }`, which `assets/site.js` mounts as Streamlit would.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ui.joiner import lean, lean_styles
from ui.lesson.component import ACT_JS, CONTENTS_JS, LESSON_CSS
from ui.quiz.component import QUIZ_CSS, QUIZ_JS
from ui.softmax.component import ROW_CSS, ROW_JS
from ui.stage.component import STAGE_CSS, STAGE_JS

_DEFAULT_EXPORT = re.compile(r"^export default (\w+);\s*\Z", re.MULTILINE)

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True)
class Part:
    """A component of the app.

    Attributes
    ----------
    module : str
        Its joined module.
    css : str
    host : str
        The class of the element that it fills.
    """

    module: str
    css: str
    host: str

    def script(self, name: str) -> str:
        """Return the classic script that hands it over.

        Raises
        ------
        ValueError
            If the module does not end in its one default export.
        """
        found = _DEFAULT_EXPORT.search(self.module)
        if found is None:
            raise ValueError(f"the module of {name!r} does not end in a default export")
        given = json.dumps({"host": self.host, "css": lean_styles(self.css)}, ensure_ascii=False)
        body = lean(self.module[: found.start()])
        return (
            f'(() => {{\n"use strict";\n{body}\n'
            f"tilewise.part({json.dumps(name)}, {{ ...{given}, mount: {found[1]} }});\n}})();\n"
        )


PARTS: Mapping[str, Part] = {
    "stage": Part(STAGE_JS, STAGE_CSS, "stage-host"),
    "row": Part(ROW_JS, ROW_CSS, "row-host"),
    "quiz": Part(QUIZ_JS, QUIZ_CSS, "quiz-host"),
    "act": Part(ACT_JS, LESSON_CSS, "act-host"),
    "contents": Part(CONTENTS_JS, LESSON_CSS, "contents-host"),
}
