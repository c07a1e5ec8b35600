"""The calculator in a real browser: every part, three widths, both themes, address, charts, axe-core."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from engine.footprint import growth
from engine.models import MODELS
from engine.shapes import AttentionShape
from engine.traffic import tiled_bytes
from engine.units import exact_bytes
from tests.browser.axe import violations
from tests.browser.conftest import watch
from tests.browser.page_parts import WIDTHS, idle, in_theme, keeps_its_width
from ui.calculator.controls import PARTS
from ui.calculator.storage import LENGTHS
from ui.palette import colour

# The last heading of each part.
FOOT = {
    **dict.fromkeys(("Storage", "Traffic", "Fit", "Roofline"), "How to read the result"),
    "Presets": "When it does not help",
    "Papers": "Why this is here",
}
CHARTS = ("Storage", "Traffic", "Fit", "Roofline", "Papers")


def opened(page: Page, server_url: str, query: str = "") -> None:
    """Open the calculator and wait until it is drawn to its foot and no script is running."""
    page.goto(f"{server_url}/calculator{query}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("link", name=re.compile("^Next:"))).to_be_visible()
    idle(page)


def test_a_result_that_the_network_loses_comes_later(page: Page, server_url: str) -> None:
    """What stands there meanwhile is pale: it is not what was asked for."""
    opened(page, server_url)
    down = [True]
    page.route("**/modules/sheet-*.json", lambda route: route.abort() if down[0] else route.continue_())
    field = page.get_by_role("textbox", name="Keys, T_key")
    field.fill("8,192")
    field.press("Enter")
    sheet = page.get_by_test_id(re.compile("^stBidiComponent")).filter(has=page.get_by_test_id("result"))
    expect(sheet).to_have_css("opacity", "0.4")
    said = page.get_by_role("status").filter(has_text="The network does not answer")
    expect(said).to_be_visible()
    expect(page.get_by_test_id("result")).to_have_text("32 MiB")
    down[0] = False
    expect(page.get_by_test_id("result")).to_have_text("64 MiB")
    expect(sheet).to_have_css("opacity", "1")
    expect(said).to_have_count(0)


def choose(page: Page, part: str) -> None:
    """Go to a part by its button, and wait until it is drawn to its foot."""
    page.get_by_role("radio", name=part).click()
    if part != PARTS[0]:
        expect(page).to_have_url(re.compile(f"calc_part={part}"))
    expect(page.get_by_test_id("stMain").get_by_role("heading", name=FOOT[part], exact=True)).to_be_visible()
    idle(page)


def sheet(page: Page) -> Locator:
    """What follows from the controls; it stands in a shadow root of its own."""
    return page.locator(".sheet-host")


def hues(theme: str) -> set[str]:
    """The colours of the tensors that charts draw lines for, as the browser writes them."""
    strong = [colour(tensor, theme).strong for tensor in ("q", "s", "m")]  # type: ignore[arg-type]
    return {"rgb({}, {}, {})".format(*(int(each[at : at + 2], 16) for at in (1, 3, 5))) for each in strong}


def test_every_part_is_clean_for_axe_and_its_chart_described(server_url: str, page: Page) -> None:
    """With formulas and a mask, in both themes: nothing for axe, the theme's colours, a quiet console."""
    trouble = watch(page)
    opened(page, server_url, "?calc_formulas=true&calc_mask=bottom_right")
    for part in PARTS:
        choose(page, part)
        for theme in ("light", "dark"):
            in_theme(page, theme)
            if part in CHARTS:
                chart = page.get_by_role("img").filter(has=page.locator("svg")).first
                expect(chart).to_have_attribute("aria-label", re.compile(r"\d"))
                lines = chart.locator("svg polyline")
                expect(lines.first).to_be_attached()
                if part in ("Storage", "Traffic", "Papers"):
                    painted = lines.evaluate_all("all => all.map(one => getComputedStyle(one).stroke)")
                    assert set(painted) <= hues(theme), (part, theme)
                expect(page.get_by_role("table").first).to_be_visible()
            assert violations(page, looks=theme == "dark") == [], (part, theme)
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_no_part_scrolls_sideways(server_url: str, page: Page) -> None:
    """Also with numbers as long as the limits allow: only tables scroll, inside themselves."""
    sizes = "calc_n_q=1e9&calc_n_k=1e9&calc_heads=10000&calc_batch=10000"
    opened(page, server_url, f"?calc_formulas=true&{sizes}")
    for part in PARTS:
        choose(page, part)
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            keeps_its_width(page)
            choices = page.get_by_role("group", name="What to work out")
            assert choices.evaluate("node => node.scrollWidth - node.clientWidth") <= 1, "a part is hidden"
            assert width != 390 or violations(page) == [], part


