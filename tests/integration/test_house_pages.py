"""The pages in a real browser: every page, both colour schemes, narrow and wide, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from browser import chromium
from integration.listed_orders import list_orders
from lycosa.model.job.recipes import RECIPES
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.shell import PAGES
from served_crawl import TOKEN, crawled, serving

pytestmark = pytest.mark.needs("chromium")
READY = {
    "crawls": "#crawls .card",
    "new": "form#new",
    "now": "#figures dd",
    "pages": "#list td",
    "hosts": "#hosts td",
    "url": "#facts .steps li",
    "search": "#hits .hit mark",
    "ask": "#answer td",
    "report": "#about:not(:empty)",
    "checks": "#checks .verdict",
    "audit": "#audit .verdict.good",
    "log": "#log span",
}
"""What must be on a page for it to be complete."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("pages") / "site")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


class Visit:
    """A tab with what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def open(self, address: str, name: str, seed: str) -> None:
        query = {"url": f"?url={quote(seed, safe='')}", "search": "?q=analytical+engine"}
        of_crawl = f"/crawl/site/{name}{query.get(name, '')}"
        path = {"crawls": "/?all", "new": "/new"}.get(name, of_crawl)
        self.page.goto(f"{address}{path}#token={TOKEN}")
        if name == "ask":
            self.page.get_by_role("button", name="Run").click()
        expect(self.page.locator(READY[name]).first).to_be_visible()


def seed_of(folder: Path) -> str:
    return str(CrawlDirectory(folder).job().seeds[0])


LOOKS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]
SHORT = [(name, LOOKS[place * 3 % 4]) for place, name in enumerate(READY)]
"""Every page in one look, so that all looks are seen."""


def check_page(browser: Browser, address: str, name: str, look: tuple[int, str], seed: str) -> None:
    width, scheme = look
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with browser.new_page(**options) as page:  # type: ignore[arg-type]
        visit = Visit(page)
        visit.open(address, name, seed)
        assert visit.complaints == []
        assert page.evaluate("window.broken") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "token" not in page.url
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(("name", "look"), SHORT, ids=str)
def test_a_page_is_complete_readable_and_runs_no_script_of_others(
    browser: Browser, address: str, folder: Path, name: str, look: tuple[int, str]
) -> None:
    check_page(browser, address, name, look, seed_of(folder))


@pytest.mark.soak
@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.parametrize("name", READY)
def test_a_page_is_complete_and_readable_in_every_look(
    browser: Browser, address: str, folder: Path, name: str, look: tuple[int, str]
) -> None:
    check_page(browser, address, name, look, seed_of(folder))


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.textContent.trim()")
    return found


def test_all_pages_are_reached_by_keyboard_alone(
    browser: Browser, address: str, folder: Path
) -> None:
    with browser.new_page() as page:
        Visit(page).open(address, "now", seed_of(folder))
        page.keyboard.press("Tab")
        assert focused(page) == "Skip to the content"
        for name in PAGES.values():
            while focused(page) != name:
                page.keyboard.press("Tab")
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid"
            page.keyboard.press("Enter")
            page.wait_for_url(f"**/{name.lower()}")
            expect(page.locator(".tabs a[aria-current]")).to_have_text(name)
            page.keyboard.press("Tab")


def test_search_narrows_and_leads_to_the_page_by_keyboard(browser: Browser, address: str) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/crawl/site/search#token={TOKEN}")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("analytical")
        page.keyboard.press("Enter")
        hit = page.locator(".hit a").first
        expect(hit).to_be_visible()
        assert "<script>" in (hit.text_content() or "")
        hit.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#facts .lead")).to_contain_text("has ended: kept")
        with page.expect_download() as download:
            page.get_by_role("button", name="body").first.press("Enter")
        assert b"analytical engine" in Path(download.value.path()).read_bytes()


def test_the_form_of_a_new_crawl_shows_what_the_chosen_recipe_sets(
    browser: Browser, address: str
) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/new#token={TOKEN}")
        help_text = page.locator("#recipe-help")
        expect(help_text.locator("li:visible")).to_have_count(0)
        for name, recipe in RECIPES.items():
            page.get_by_label("Recipe").select_option(name)
            expect(help_text.locator("li:visible")).to_have_count(len(recipe.settings))
        page.get_by_label("Recipe").select_option("archive")
        assert help_text.locator("li:visible").all_text_contents() == [
            "[extract] requisites = true",
            '[fetch] content_types = ["*/*"]',
            '[discovery] mining = "off"',
        ]


def test_the_list_of_pages_is_filtered_sorted_and_downloaded(
    browser: Browser, address: str
) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/crawl/site/pages#token={TOKEN}")
        kept = page.locator(".chip", has_text="kept")
        expect(kept).to_be_visible()
        number = int(kept.locator("b").text_content() or 0)
        kept.click()
        expect(page.locator("#count")).to_have_text(f"{number} URLs")
        expect(page.locator("#list tbody tr")).to_have_count(number)
        page.get_by_role("button", name="Size").click()
        expect(page.locator("th[aria-sort=descending]")).to_have_text("Size")
        page.get_by_text("Columns", exact=True).click()
        page.get_by_label("Depth").check()
        expect(page.get_by_role("columnheader", name="Depth")).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        lines = Path(download.value.path()).read_text().splitlines()
        assert len(lines) == number + 1
        page.get_by_label("Title or URL has").fill("no page has this")
        page.keyboard.press("Enter")
        expect(page.locator("#list")).to_have_text("No URL passes these filters.")
        page.go_back()
        page.locator("#list td a").first.click()
        expect(page.locator("#facts .lead")).to_contain_text("has ended: kept")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_address_or_title_does_not_fill_the_list(
    browser: Browser, address: str, width: int
) -> None:
    with browser.new_page(viewport={"width": width, "height": 800}) as page:
        page.goto(f"{address}/crawl/site/pages#token={TOKEN}")
        expect(page.locator("#list td.url a").first).to_be_visible()
        heights = page.evaluate(
            """() => {
              for (const one of document.querySelectorAll("#list td.url bdi, #list td.title bdi"))
                one.textContent = "a-long-segment-".repeat(100);
              return [...document.querySelectorAll("#list tr")].map((one) => one.clientHeight);
            }"""
        )
        assert heights and max(heights) < 150
        assert page.locator("#list td.url a").first.get_attribute("title")


def test_bars_and_hosts_lead_to_lists_of_their_length(browser: Browser, address: str) -> None:
    with browser.new_page() as page:
        for name, place in (("now", "#outcomes .bars"), ("hosts", "#hosts tbody")):
            page.goto(f"{address}/crawl/site/{name}#token={TOKEN}")
            bar = page.locator(f"{place} a[href*='outcome=kept']")
            expect(bar).to_be_visible()
            beside = page.locator(f"{place} b").first if name == "now" else bar
            number = beside.text_content()
            bar.click()
            expect(page.locator("#count")).to_have_text(f"{number} URLs")


def test_figures_of_any_length_do_not_touch(browser: Browser, address: str) -> None:
    for width in (360, 700, 1280):
        with browser.new_page(viewport={"width": width, "height": 800}) as page:
            page.goto(f"{address}/crawl/site/now#token={TOKEN}")
            expect(page.locator("#figures dd").first).to_be_visible()
            boxes = page.evaluate(
                """() => {
                  const figures = [...document.querySelectorAll("#figures dd")];
                  for (const one of figures) one.textContent = "41 min 55 s";
                  return figures.map((one) => {
                    const range = document.createRange();
                    range.selectNodeContents(one);
                    const { left, right, top } = range.getBoundingClientRect();
                    return { left, right, top };
                  });
                }"""
            )
            for one in boxes:
                for other in boxes:
                    if one["top"] == other["top"] and one["left"] < other["left"]:
                        assert one["right"] + 16 <= other["left"]


def test_a_limit_that_ends_the_crawl_is_asked_about_first(browser: Browser, address: str) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/crawl/site/now#token={TOKEN}")
        box = page.get_by_label("Stop after pages")
        expect(box).to_be_visible()
        box.fill("1")
        page.get_by_role("button", name="Change").click()
        expect(page.locator("#confirm-title")).to_have_text("End the crawl?")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#orders")).to_contain_text("No order was given yet")


def test_the_form_of_a_new_crawl_asks_the_seed_first(browser: Browser, address: str) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/new#token={TOKEN}")
        first = page.locator("form#new :is(input, textarea, select)").first
        assert first.get_attribute("name") == "seeds"
        first.fill("https://www.example.org/some/page")
        expect(page.get_by_label("Name of its folder")).to_have_value("example.org")
        for label in ("Pause of a host", "Links from a seed", "Recipe"):
            expect(page.get_by_label(label)).to_be_visible()


def test_a_tab_without_the_token_asks_for_it_and_shows_nothing(
    browser: Browser, address: str
) -> None:
    with browser.new_context() as context, context.new_page() as page:
        page.goto(f"{address}/crawl/site/hosts")
        box = page.locator("input[name=token]")
        expect(box).to_be_visible()
        assert page.locator("#hosts td").count() == 0
        box.fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("#hosts td").first).to_be_visible()
        with context.new_page() as sibling:
            sibling.goto(f"{address}/crawl/site/hosts")
            expect(sibling.locator("#hosts td").first).to_be_visible()


ATTACK = """async (own) => {
  const tried = {};
  const asks = [
    ["read", `${own}/api/v1/crawls`, {}],
    ["write", `${own}/api/v1/crawls/site/pause`, {method: "POST", mode: "no-cors"}],
    ["sparql", `${own}/sparql?query=ASK{}`, {}],
    ["page", `${own}/crawl/site/now`, {}],
  ];
  for (const [name, url, options] of asks) {
    try { tried[name] = await (await fetch(url, options)).text(); }
    catch (error) { tried[name] = null; }
  }
  const frame = document.createElement("iframe");
  frame.src = `${own}/crawl/site/now`;
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; });
  try { tried.frame = frame.contentDocument?.body?.textContent; } catch { tried.frame = null; }
  try { tried.storage = frame.contentWindow.sessionStorage.length; } catch { tried.storage = null; }
  return tried;
}"""


def test_a_script_of_another_page_gets_nothing(
    browser: Browser, address: str, folder: Path
) -> None:
    from integration.small_servers import serving_site

    before = len(list_orders(folder))
    with (
        serving_site(lambda path: (200, "<!doctype html><title>evil</title>")) as port,
        browser.new_page() as page,
    ):
        page.goto(f"http://127.0.0.1:{port}/")  # the same host: a cookie would be sent along
        tried = page.evaluate(ATTACK, address)
    assert {name: text or None for name, text in tried.items()} == dict.fromkeys(tried)
    assert len(list_orders(folder)) == before
