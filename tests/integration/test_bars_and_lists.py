"""Each number on a page of a crawl is the length of the list that it leads to."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect
from starlette.testclient import TestClient

from browser import chromium
from integration.small_servers import Asked, Told, serving_answers
from lycosa.cli.main import main
from lycosa.crawl.status.words import in_words
from lycosa.web.rest.operations import API
from served_crawl import BEARER, TOKEN, app_over, serving

OWN = "http://127.0.0.1:8890"
PATHS = {
    "/robots.txt": Told(200, "User-agent: *\nDisallow: /private", {"Content-Type": "text/plain"}),
    "/gone": Told(404, "gone"),
    "/forbidden": Told(403, "no"),
    "/broken": Told(500, "broken"),
    "/moved": Told(301, "", {"Location": "/plain"}),
    "/away": Told(302, "", {"Location": "http://elsewhere.invalid/"}),
    "/picture": Told(200, "GIF89a", {"Content-Type": "image/gif"}),
    "/list.pdf": Told(200, "%PDF-1.4", {"Content-Type": "application/pdf"}),
    "/coded": Told(200, "not gzip", {"Content-Encoding": "gzip"}),
    "/long": Told(200, f"<title>Long</title><p>{'word ' * 9000}"),
    "/excluded/page": Told(200, "<p>never asked for"),
    "/private/page": Told(200, "<p>never asked for"),
}
OUTCOMES = {"kept", "not_found", "client_error", "server_error", "redirected"}
OUTCOMES |= {"wrong_type", "bad_answer", "disallowed"}


def site(asked: Asked) -> Told:
    """Answer each of the paths, and below `/deep` a page for every number."""
    if asked.path in PATHS:
        return PATHS[asked.path]
    number = int(asked.path.rpartition("/")[2]) if asked.path.startswith("/deep/") else 0
    links = [*PATHS, "/plain"] if asked.path == "/" else []
    links += [f"/deep/{number * 4 + n}" for n in range(1, 5)]
    listed = "".join(f"<a href='{path}'>{path}</a>" for path in links)
    return Told(200, f"<!doctype html><html lang=en><title>{asked.path}</title>{listed}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bars") / "site"
    with serving_answers(site) as port:
        words = ["crawl", f"http://127.0.0.1:{port}/", "-o", str(place), "--quiet"]
        words += ["--delay", "1ms", "--depth", "2", "--set", "fetch.largest_body_bytes=20000"]
        words += ["--set", "crawl.workers=1", "--set", "frontier.partitions=2"]
        words += ["--set", "fetch.retries=0"]
        assert main(words) == 0
    return place


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    crawls, app = app_over(folder)
    with TestClient(app, OWN, headers=BEARER) as made:
        yield made
    crawls.close()


def get(client: TestClient, path: str, **values: Any) -> Any:
    answer = client.get(f"{API}/crawls/site{path}", params=values)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_each_number_is_the_length_of_its_list(client: TestClient) -> None:
    counts = get(client, "/page-list/counts")
    assert set(counts["by"]["outcome"]) >= OUTCOMES
    rows = get(client, "/page-list", limit=10_000)["rows"]
    assert counts["total"] == len(rows) == sum(counts["by"]["outcome"].values())
    for name in ("outcome", "type", "host"):
        for value, number in counts["by"][name].items():
            if value:  # an empty filter lets everything through
                listed = get(client, "/page-list", limit=10_000, **{name: value})["rows"]
                assert len(listed) == number, (name, value)
                within = get(client, "/page-list/counts", **{name: value})
                assert within["total"] == number
                for outcome, some in within["by"]["outcome"].items():
                    both = get(
                        client, "/page-list", **{"limit": 10_000, "outcome": outcome, name: value}
                    )
                    assert name == "outcome" or len(both["rows"]) == some


def test_what_limits_left_out_comes_with_the_command_that_the_terminal_names(
    client: TestClient, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = get(client, "/progress")
    rows = {row["limit"]: row for row in frame["left_out_rows"]}
    assert rows["depth"]["number"] == sum(
        frame["left_out"].get(limit, 0) for limit in ("depth_static", "depth_dynamic")
    )
    command = shlex.join(["lycosa", "resume", str(folder), "--depth", "3"])
    assert rows["depth"]["command"] == command
    assert rows["largest_body_bytes"]["number"] == 1
    main(["status", str(folder)])
    shown = "".join(capsys.readouterr().out.split())
    for row in rows.values():
        assert "".join(row["text"].split()) in shown
        assert "".join(row["command"].split()) in shown


@pytest.mark.needs("chromium")
def test_each_bar_leads_to_a_list_of_its_length(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        serving(folder) as address,
        chromium(tmp_path_factory.mktemp("chromium")) as browser,
    ):
        opens_at_its_pages(browser, address)
        follow_all(browser, address)


def opens_at_its_pages(browser: Browser, address: str) -> None:
    """An ended crawl that is served alone has no list of crawls before it."""
    with browser.new_page() as page:
        page.goto(f"{address}/#token={TOKEN}")
        page.wait_for_url(f"{address}/crawl/site/pages")
        expect(page.locator("#list tbody tr").first).to_be_visible()
        expect(page.locator("#left-out code").first).to_contain_text("--depth 3")


def follow_all(browser: Browser, address: str) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/crawl/site/now#token={TOKEN}")
        bars = page.locator("#outcomes .bars a")
        expect(bars.first).to_be_visible()
        numbers = page.locator("#outcomes .bars b").all_text_contents()
        names = bars.all_text_contents()
        assert set(names) >= {in_words(name) for name in OUTCOMES}
        expect(page.locator("#refusals .left-out code").first).to_contain_text("--depth 3")
        expect(page.locator("#refusals .left-out li")).to_have_count(2)
        for name, number in zip(names, numbers, strict=True):
            page.goto(f"{address}/crawl/site/now")
            page.locator("#outcomes .bars").get_by_role("link", name=name, exact=True).click()
            unit = "URL" if number == "1" else "URLs"
            expect(page.locator("#count")).to_have_text(f"{number} {unit}")
            expect(page.locator("#list tbody tr")).to_have_count(min(int(number), 50))


def test_the_longest_question_is_answered_by_the_server(folder: Path) -> None:
    long = dict.fromkeys(("host", "outcome", "type", "topic"), "\N{SPIDER WEB}" * 300)
    long["text"] = "\N{SPIDER}" * 500
    with serving(folder) as address:
        asked = Request(f"{address}{API}/crawls/site/page-list?{urlencode(long)}", headers=BEARER)
        with urlopen(asked, timeout=60) as answer:
            assert answer.headers["Content-Type"] == "application/json"
