"""Our own parts as Streamlit's test runner sees them: what they are given, and fields that a reader sets."""

import json
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from ui.modules import kept

__all__ = ["enter", "page_html", "part_data", "parts_of", "send"]


def parts_of(at: AppTest, name: str) -> list[Any]:
    """Return every mounted part of this name."""
    return [each.proto for each in at.get("bidi_component") if each.proto.component_name.endswith(f"_{name}")]


def part_data(at: AppTest, name: str) -> dict[str, Any]:
    """Return what the only part of this name shows: what it was given, with what was left for it to fetch."""
    (proto,) = parts_of(at, name)
    return _whole(proto)


def _whole(proto: Any) -> dict[str, Any]:
    own = json.loads(proto.bytes)
    far = json.loads(kept(own.pop("from").split("/")[-1])) if "from" in own else {}
    return {**far, **own}


def page_html(at: AppTest) -> str:
    """Return all of the page's own HTML, in order: Streamlit's elements for it, and our sheets."""
    found = []
    for node in at._tree:
        if node.type == "html":
            found.append(node.proto.body)
        elif node.type == "bidi_component" and node.proto.component_name.endswith("_sheet"):
            found += _whole(node.proto)["pieces"]
    return "\n".join(found)


def send(at: AppTest, name: str, **state: Any) -> AppTest:
    """Let the only part of this name send its state, as the browser does, and let the page run."""
    (proto,) = parts_of(at, name)
    states = at._tree.get_widget_states()
    states.widgets.append(WidgetState(id=proto.id, json_value=json.dumps(state)))
    return at._run(states)


def enter(at: AppTest, **values: str) -> AppTest:
    """Set fields as a reader does, and let the page run: the browser sends every value that it holds."""
    data = part_data(at, "fields")
    unknown = set(values) - set(data["defaults"])
    assert not unknown, f"no such fields: {sorted(unknown)}"
    return send(at, "fields", values={**data["values"], **values})
