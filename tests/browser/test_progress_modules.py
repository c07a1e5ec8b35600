"""The store of the progress, the ticks and the lesson's pure helpers, run where they run: in Chromium."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from lesson.plan import load_sections
from lesson.quiz import bank
from lesson.words import load_words
from tests.browser.modules import UI, Modules
from ui.progress.component import sidebar_data

TIME = "2026-10-07T12:00:00.000Z"
LATER = "2026-10-08T12:00:00.000Z"
# A storage as a browser has it, over a plain object `x.kept`; `x.broken` refuses to keep anything.
STORAGE = """(() => {
  const kept = { ...(x?.kept ?? {}) };
  const storage = { getItem: (key) => kept[key] ?? null, removeItem: (key) => void delete kept[key],
    setItem(key, value) { if (x?.broken) throw new Error("full"); kept[key] = value; } };
  const progress = m.createProgress(storage, () => "2026-10-08T12:00:00.000Z");
  %s
})()"""
KEY = "tilewise.progress.v1"


@pytest.fixture(scope="module")
def run(blank: Page) -> Modules:
    return Modules(blank, UI)


def store(run: Modules, body: str, argument: Any = None) -> Any:
    """Run statements with a store as `progress` over a storage as `kept`."""
    return run("progress/progress_store.js", STORAGE % body, argument)


def held(**kinds: Any) -> dict[str, Any]:
    return {"version": 1, "sections": {}, "predictions": {}, "labs": {}, "quiz": {}} | kinds


def test_records_are_kept_under_one_key(run: Modules) -> None:
    kept, loaded = store(
        run,
        """progress.record("sections", "mechanism"); progress.record("labs", "calculator");
        progress.record("predictions", "run:8", { right: true, at: "2026-10-07T12:00:00.000Z" });
        progress.record("quiz", "avoided_object", { seed: 0, right: false, at: "2026-10-07T12:00:00.000Z" });
        progress.forget("labs", "calculator"); progress.forget("labs", "nothing");
        return [kept, progress.load()];""",
    )
    expected = held(
        sections={"mechanism": LATER},
        predictions={"run:8": {"right": True, "at": TIME}},
        quiz={"avoided_object": {"seed": 0, "right": False, "at": TIME}},
    )
    assert loaded == expected
    assert {name: json.loads(text) for name, text in kept.items()} == {KEY: expected}


def test_two_stores_over_one_storage_lose_nothing(run: Modules) -> None:
    loaded = store(
        run,
        """const other = m.createProgress(storage, () => "2026-10-07T12:00:00.000Z");
        progress.record("sections", "one"); other.record("sections", "two");
        progress.record("sections", "three");
        return [progress.load().sections, other.load().sections].map(Object.keys);""",
    )
    assert loaded == [["one", "two", "three"]] * 2


def test_damage_costs_only_what_is_damaged(run: Modules) -> None:
    damaged = held(
        sections={"good": TIME, "bad": 7, "worse": "soon", "../odd": TIME},
        quiz={"good": {"right": True}, "bad": [1]},
        labs="none",
    )
    loaded = store(run, "return progress.load();", {"kept": {KEY: json.dumps(damaged)}})
    assert loaded == held(sections={"good": TIME}, quiz={"good": {"right": True}})
    for text in ("{", "7", "null", json.dumps({"version": 2, "sections": {"good": TIME}})):
        assert store(run, "return progress.load();", {"kept": {KEY: text}}) == held()


def test_a_browser_that_keeps_nothing_remembers_until_it_is_closed(run: Modules) -> None:
    body = """progress.record("sections", "one"); progress.record("sections", "two");
    return progress.load().sections;"""
    assert store(run, body, {"broken": True}) == {"one": LATER, "two": LATER}
    without = run(
        "progress/progress_store.js",
        '(() => { const p = m.createProgress(null); p.record("labs", "a"); p.clear(); p.record("labs", "b"); '
        "return Object.keys(p.load().labs); })()",
    )
    assert without == ["b"]


def test_clearing_forgets_the_stages_answers_too(run: Modules) -> None:
    kept = {KEY: json.dumps(held(sections={"one": TIME})), "tilewise.predict": "{}", "other": "stays"}
    assert store(run, "progress.clear(); return kept;", {"kept": kept}) == {"other": "stays"}


def test_an_export_comes_back_and_is_joined(run: Modules) -> None:
    mine = held(sections={"one": LATER, "two": TIME}, quiz={"q": {"right": False, "at": TIME}})
    theirs = held(
        sections={"one": TIME, "three": TIME}, labs={"l": TIME}, quiz={"q": {"right": True, "at": LATER}}
    )
    body = "progress.restore(x.text); return [progress.load(), progress.exportText()];"
    joined, exported = store(run, body, {"kept": {KEY: json.dumps(mine)}, "text": json.dumps(theirs)})
    assert joined == held(
        sections={"one": TIME, "two": TIME, "three": TIME},
        labs={"l": TIME},
        quiz={"q": {"right": True, "at": LATER}},
    )
    assert json.loads(exported) == joined
    again, _ = store(run, body, {"text": exported})
    assert again == joined


@pytest.mark.parametrize(
    ("text", "problem", "place"),
    [
        ("{", "json", ""),
        ("[]", "json", ""),
        (json.dumps(held() | {"version": 3}), "version", "version"),
        (json.dumps(held() | {"colours": {}}), "kind", "colours"),
        (json.dumps(held(labs=[1])), "kind", "labs"),
        (json.dumps(held(sections={"one": "soon"})), "time", "sections.one"),
        (json.dumps(held(quiz={"one": 3})), "record", "quiz.one"),
        (
            '{"version": 1, "sections": {"__proto__": "2026-10-07T12:00:00.000Z"}}',
            "name",
            "sections.__proto__",
        ),
        (json.dumps(held(sections={"x" * 200: TIME})), "name", f"sections.{'x' * 60}"),
        ("1" * 1_000_001, "long", ""),
    ],
)
def test_a_bad_file_is_named_and_changes_nothing(run: Modules, text: str, problem: str, place: str) -> None:
    body = """try { progress.restore(x.text); return null; } catch (error) {
      return [error instanceof m.ProgressError, error.problem, error.place, progress.load()]; }"""
    mine = held(sections={"mine": TIME})
    refused = store(run, body, {"kept": {KEY: json.dumps(mine)}, "text": text})
    assert refused == [True, problem, place, mine]
    assert problem in load_words("lesson_words").table("progress")


def test_impossible_records_are_refused(run: Modules) -> None:
    body = """const refused = (kind, id, value) => { try { progress.record(kind, id, value); return "taken"; }
      catch (error) { return error.problem; } };
    return [refused("odd", "a"), refused("labs", "a b"), refused("labs", "a", 3), refused("quiz", "a", 3)];"""
    assert store(run, body) == ["kind", "name", "time", "record"]


def test_a_change_is_told(run: Modules) -> None:
    body = """let told = 0; globalThis.addEventListener(m.PROGRESS_EVENT, () => { told += 1; });
    progress.record("labs", "a"); progress.forget("labs", "a"); progress.clear(); return told;"""
    assert store(run, body) == 3


def test_ticks_follow_what_was_done(run: Modules) -> None:
    plan = sidebar_data()["plan"]
    keys = [each["key"] for each in plan["pages"]]
    sections = {section.key: TIME for section in load_sections()}

    def marks(**kinds: Any) -> dict[str, Any]:
        found = run("progress/progress_marks.js", "m.pageMarks(x[0], x[1])", [held(**kinds), plan])
        return dict(zip(keys, found, strict=True))

    def ticked(**kinds: Any) -> list[str]:
        return [key for key, mark in marks(**kinds).items() if mark["done"]]

    assert ticked() == []
    assert ticked(labs={"calculator": TIME, "lesson_size": TIME}) == ["calculator"]
    answered = {entry.id: {"right": True} for entry in bank()}
    first = next(iter(answered))
    assert ticked(quiz=answered) == ["quiz"]
    assert ticked(quiz=answered | {first: {"right": False}}) == []
    assert marks(quiz={first: {"right": False}})["quiz"]["part"] == ""
    assert marks(quiz={first: {"right": True}})["quiz"]["part"] == f"1/{len(answered)}"
    assert ticked(sections=dict(list(sections.items())[1:])) == []
    assert ticked(sections=sections) == ["home"]
    assert marks(sections={"objective": TIME})["home"]["part"] == f"1/{len(sections)}"
    counts = run(
        "progress/progress_marks.js",
        "m.progressCounts(x[0], x[1])",
        [held(sections={"objective": TIME, "gone": TIME}, labs={"calculator": TIME}), plan],
    )
    assert counts == {
        "sections": 1,
        "all": len(sections),
        "predictions": 0,
        "labs": 1,
        "all_labs": len(plan["labs"]),
        "quiz": 0,
        "all_quiz": len(answered),
    }


@pytest.mark.parametrize(
    ("address", "step"),
    [
        ("./step_through?step=25", 25),
        ("http://host/base/step_through?step=0", 0),
        ("./step_through?run_mistake=no_rescale&step=25", None),
        ("./step_through", None),
        ("./step_through?step=-1", None),
        ("./online_softmax?step=3", None),
        ("https://example.org/", None),
    ],
)
def test_only_links_to_the_lessons_own_run_drive_its_stage(
    run: Modules, address: str, step: int | None
) -> None:
    assert run("lesson/drive_stage.js", "m.stepOfLink(x)", address) == step


def test_the_run_says_how_it_stands(run: Modules) -> None:
    words = dict(load_words("lesson_words").table("run"))

    def says(**report: Any) -> Any:
        return run("lesson/act_run.js", 'm.runSays(x[0], x[1], "16")', [report, words])

    assert says(stage="waiting", sharing=1) == words["waiting"]
    assert says(stage="waiting", sharing=7) == words["waiting_shared"].format(others=6)
    assert says(stage="run", done=0) == words["stage_run"].format(pairs=16)
    assert "50 %" in says(stage="check", done=0.5)
    assert says(stage="failed", reason="no luck").endswith("no luck")
    assert says(stage="full", reason="x") == words["full"]
    assert says(stage="odd") == words["offline"]
    assert says(stage="done") is None
    result = {
        "seconds": 0.0664,
        "peak_bytes": 3 * 2**19,
        "score_bytes": 2**25,
        "single_bytes": 2**26,
        "difference": 1.6e-7,
        "pairs": 2**24,
        "block_q": 256,
        "block_k": 512,
        "threads": 2,
    }
    lines = dict(run("lesson/act_run.js", "m.runLines(x[0], x[1])", [result, words]))
    assert lines[words["time"]] == "66 ms on this server, 2 threads"
    assert lines[words["peak"]] == "1.5 MiB (1.57 MB), 2.3 % of the matrix in float32"
    assert lines[words["difference"]] == "1.6 × 10⁻⁷"
    assert lines[words["pairs"]] == "16,777,216: every one"
    assert run("lesson/act_run.js", "m.runBytes(x)", 2**26) == "64 MiB (67.11 MB)"
