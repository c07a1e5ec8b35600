"""The static site in Chromium: from disk, offline, with the app's own stage tests and its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import tests.browser.test_stage as in_the_app
from engine import score_matrix_bytes
from engine.units import format_bytes
from lesson.frames import place
from lesson.quiz import make
from site_builder.build import build
from site_builder.runs import DEFAULTS
from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE_MS, Trouble, watch
from tests.browser.test_stage import (  # noqa: F401 - collected here, they run against the files
    at,
    press,
    test_a_cell_tells_its_value_query_and_key,
    test_a_link_opens_its_step_and_stepping_writes_the_address,
    test_a_row_is_chosen_by_click_and_by_keyboard,
    test_both_themes,
    test_buttons_step_through_the_whole_run,
    test_drawings_follow_the_theme_while_the_page_is_open,
    test_every_step_draws_alone,
    test_numbers_at_the_first_rescale_are_the_engines,
    test_play_goes_on_by_itself_and_pauses,
    test_slider_scrubs,
    test_tiles_move_unless_the_reader_wants_stillness,
    test_transport_is_in_reach_and_nothing_sticks_out,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "out"
    build(folder)
    return folder


@pytest.fixture
def server_url(site: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the app's tests find the stage here."""
    monkeypatch.setattr(in_the_app, "PATH", "/step_through.html")
    return site.as_uri()


@pytest.fixture(scope="module")
def opened(browser: Browser, site: Path) -> Iterator[tuple[Page, Trouble]]:
    """One page without any network, and what goes wrong in it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    context.set_offline(True)
    page = context.new_page()
    yield page, watch(page)
    context.close()


def test_the_lesson_from_disk_without_network(opened: tuple[Page, Trouble], site: Path) -> None:
    """Its links drive the stage on the page; a prediction, a slider and the ticks work."""
    page, trouble = opened
    page.goto((site / "index.html").as_uri())
    stage = page.get_by_test_id("stage")
    at(stage, place("score").step or 0)
    step = in_the_app.traced().first_rescale() or -1
    page.locator('section[data-section="steps"] .prose a', has_text="first rescale").click()
    at(stage, step)
    # The step was shown on this page, and no other was opened.
    assert "/index.html" in page.url
    for link in page.locator('[data-testid="place"][data-step]').all()[:2]:
        link.click()
        at(stage, int(link.get_attribute("data-step") or -1))
        assert "/index.html" in page.url
    page.locator('[data-section="traffic"] [data-testid="act-slider"]').press("ArrowRight")
    expect(page.get_by_test_id("contents-count")).not_to_contain_text("0 of")
    assert not trouble.errors
    folder = site.as_uri()
    assert [url for url in trouble.requests if not url.startswith((folder, "data:", "blob:"))] == []


def test_the_formula_is_the_engines(opened: tuple[Page, Trouble], site: Path) -> None:
    page, trouble = opened
    page.goto(f"{(site / 'calculator.html').as_uri()}?calc_n_q=1&calc_n_k=1&calc_format=float32")
    result, form = page.locator("#formula-result"), page.locator("#formula")
    expect(result).to_have_text(f"1 · 1 · 4 = {format_bytes(4)}")
    sizes = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
    for n_q, n_k, name in [
        (4096, 4096, "float16"),
        (511, 1, "bfloat16"),
        (1023, 513, "float64"),
        (10**12, 10**12, "float64"),
        (999, 500, "float16"),
        (5_000, 209_715, "float32"),
    ]:
        form.get_by_label("Query positions").fill(f"{n_q:,}")
        form.get_by_label("Key positions").fill(str(n_k))
        form.get_by_label("Stored as").select_option(name)
        size = score_matrix_bytes(n_q, n_k, sizes[name])
        expect(result).to_have_text(f"{n_q:,} · {n_k:,} · {sizes[name]} = {format_bytes(size)}")
    form.get_by_label("Query heads").fill("12")
    size *= 12
    expect(page.locator("#formula-says")).to_contain_text(
        f"Times 12 for heads and requests: {format_bytes(size)}"
    )
    for wrong in ("0", "-3", "2.5", "", "1000000000001", "nan"):
        form.get_by_label("Key positions").fill(wrong)
        expect(page.locator("#formula-wrong")).to_contain_text(
            f"Key positions is “{wrong}”; write a whole number"
        )
        expect(result).to_have_text("")
    assert not trouble.errors


def test_the_check_grades_and_leads_on(opened: tuple[Page, Trouble], site: Path) -> None:
    page, trouble = opened
    page.goto((site / "quiz.html").as_uri())
    card = page.get_by_test_id("quiz-card")
    first = page.evaluate("JSON.parse(document.getElementById('data-quiz').textContent).bank[0].id")
    right = make(first, 0).key()
    card.get_by_text(right["text"], exact=True).click()
    card.get_by_role("button", name="Commit").click()
    expect(card).to_have_attribute("data-state", "right")
    leads = page.get_by_test_id("quiz-show").get_attribute("href") or ""
    page.goto(f"{site.as_uri()}/{leads}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert not trouble.errors


def test_an_address_chooses_the_run_the_row_and_the_step(opened: tuple[Page, Trouble], site: Path) -> None:
    page, trouble = opened
    page.goto(f"{(site / 'step_through.html').as_uri()}?run_direction=backward&step=8")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-kind", "recompute_p")
    page.goto(f"{(site / 'step_through.html').as_uri()}?run_input=keys-lock&run_bq=7")
    expect(page.locator("#unknown")).to_contain_text("“run_bq=7” was not computed beforehand")
    at(stage, 0)
    page.get_by_label("Run", exact=True).select_option("run_order=kv_outer")
    expect(stage).to_have_attribute("data-steps", str(len(in_the_app.traced(order="kv_outer").steps)))
    page.goto(f"{(site / 'online_softmax.html').as_uri()}?row_method=naive&row_step=2")
    expect(page.get_by_text("not computed beforehand")).to_be_hidden()
    expect(page.locator('[data-chosen="data-rows"]').get_by_role("button", name="Next step")).to_be_visible()
    page.goto(f"{site.as_uri()}/in_the_app.html?page=calculator%3Fcalc_part%3DFit")
    expect(page.locator("#missing-page")).to_have_text("calculator?calc_part=Fit")
    assert not trouble.errors


def test_the_name_of_a_run_is_made_the_same_way_in_the_browser(
    opened: tuple[Page, Trouble], site: Path
) -> None:
    from_python = {
        "?run_input=keys-lock&run_bq=8&step=3": "run_bq=8",
        "?step=3": "",
        "?run_order=kv_outer&run_bq=2&x=1": "run_bq=2&run_order=kv_outer",
    }
    page, _ = opened
    page.goto((site / "in_the_app.html").as_uri())
    for search, name in from_python.items():
        assert (
            page.evaluate("([search, defaults]) => runName(search, defaults)", [search, dict(DEFAULTS)])
            == name
        )


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1024, "light")])
def test_every_page_is_clean_for_axe_and_keeps_its_width(
    opened: tuple[Page, Trouble], site: Path, width: int, theme: str
) -> None:
    page, _ = opened
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    for file in sorted(site.glob("*.html")):
        page.goto(file.as_uri())
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert violations(page) == [], file.name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), file.name
