"""The truth agrees with the bytes: `links_of` returns the links in the HTML."""

import gzip
import re
from html.parser import HTMLParser
from itertools import islice
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.records import LinkKind, Request
from lycosa_testweb import GeneratedWeb, GraphWeb, OtherNames, request_for
from lycosa_testweb.generated.forms import write
from lycosa_testweb.parts import take_apart


def canonical(url: str) -> str:
    """The little of RFC 3986, 6.2.2.1 that the test web makes use of."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    default = {"http": 80, "https": 443}[parts.scheme]
    port = f":{parts.port}" if parts.port not in (None, default) else ""
    query = f"?{parts.query}" if parts.query else ""
    path = re.sub("%[0-9a-f]{2}", lambda escape: escape[0].upper(), parts.path)
    return f"{parts.scheme}://{host}{port}{path or '/'}{query}"


class Links(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found: list[tuple[str, LinkKind]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.add(values["href"], LinkKind.ANCHOR)
        elif tag == "link":
            self.add(values["href"], LinkKind.CANONICAL)
        elif tag == "meta" and values.get("http-equiv") == "refresh":
            self.add(values["content"].partition("url=")[2], LinkKind.REFRESH)

    def add(self, href: str, kind: LinkKind) -> None:
        self.found.append((canonical(urljoin(self.base, href)), kind))


def links_in(web: GeneratedWeb | GraphWeb, url: str, moment: float) -> list[tuple[str, LinkKind]]:
    request: Request = request_for(web, url)
    reply = web.answer(request, moment)
    location = reply.header("location")
    if location is not None:
        return [(canonical(urljoin(url, location)), LinkKind.REDIRECT)]
    if url.endswith((".xml", ".gz")):
        body = gzip.decompress(reply.body) if url.endswith(".gz") else reply.body
        found = re.findall(rb"<loc>(.*?)</loc>", body)
        return [(loc.decode(), LinkKind.SITEMAP) for loc in found]
    page = Links(url)
    page.feed(reply.body.decode())
    return page.found


def is_calm(web: GeneratedWeb, url: str, moment: float) -> bool:
    return web.answer(request_for(web, url), moment).status in (200, 299, 301, 302, 303, 307, 308)


@pytest.mark.parametrize("moment", [1_700_000_000.0, 1_700_000_077.7])
def test_every_page_of_the_small_web_contains_its_links(moment: float) -> None:
    web = GeneratedWeb.small(5)
    todo, looked = [web.home()], 0
    seen: set[str] = set()
    while todo and len(seen) < 400:
        url = todo.pop(0)
        if url in seen:
            continue
        seen.add(url)
        truth = web.links_of(url, moment)
        todo += [target for target, _ in truth]
        if is_calm(web, url, moment):
            looked += 1
            assert sorted(links_in(web, url, moment)) == sorted(truth), url
    assert looked > 100


def test_pages_of_the_wide_web_contain_their_links() -> None:
    web = GeneratedWeb.wide(5)
    urls = [url for url in islice(web.all_pages(), 300) if is_calm(web, url, 50.0)]
    assert len(urls) > 200
    for url in urls:
        assert sorted(links_in(web, url, 50.0)) == sorted(web.links_of(url, 50.0))


def test_sitemaps_and_their_index_contain_their_links() -> None:
    web = GeneratedWeb.small(5)
    base = web.home(5)
    (index,) = web.links_of(f"{base}robots.txt")
    assert index == (f"{base}sitemaps/index.xml", LinkKind.SITEMAP)
    robots = web.answer(request_for(web, f"{base}robots.txt"), 0.0).body.decode()
    assert f"Sitemap: {index[0]}\r\n" in robots
    parts = web.links_of(index[0])
    assert links_in(web, index[0], 0.0) == parts
    for part, _ in parts:
        assert links_in(web, part, 0.0) == web.links_of(part)
        assert all(web.is_page(url) for url, _ in web.links_of(part))


def test_drawn_pages_contain_their_links() -> None:
    home = "http://a.test/"
    web = GraphWeb(
        {home: ["http://a.test/x?a=1&b=2", "http://b.test/"]},
        {"http://a.test/old": home},
        names=OtherNames({home: "http://a.test/new"}, {home: "http://a.test/true"}),
    )
    assert sorted(links_in(web, home, 0.0)) == sorted(web.links_of(home))
    assert links_in(web, "http://a.test/old", 0.0) == [(home, LinkKind.REDIRECT)]


LETTERS = st.sampled_from([*"abcxyz019-._~", "%C3%A9", "%2F"])
SEGMENT = st.lists(LETTERS, min_size=1, max_size=4).map("".join).filter(lambda s: s.strip("."))
PATHS = st.builds(
    lambda parts, slash: "/" + "/".join(parts) + ("/" if slash and parts else ""),
    st.lists(SEGMENT, max_size=4),
    st.booleans(),
)
URLS = st.builds(
    lambda origin, path, query: origin + path + query,
    st.sampled_from(["http://a.test", "https://a.test", "http://b.test", "http://a.test:8080"]),
    PATHS,
    st.sampled_from(["", "?q=1", "?a=b"]),
)


@given(URLS, URLS, st.integers(0, 2**20))
def test_every_form_of_a_link_means_the_same_url(base: str, target: str, chance: int) -> None:
    assert canonical(urljoin(base, write(take_apart(base), target, chance))) == target


def test_all_forms_are_written() -> None:
    base = take_apart("http://a.test/x/y")
    written = {write(base, "http://a.test/x/z?q=1", chance) for chance in range(2000)}
    for form in ("z?q=1", "/x/z?q=1", "//a.test/x/z?q=1", "HTTP://A.TEST/x/z?q=1", "z?q=1#top"):
        assert form in written
    assert "http://a.test:80/x/z?q=1" in written
    escaped = {write(base, "http://a.test/%C3%A9", chance) for chance in range(2000)}
    assert "http://a.test/%c3%a9" in escaped
    assert "?q=1" in {write(base, "http://a.test/x/y?q=1", chance) for chance in range(2000)}
