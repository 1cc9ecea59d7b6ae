"""Every habit of a site does what its name says."""

from collections import Counter
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from itertools import pairwise
from typing import ClassVar

import pytest

from lycosa.model.records import LinkKind, Outcome
from lycosa_testweb import GeneratedWeb, Reply, request_for
from lycosa_testweb.generated.plan import Listed, Mixture, Traits
from lycosa_testweb.generated.section import Section
from lycosa_testweb.generated.weather import Overload, RetryAfter
from lycosa_testweb.sections import (
    Bulletins,
    Calendar,
    Copies,
    Errors,
    Ghosts,
    Hidden,
    Maze,
    Moves,
    News,
    Press,
    Sessions,
    Thicket,
)
from lycosa_testweb.sections.errors import STATUSES
from lycosa_testweb.sections.news import changed_at, version_at
from lycosa_testweb.sections.press import QUOTED
from lycosa_testweb.windows import Windows
from seeds import few_of

HOME = "http://www.s0.test/"


def web_of(*sections: Section) -> GeneratedWeb:
    return GeneratedWeb(4, Listed((Traits(sections), Traits())))


def get(web: GeneratedWeb, path: str, moment: float = 0.0) -> Reply:
    return web.answer(request_for(web, HOME + path), moment)


def test_redirects_come_with_every_status_and_an_end() -> None:
    web = web_of(Moves())
    for code in (301, 302, 303, 307, 308):
        assert get(web, f"moves/{code}").status == code
        assert web.links_of(f"{HOME}moves/{code}") == [
            (f"{HOME}moves/end/{code}", LinkKind.REDIRECT)
        ]
        assert get(web, f"moves/end/{code}").status == 200


def test_redirects_may_go_in_circles_or_nowhere() -> None:
    web = web_of(Moves())
    assert web.links_of(f"{HOME}moves/loop-1")[0][0] == f"{HOME}moves/loop-2"
    assert web.links_of(f"{HOME}moves/loop-2")[0][0] == f"{HOME}moves/loop-1"
    assert web.links_of(f"{HOME}moves/self")[0][0] == f"{HOME}moves/self"
    assert (get(web, "moves/lost").status, get(web, "moves/lost").header("location")) == (302, None)


def test_every_error_is_there() -> None:
    web = web_of(Errors())
    assert [get(web, f"errors/{status}").status for status in STATUSES] == list(STATUSES)
    assert get(web, "errors/cut").failure is Outcome.CUT_SHORT
    assert get(web, "errors/silent").latency_seconds == 20.0


def test_passing_errors_pass() -> None:
    web = web_of(Errors())
    for name in ("500", "503"):
        found = Counter(get(web, f"errors/passing/{name}", t).status for t in range(0, 6000, 10))
        assert set(found) == {200, int(name)}
        assert 0.25 < found[int(name)] / 600 < 0.42
    assert web.is_page(f"{HOME}errors/passing/503")


