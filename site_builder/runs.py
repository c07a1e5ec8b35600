"""Attention calls computed beforehand, each under the settings that the app's address has for it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine import MISTAKES, attention, trace_attention
from lesson.inputs import DEFAULT_KEY, Input, entries, load
from lesson.stage_breakit_text import load_breakit_text
from site_builder.address import canonical
from ui.stage.comparison import comparison_payload
from ui.stage.payload import Payload, encode

SENTENCE, HEAD = DEFAULT_KEY.split(".")
OWN = "own"

DEFAULTS: Mapping[str, str] = {
    "run_input": SENTENCE,
    "run_head": HEAD,
    "run_mask": OWN,
    "run_window": OWN,
    "run_bq": OWN,
    "run_bk": OWN,
    "run_order": OWN,
    "run_storage": OWN,
    "run_direction": "forward",
    "run_mistake": "right",
}
"""The settings of the page "Watch it run" and what each is when an address is silent."""

__all__ = ["DEFAULTS", "Run", "offered", "resolve"]


@dataclass(frozen=True)
class Run:
    """One attention call.

    Attributes
    ----------
    query : mapping of str to str
        Its settings as they stand in an address.
    given : Input
    options : mapping
        The engine's options.
    mistake : str or None
        The wrong algorithm set beside the right one.
    """

    query: Mapping[str, str]
    given: Input
    options: Mapping[str, Any]
    mistake: str | None

    @property
    def name(self) -> str:
        """Its settings in one text, the same for the same run."""
        return canonical(self.query, DEFAULTS)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        parts = [self.given.title]
        if sentence := _sentence(self.given.key):
            parts.insert(0, sentence)
        names = load_breakit_text()["names"]
        for setting, value in self.query.items():
            if setting == "run_mistake":
                parts.append(names[value])
            elif setting not in ("run_input", "run_head") and value != DEFAULTS.get(setting):
                parts.append(f"{setting.removeprefix('run_')} {value.replace('_', ' ')}")
        return " · ".join(parts)

    def payload(self) -> Payload:
        """Record the run and return what the stage needs."""
        options = dict(self.options)
        tokens = (self.given.tokens_q, self.given.tokens_k)
        q, k, v = self.given.q, self.given.k, self.given.v
        if options["direction"] == "backward":
            forward = {name: value for name, value in options.items() if name != "direction"}
            # As in the app: the loss is half the sum of the squares of o, so dO is o.
            options["d_o"] = attention(q, k, v, **forward)[0]
        right = trace_attention(q, k, v, tokens=tokens, **options)
        payload = encode(right)
        if self.mistake is not None:
            wrong = trace_attention(q, k, v, tokens=tokens, mistake=self.mistake, **options)
            payload |= {
                "comparison": comparison_payload(right, wrong),
                "id": f"{payload['id']}-{self.mistake}",
            }
        return payload


def _sentence(key: str) -> str | None:
    return next((entry.sentence for entry in entries() if entry.key == key), None)


def resolve(query: Mapping[str, str]) -> Run:
    """Return the run that an address asks for.

    Raises
    ------
    KeyError
        If a setting is unknown; the message names it.
    ValueError
        If a value is.
    """
    unknown = {name for name in query if name.startswith("run_")} - set(DEFAULTS)
    if unknown:
        raise KeyError(f"there is no setting {', '.join(sorted(unknown))}")
    asked = {**DEFAULTS, **{name: value for name, value in query.items() if name in DEFAULTS}}
    key = asked["run_input"]
    if f"{key}.{asked['run_head']}" in {entry.key for entry in entries()}:
        key = f"{key}.{asked['run_head']}"
    given = load(key)
    options: dict[str, Any] = given.options() | {"direction": asked["run_direction"]}
    if asked["run_mask"] != OWN:
        options["causal"] = None if asked["run_mask"] == "none" else asked["run_mask"]
    if asked["run_window"] != OWN:
        width = int(asked["run_window"])
        # Under a causal mask the keys after the query are hidden anyway.
        options["window"] = (width, None if options["causal"] else width)
    for setting, option in (("run_bq", "block_q"), ("run_bk", "block_k")):
        if asked[setting] != OWN:
            options[option] = int(asked[setting])
    for setting, option in (("run_order", "order"), ("run_storage", "storage")):
        if asked[setting] != OWN:
            options[option] = asked[setting]
    mistake = asked["run_mistake"]
    settings = {name: value for name, value in asked.items() if value != DEFAULTS[name]}
    return Run(settings, given, options, None if mistake == DEFAULTS["run_mistake"] else mistake)


def offered() -> Iterator[dict[str, str]]:
    """Yield the settings of every run that the menu offers: each input, and the default in other ways."""
    for entry in entries():
        name, _, head = entry.key.partition(".")
        yield {"run_input": name, "run_head": head} if head else {"run_input": name}
    yield {"run_order": "kv_outer"}
    yield {"run_direction": "backward"}
    yield {"run_mask": "none"}
    for mistake in MISTAKES:
        yield {"run_mistake": mistake}


def distinct(queries: Iterable[Mapping[str, str]]) -> dict[str, Run]:
    """Return the runs that some addresses ask for, each once, by name."""
    found: dict[str, Run] = {}
    for query in queries:
        run = resolve(query)
        found.setdefault(run.name, run)
    return found
