"""Join ES modules that stay real files on disk into the one module text that Streamlit needs.

Streamlit loads a component's script from a `blob:` address, where relative imports fail. The joiner puts
modules in the order of their imports, takes out the lines that import and export between them, and refuses
whatever it does not understand. The same text is what tests load and what an export carries.
"""

import re
from pathlib import Path
from posixpath import dirname, join, normpath

__all__ = ["JoinError", "join_modules", "lean", "lean_styles"]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.(?:\./[\w-]+)?/[\w-]+\.js)";\n', re.MULTILINE)
_ANY_IMPORT = re.compile(r"^\s*(import\b|export\s+(\*|\{)).*$", re.MULTILINE)
_EXPORT = re.compile(r"^export (default )?(?=(async )?(function|const|let|class)\b)", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:export (?:default )?)?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE
)
_DESTRUCTURED = re.compile(r"^(?:export )?(?:const|let|var) [\[{]", re.MULTILINE)

# Comments that stand alone, and indentation: a fifth of the text, and nothing that runs.
_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
# In a style sheet also comments behind something, space around braces and after colons, semicolons and
# commas, and a block's last semicolon. No text in a sheet of ours has any of these.
_REMARKS = re.compile(r"/\*.*?\*/", re.DOTALL)
_AIR = re.compile(r"(?<=[{};,])\s+|\s+(?=[{}])|(?<=[\w)]:) +|;\s*(?=\})")


class JoinError(ValueError):
    """A module that cannot be joined; the message names the file and the line or name."""


def _in_order(folder: Path, name: str, seen: dict[str, str], path: tuple[str, ...]) -> None:
    """Read a module after all that it imports."""
    if name in path:
        raise JoinError(f"modules import each other in a circle: {' → '.join((*path, name))}")
    if name in seen:
        return
    file = folder / name
    if not file.is_file():
        raise JoinError(f"{path[-1] if path else 'the entry'} imports {name}, which does not exist")
    source = file.read_text(encoding="utf-8")
    for names, address in _IMPORT.findall(source):
        other = normpath(join(dirname(name), address))
        _in_order(folder, other, seen, (*path, name))
        exported = set(
            re.findall(r"^export (?:async )?(?:function|const|let|class) (\w+)", seen[other], re.MULTILINE)
        )
        for wanted in (part.strip() for part in names.split(",")):
            if wanted and wanted not in exported:
                raise JoinError(f"{name} imports {wanted!r} from {other}, which exports {sorted(exported)}")
    seen[name] = source


def join_modules(folder: Path, entry: str, *, export_names: bool = False) -> str:
    """Return one module text with the entry and all that it imports.

    Parameters
    ----------
    folder : Path
        Where the modules lie. They import each other as `import { a, b } from "./other.js";`, and those of a
        neighbouring folder as `from "../neighbour/other.js"`.
    entry : str
        The module whose default export the text exports.
    export_names : bool
        Export what the entry exports by name instead: for the tests of its pure functions.

    Raises
    ------
    JoinError
        If a module is missing, imports in another form, imports a name that is not exported, declares by
        destructuring, or declares a name at top level that another module has declared.
    """
    seen: dict[str, str] = {}
    _in_order(folder, entry, seen, ())
    owner: dict[str, str] = {}
    parts = []
    for name, source in seen.items():
        body = _IMPORT.sub("", source)
        odd = _ANY_IMPORT.search(body) or _DESTRUCTURED.search(body)
        if odd:
            raise JoinError(f"{name}: cannot join {odd.group().strip()!r}")
        for declared in _DECLARED.findall(body):
            if declared in owner:
                raise JoinError(f"{name} and {owner[declared]} both declare {declared!r} at top level")
            owner[declared] = name
        parts.append(f"// {name}\n{_EXPORT.sub('', body).strip()}\n")
    default = re.search(r"^export default function (\w+)", seen[entry], re.MULTILINE)
    if export_names:
        exported = re.findall(
            r"^export (?:async )?(?:function|const|let|class) (\w+)", seen[entry], re.MULTILINE
        )
        parts.append(f"export {{ {', '.join(exported)} }};\n")
    elif default:
        parts.append(f"export default {default.group(1)};\n")
    else:
        raise JoinError(f"{entry} has no default export")
    return "\n".join(parts)


def lean(source: str) -> str:
    """Leave out what no browser needs of a script or style sheet: comment lines and indentation."""
    return _INDENT.sub("", _COMMENTS.sub("", source))


def lean_styles(source: str) -> str:
    """Leave out of a style sheet its comments, and the space and semicolons that say nothing."""
    return _AIR.sub("", _REMARKS.sub("", lean(source)))