def test_thickets_have_long_tails_and_every_page_is_reached() -> None:
    web = web_of(Thicket(500, abroad_share=0.0))
    pages = web.pages_within([HOME], 30)
    assert len(pages) == 502
    links = [to for url in pages if "/g/" in url for to, _ in web.links_of(url)]
    degrees = sorted(Counter(links).values(), reverse=True)
    assert degrees[0] > 20 * degrees[len(degrees) // 2]


def test_thickets_of_many_hosts_are_entangled() -> None:
    web = GeneratedWeb(1, Mixture(50, 5, sections=(((Thicket(100),), 1.0),)))
    hosts = {to.split("/")[2] for url in web.all_pages(web.host(3)) for to, _ in web.links_of(url)}
    assert len(hosts) > 10


def test_calendars_and_mazes_have_no_end() -> None:
    web = web_of(Calendar(), Maze())
    assert list(web.all_pages(web.host(0))) == [HOME]
    sizes = [len(web.pages_within([HOME], depth)) for depth in (2, 4, 6, 8)]
    assert all(after > before for before, after in pairwise(sizes))


def test_session_ids_change_with_time_and_the_page_does_not() -> None:
    web = web_of(Sessions())
    early, late = web.links_of(f"{HOME}shop/0", 0.0), web.links_of(f"{HOME}shop/0", 3600.0)
    assert early != late
    assert web.is_page(early[0][0])
    assert web.is_page(late[0][0])


def test_copies_are_the_same_or_nearly_so() -> None:
    web = web_of(Copies())
    assert get(web, "copies/same/0").body == get(web, "copies/same/3").body
    first, other = get(web, "copies/near/0").body.decode(), get(web, "copies/near/1").body.decode()
    assert first != other
    assert first.partition("Printed on")[0] == other.partition("Printed on")[0]


def test_ghosts_answer_whatever_is_asked() -> None:
    reply = get(web_of(Ghosts()), "ghosts/any/thing?at=all")
    assert reply.status == 200
    assert b"not found" in reply.body


def test_hidden_pages_exist_and_are_not_linked() -> None:
    web = web_of(Hidden())
    linked = {to for to, _ in web.links_of(HOME)}
    for path in ("hidden/page3.html", "hidden/2021/02/"):
        assert get(web, path).status == 200
        assert HOME + path not in linked


def test_news_change_when_their_version_does() -> None:
    web = web_of(News())
    url = f"{HOME}news/0.html"
    moments = [n * 600.0 for n in range(200)]
    versions = [web.version_of(url, moment) for moment in moments]
    bodies = [get(web, "news/0.html", moment).body for moment in moments]
    assert versions == sorted(versions)
    for before, after in pairwise(range(200)):
        assert (versions[before] == versions[after]) == (bodies[before] == bodies[after])


def test_changes_come_at_the_known_rate() -> None:
    versions = {version_at(9, 100.0, moment) for moment in range(0, 100_000, 2)}
    assert 900 < len(versions) < 1100


def test_overloaded_hosts_say_when_to_come_back() -> None:
    windows = Windows(100.0, 30.0)
    for retry in RetryAfter:
        overload = Overload(windows, 429, retry)
        web = GeneratedWeb(1, Listed((Traits(overload=overload),)))
        replies = {t: get(web, "", float(t)) for t in range(1000)}
        refused = [t for t, reply in replies.items() if reply.status == 429]
        assert 280 < len(refused) < 320
        for t in refused:
            value = replies[t].header("retry-after")
            assert (value is None) == (retry is RetryAfter.UNSAID)
            if retry is RetryAfter.SECONDS:
                back = t + replies[t].latency_seconds + int(value or 0)
                assert get(web, "", back).status == 200 or back // 100 > t // 100


def test_secure_hosts_redirect_plain_requests_to_themselves() -> None:
    web = GeneratedWeb(1, Listed((Traits(scheme="https"),)))
    assert get(web, "").header("location") == "https://www.s0.test/"
    assert web.answer(request_for(web, web.home()), 0.0).status == 200


def test_an_annex_is_another_site_on_the_same_host() -> None:
    web = GeneratedWeb(1, Listed((Traits(has_annex=True),)))
    annex = "http://www.s0.test:8080/"
    assert (annex, LinkKind.ANCHOR) in web.links_of(HOME)
    assert web.answer(request_for(web, annex), 0.0).status == 200
    assert web.answer(request_for(web, f"{annex}robots.txt"), 0.0).status == 404


def test_the_small_web_is_small_and_all_its_pages_are_pages() -> None:
    web = GeneratedWeb.small(2)
    pages = list(web.all_pages())
    assert 120 < len(pages) == len(set(pages)) < 220
    assert all(web.is_page(url) for url in pages)
    assert len({web.resolve(host, 0.0).address for host in web.hosts()} - {None}) == 5


def test_pages_are_in_the_language_and_on_the_topic_of_their_host() -> None:
    web = GeneratedWeb.small(2)
    traits = web.traits_of(web.host(1))
    assert traits is not None
    assert (traits.language, traits.topic) == ("de", "railways")
    body = web.answer(request_for(web, web.home(1)), 0.0).body.decode()
    assert '<html lang="de">' in body
    assert " und " in body
    assert web.traits_of("nobody.test") is None


def test_names_of_one_domain_share_an_address() -> None:
    web = GeneratedWeb(1, Mixture(30, 5, names_per_domain=3))
    assert [web.host(n) for n in (0, 2, 3)] == ["h0.d0.test", "h2.d0.test", "h3.d1.test"]
    assert web.resolve("h0.d0.test", 0.0) == web.resolve("h2.d0.test", 0.0)
    assert web.resolve("h2.d1.test", 0.0).address is None


class Parts(HTMLParser):
    """What an article links to, by the element that says it."""

    kinds: ClassVar = {
        "a": LinkKind.ANCHOR,
        "link": LinkKind.STYLE,
        "script": LinkKind.SCRIPT,
        "img": LinkKind.IMAGE,
        "video": LinkKind.MEDIA,
    }

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, LinkKind]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        target = values.get("href") or values.get("src")
        if tag in self.kinds and target:
            self.found.append((target, self.kinds[tag]))