def test_a_chart_is_drawn_anew_for_a_phone(server_url: str, new_page: Callable[..., Page]) -> None:
    """The narrow drawing shows, not a shrunken wide one."""
    page = new_page(width=390, height=844)
    opened(page, server_url)
    expect(page.locator(".fig .narrow svg")).to_be_visible()
    expect(page.locator(".fig .wide svg")).to_be_hidden()


def test_a_phone_tells_the_first_result_while_it_is_below_the_fields(
    server_url: str, new_page: Callable[..., Page]
) -> None:
    """What a field changes is seen at once; in sight of the result itself, nothing repeats it."""
    page = new_page(width=390, height=844)
    opened(page, server_url)
    echo = page.get_by_role("button", name="Matrix of scores")
    expect(echo).to_contain_text("32 MiB")
    expect(page.get_by_test_id("result")).not_to_be_in_viewport()
    page.get_by_role("textbox", name="Queries, T_query").fill("8192")
    page.get_by_role("textbox", name="Queries, T_query").press("Enter")
    expect(echo).to_contain_text("64 MiB")
    echo.click()
    expect(page.get_by_test_id("result")).to_be_in_viewport(ratio=1)
    expect(echo).to_be_hidden()
    choose(page, "Papers")
    expect(page.locator(".echo")).to_be_hidden()
    choose(page, "Storage")
    page.set_viewport_size({"width": 1024, "height": 500})
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    expect(page.get_by_test_id("result")).not_to_be_in_viewport()
    expect(page.locator(".echo")).to_be_hidden()


def test_a_refused_value_is_marked_at_its_field(server_url: str, new_page: Callable[..., Page]) -> None:
    """On a phone the messages below the fields are off the screen, and its foot tells no earlier result."""
    page = new_page(width=390, height=844)
    opened(page, server_url)
    echo = page.locator(".echo")
    expect(echo).to_contain_text("32 MiB")
    field = page.get_by_role("textbox", name="Queries, T_query")
    expect(field).to_have_accessible_description("")
    field.fill("-7")
    field.press("Enter")
    said = "Queries, T_query is -7; the lowest possible is 1."
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(said)
    expect(page.locator(".field .refused").filter(has_text=said)).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stAlert").filter(has_text=said)).to_be_visible()
    expect(echo.locator("visible=true")).to_have_count(0)
    assert violations(page) == []
    field.fill("8192")
    field.press("Enter")
    expect(echo).to_contain_text("64 MiB")
    expect(field).to_have_accessible_description("")
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_a_typed_tile_changes_ledger_chart_and_address(server_url: str, page: Page) -> None:
    """The number is the engine's, the address opens the same page, and the chart moved."""
    opened(page, server_url, "?calc_part=Traffic")
    chart = page.locator(".fig .wide")
    before = chart.inner_html()
    field = page.get_by_role("textbox", name="Queries in a tile, block_q (Br)")
    field.fill("32")
    field.press("Enter")
    size = exact_bytes(tiled_bytes(4096, 4096, 64, block_q=32, block_k=64).total)
    expect(sheet(page)).to_contain_text(size)
    expect(page).to_have_url(re.compile("calc_bq=32"))
    assert chart.inner_html() != before
    page.reload()
    expect(sheet(page)).to_contain_text(size)


