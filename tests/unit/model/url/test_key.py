"""Keys sort what belongs together side by side, and lose nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.model.url import (
    canonicalize,
    host_of,
    is_dynamic,
    key_of,
    reversed_host_of,
    site_of,
    site_url,
    url_of,
)

KEYS = [
    ("http://www.example.org/a?b", "org.example.www:/a?b"),
    ("https://example.org/", "org.example:s/"),
    ("https://example.org:8443/x", "org.example:s8443/x"),
    ("https://example.org:80/x", "org.example:s80/x"),
    ("http://example.org:8080/", "org.example:8080/"),
    ("http://example.org:0/", "org.example:0/"),
    ("http://127.0.0.1/", "127.0.0.1:/"),
    ("https://10.0.0.1:81/", "10.0.0.1:s81/"),
    ("http://[::1]:81/x", "[::1]:81/x"),
    ("https://[2001:db8::7]/", "[2001:db8::7]:s/"),
    ("http://localhost/", "localhost:/"),
    ("http://s/", "s:/"),
    ("https://s/s:8/s", "s:s/s:8/s"),
    ("http://example.org./", ".org.example:/"),
    ("http://a..b/", "b..a:/"),
    ("http://1.2.3.4../", "..4.3.2.1:/"),
    ("http://.example.org/", "org.example.:/"),
    ("http://example.3com/", "3com.example:/"),
    ("http://1.2.3.example/", "example.3.2.1:/"),
    ("http://xn--bcher-kva.example/", "example.xn--bcher-kva:/"),
    ("http://example.org/a:b/http://c:1/?d/e:f", "org.example:/a:b/http://c:1/?d/e:f"),
]


@pytest.mark.parametrize(("url", "key"), KEYS)
def test_a_key_is_the_url_with_its_host_turned_round(url: str, key: str) -> None:
    assert canonicalize(url) == url
    assert key_of(url) == key
    assert url_of(key) == url


@pytest.mark.parametrize(
    ("key", "site", "url", "host"),
    [
        ("org.example.www:s8443/a", "org.example.www:s8443", "https://www.example.org:8443", 15),
        ("org.example:/a/b?c", "org.example:", "http://example.org", 11),
        ("[::1]:81/x", "[::1]:81", "http://[::1]:81", 5),
        ("127.0.0.1:s/", "127.0.0.1:s", "https://127.0.0.1", 9),
        (".org.example:8/", ".org.example:8", "http://example.org.:8", 12),
    ],
)
def test_a_site_is_scheme_host_and_port(key: str, site: str, url: str, host: int) -> None:
    assert site_of(key) == site
    assert site_url(site) == url
    assert reversed_host_of(key) == site[:host]


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("org.example.www:s8443/a", "www.example.org"),
        ("[::1]:81/x", "[::1]"),
        ("127.0.0.1:/", "127.0.0.1"),
        (".org.example:/", "example.org."),
        ("localhost:/", "localhost"),
        ("3com.example:/", "example.3com"),
    ],
)
def test_the_host_comes_back_in_its_usual_order(key: str, host: str) -> None:
    assert host_of(key) == host


def test_a_url_with_a_query_is_dynamic() -> None:
    assert is_dynamic("org.example:/a?b")
    assert not is_dynamic("org.example:/a")


def test_the_pages_of_a_domain_sort_together() -> None:
    urls = ["http://a.example.org/", "http://b.example.net/", "http://z.example.org/"]
    assert sorted(urls, key=key_of) == [urls[1], urls[0], urls[2]]


labels = st.one_of(
    st.sampled_from(["", "org", "example", "www", "s", "1", "127", "0", "3com", "bücher", "0x1"]),
    st.text("ab1-é.", max_size=4),
)
hosts = st.one_of(
    st.lists(labels, min_size=1, max_size=6).map(".".join),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
)


@settings(deadline=None)
@given(
    st.sampled_from(["http", "https"]),
    hosts,
    st.one_of(st.just(""), st.integers(0, 65535).map(lambda port: f":{port}")),
    st.text("aA/:?#.%s1[]", max_size=12),
)
def test_every_canonical_url_comes_back_from_its_key(
    scheme: str, host: str, port: str, rest: str
) -> None:
    url = canonicalize(f"{scheme}://{host}{port}/{rest}")
    if url is not None:
        key = key_of(url)
        assert url_of(key) == url
        assert url == site_url(site_of(key)) + key[len(site_of(key)) :]
        assert key.startswith(reversed_host_of(key) + ":")
        assert url.partition("://")[2].startswith(host_of(key))