def test_articles_contain_their_links_and_what_they_need_is_there() -> None:
    web = web_of(Press())
    articles = [url for url in web.all_pages() if "/article-" in url]
    assert len(articles) == 8
    seen = Counter[LinkKind]()
    for url in articles:
        parts = Parts()
        parts.feed(get(web, url.removeprefix(HOME)).body.decode())
        assert parts.found == web.links_of(url)
        seen.update(kind for _, kind in parts.found)
        for target, _ in parts.found:
            is_ours = target.startswith(HOME)
            assert not is_ours or get(web, target.removeprefix(HOME)).status == 200, target
            assert is_ours or target.startswith(QUOTED)
    assert len(seen) == len(Parts.kinds)
    assert get(web, "press/article-8.html").status == 404
    assert get(web, "press/article-01.html").status == 404


def test_hosts_of_a_varied_web_say_what_serves_them_and_when_pages_changed() -> None:
    web = GeneratedWeb.varied(1)
    moment = 1.7e9
    servers, ages = Counter[str](), []
    for host in web.hosts():
        reply = web.answer(request_for(web, f"http://{host}/"), moment)
        servers[reply.header("server") or ""] += 1
        if (changed := reply.header("last-modified")) is not None:
            ages.append(moment - parsedate_to_datetime(changed).timestamp())
            later = web.answer(request_for(web, f"http://{host}/"), moment + 1.0)
            assert later.header("last-modified") == changed
    assert len(servers) == 6
    assert 10 < len(ages) < 50
    assert all(age >= 0 for age in ages)
    assert max(ages) > 100 * 86_400


@pytest.mark.parametrize("step", few_of([5, 1], 1))
def test_bulletins_change_each_at_its_own_rate(step: int) -> None:
    section = Bulletins(30, fastest_seconds=100.0, slowest_seconds=10_000.0, has_dates=True)
    web = web_of(section)
    urls = [url for url in web.all_pages("www.s0.test") if "/bulletins/" in url]
    means = [web.change_seconds_of(url) for url in urls]
    assert len(urls) == 30 and len(set(means)) == 30
    assert 100.0 <= min(means) < 300.0 and 3_000.0 < max(means) <= 10_000.0
    for url, mean in zip(urls[::step], means[::step], strict=True):
        moments = [1e6 + mean * tenths / 10 for tenths in range(4_000)]
        versions = [web.version_of(url, moment) for moment in moments]
        changes = sum(one != other for one, other in pairwise(versions))
        assert 300 < changes < 500  # 400 changes, seen every tenth of the mean interval
        reply = get(web, url.removeprefix(HOME), moments[-1])
        assert f"Version {versions[-1]}.".encode() in reply.body
    links = Counter(link for url in urls for link, _ in web.links_of(url))
    assert links.most_common(1)[0][1] > 3 * links.total() / len(urls)


def test_a_change_is_when_the_version_changes() -> None:
    for moment in (5_000.0, 7_777.0, 12_345.6):
        changed = changed_at(9, 1_000.0, moment)
        now = version_at(9, 1_000.0, moment)
        assert version_at(9, 1_000.0, changed + 1e-6) == now
        assert version_at(9, 1_000.0, changed - 1e-6) != now
