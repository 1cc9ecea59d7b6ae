"""The truth about a robots file, known without parsing it, agrees with parsers."""

from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

import pytest

from lycosa.model.records import Outcome
from lycosa_testweb import GeneratedWeb, Robots, request_for
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.sections import Thicket, Vault
from lycosa_testweb.web import Reply
from lycosa_testweb.windows import Windows

AGENTS = ("lycosa", "Lycosa/1.0 (+mailto:me@example.org)", "otherbot", "somebody")
READABLE = (
    *("empty", "some", "all", "own group", "other group", "crawl-delay", "own crawl-delay"),
    *("moved", "moved five times", "moved abroad", "long after", "crlf", "failing at times"),
)


def web_with(robots: Robots) -> GeneratedWeb:
    site = Traits((Vault(), Thicket(60)), robots)
    return GeneratedWeb(1, Listed((site, Traits()), addresses=2))


def robots_of(web: GeneratedWeb, moment: float) -> tuple[list[int], Reply]:
    url, statuses = f"{web.home()}robots.txt", []
    while True:
        reply = web.answer(request_for(web, url), moment)
        statuses.append(reply.status)
        location = reply.header("location")
        if location is None:
            return statuses, reply
        url = urljoin(url, location)


@pytest.mark.parametrize("kind", READABLE)
@pytest.mark.parametrize("agent", AGENTS)
def test_the_truth_agrees_with_a_parser_that_knows_no_wildcards(kind: str, agent: str) -> None:
    web = web_with(ROBOTS_KINDS[kind])
    _, reply = robots_of(web, 0.0)
    parser = RobotFileParser()
    parser.parse(reply.body.decode().splitlines())
    for url in web.all_pages(web.host(0)):
        assert web.is_allowed(url, agent) == parser.can_fetch(agent, url), url
    assert web.crawl_delay(web.host(0), agent) == (parser.crawl_delay(agent) or 0)


@pytest.mark.parametrize(
    ("kind", "closed"),
    [
        ("wildcards", {"paper.pdf", "year/draft-1.html", "find?q=1"}),
        ("exception", {"closed/1.html", "closed/2.html"}),
        ("none", set()),
        ("forbidden", set()),
        ("moved six times", set()),
        ("long before", set()),
        ("marked", {"closed/1.html", "closed/2.html", "closed/open/1.html"}),
    ],
)
def test_each_kind_closes_what_it_should(kind: str, closed: set[str]) -> None:
    web = web_with(ROBOTS_KINDS[kind])
    base = f"{web.home()}vault/"
    urls = [url for url in web.all_pages(web.host(0)) if url.startswith(base)]
    assert {url for url in urls if not web.is_allowed(url, "lycosa")} == {base + c for c in closed}


def test_a_file_that_never_comes_closes_everything() -> None:
    for kind in ("failing", "silent"):
        assert not web_with(ROBOTS_KINDS[kind]).is_allowed("http://www.s0.test/", "lycosa")


def test_redirects_are_as_many_as_announced() -> None:
    for kind, hops in (("moved", 1), ("moved five times", 5), ("moved six times", 6)):
        statuses, _ = robots_of(web_with(ROBOTS_KINDS[kind]), 0.0)
        assert len(statuses) == hops + 1
        assert statuses[-1] == 200


def test_redirects_may_lead_abroad() -> None:
    web = web_with(ROBOTS_KINDS["moved abroad"])
    reply = web.answer(request_for(web, f"{web.home()}robots.txt"), 0.0)
    assert reply.header("location") == "http://www.s1.test/robots-of/0/1.txt"


def test_long_files_stand_on_both_sides_of_the_cut() -> None:
    for kind, is_early in (("long after", True), ("long before", False)):
        _, reply = robots_of(web_with(ROBOTS_KINDS[kind]), 0.0)
        assert len(reply.body) > 500 * 1024
        assert (reply.body.find(b"Disallow") < 500 * 1024) is is_early


def test_a_file_may_be_out_of_order_for_a_while() -> None:
    robots = Robots(failing_status=500, failing=Windows(100.0, 50.0))
    web = web_with(robots)
    statuses = {robots_of(web, float(moment))[0][0] for moment in range(100)}
    assert statuses == {200, 500}
    assert web.is_allowed(web.home(), "lycosa")


def test_marks_and_line_ends_are_delivered() -> None:
    assert robots_of(web_with(ROBOTS_KINDS["marked"]), 0.0)[1].body.startswith(b"\xef\xbb\xbfUser")
    assert b"\r\n" in robots_of(web_with(ROBOTS_KINDS["crlf"]), 0.0)[1].body
    reply = robots_of(web_with(ROBOTS_KINDS["silent"]), 0.0)[1]
    assert (reply.failure, reply.latency_seconds) == (Outcome.TIMEOUT, 20.0)