def test_a_setting_outlives_a_visit_to_another_part(server_url: str, page: Page) -> None:
    """Tiles set under Traffic hold under Fit, and the link there holds what is not on screen."""
    opened(page, server_url, "?calc_part=Traffic&calc_bq=96&calc_n_k=777")
    choose(page, "Fit")
    expect(page.get_by_role("textbox", name="Queries in a tile, block_q (Br)")).to_have_value("96")
    expect(page.get_by_role("textbox", name="Keys, T_key")).to_have_count(0)
    # The address itself has both, and so has the link.
    assert {"calc_bq=96", "calc_n_k=777", "calc_part=Fit"} <= set(page.url.split("?")[1].split("&"))
    link = page.get_by_role("link", name="Link to exactly this")
    expect(link).to_have_attribute("href", re.compile("calc_n_k=777"))
    page.goto(page.url)
    expect(page.get_by_role("textbox", name="Queries in a tile, block_q (Br)")).to_have_value("96")
    choose(page, "Storage")
    expect(page.get_by_role("textbox", name="Keys, T_key")).to_have_value("777")


def test_a_model_fills_the_controls_and_the_address(server_url: str, page: Page) -> None:
    """One click: the part changes, the fields hold the model's shape, and so does the address."""
    opened(page, server_url, "?calc_part=Presets")
    page.get_by_role("button", name="Load: Llama 3 8B").click()
    expect(page.get_by_role("textbox", name="Key/value heads")).to_have_value("8")
    expect(page.get_by_role("textbox", name="Layers")).to_have_value("32")
    expect(sheet(page)).to_contain_text(f"{2 * MODELS['llama-3-8b'].parameters:,}")
    for each in ("calc_kv_heads=8", "calc_layers=32", "calc_mask=causal", "calc_model=Llama"):
        expect(page).to_have_url(re.compile(each))
    assert "calc_part" not in page.url


def test_a_preset_takes_back_what_was_typed_before(server_url: str, page: Page) -> None:
    """Also the controls of other parts: a preset is all of its settings."""
    opened(page, server_url, "?calc_n_q=99&calc_layers=33")
    choose(page, "Presets")
    page.get_by_role("button", name="Load: A wide head").click()
    expect(page.get_by_role("textbox", name="Queries, T_query")).to_have_value("4096")
    expect(page).to_have_url(re.compile("calc_d=256"))
    assert "calc_n_q" not in page.url
    choose(page, "Storage")
    expect(page.get_by_role("textbox", name="Layers")).to_have_value("1")


def test_the_engines_own_names_lead_to_the_same_page(server_url: str, page: Page) -> None:
    """A link written by hand is corrected to what the menus show, in the address too."""
    opened(page, server_url, "?calc_part=Traffic&calc_order=kv_outer&calc_mask=bottom_right")
    expect(page.get_by_role("combobox", name="Outer loop")).to_have_value("keys outside")
    expect(page.get_by_role("combobox", name="Mask")).to_have_value("causal, bottom right")
    expect(page).to_have_url(re.compile(r"calc_order=keys(\+|%20)outside"))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_the_download_holds_the_charts_numbers(server_url: str, page: Page) -> None:
    """Exact bytes, one row a length."""
    opened(page, server_url)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download these numbers (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    points = growth(AttentionShape(4096, 4096, 64), LENGTHS)
    assert [(int(row["length"]), int(row["scores_bytes"])) for row in rows] == [
        (at.n, at.scores) for at in points
    ]


def test_print_leaves_the_tables_and_drops_the_navigation(server_url: str, page: Page) -> None:
    """On paper no table is cut off at a scrolling edge."""
    opened(page, server_url, "?calc_part=Traffic")
    page.emulate_media(media="print")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("button", name="Download these numbers (CSV)")).to_be_hidden()
    for region in page.locator(".twc-scroll").all():
        expect(region).to_be_visible()
        assert region.evaluate("element => getComputedStyle(element).overflowX") == "visible"
