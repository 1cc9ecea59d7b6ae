from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lycosa.crawl.access import access_of, typed_origins
from lycosa.errors import ConfigError
from lycosa.fetch.access import Access
from lycosa.fetch.cookies import Cookies
from lycosa.model.job import Job
from lycosa.model.job.login import Login

NOW = 1_700_000_000.0
LINE = ("Authorization: Bearer t0ken",)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "t0ken")


def access_to(place: str, *seeds: str) -> Access:
    login = {"headers": [f"{place} Authorization: Bearer ${{TOKEN}}"]}
    access = access_of(Job.of(seeds=seeds, login=login))
    assert access is not None
    return access


def test_a_header_for_a_bare_host_goes_over_https_alone() -> None:
    access = access_to("Members.test", "https://members.test/start")
    assert access.lines("https://members.test") == LINE
    for site in (
        "http://members.test",
        "https://members.test:8443",
        "http://members.test:6379",
        "https://a.members.test",
    ):
        assert access.lines(site) == (), site


def test_a_header_for_a_bare_host_goes_to_the_origin_of_a_typed_seed() -> None:
    access = access_to("members.test", "http://members.test:8000/", "http://other.test/")
    assert access.lines("http://members.test:8000") == LINE
    assert access.lines("https://members.test") == LINE
    assert access.lines("http://members.test") == ()
    assert access.lines("http://other.test") == ()


def test_a_header_for_a_host_and_port_goes_there_alone() -> None:
    access = access_to("members.test:8443", "http://members.test:8000/")
    assert access.lines("https://members.test:8443") == LINE
    assert access.lines("http://members.test:8000") == access.lines("https://members.test") == ()


@pytest.mark.parametrize(
    ("place", "site"),
    [
        ("http://members.test:80", "http://members.test"),
        ("https://MEMBERS.test:443", "https://members.test"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_a_header_for_an_origin_goes_to_that_origin_alone(place: str, site: str) -> None:
    access = access_to(place, "https://members.test/", "http://members.test:81/")
    assert access.lines(site) == LINE
    others = {"http://members.test", "https://members.test", "http://members.test:81"} - {site}
    assert all(access.lines(other) == () for other in others)


def test_seeds_of_a_list_name_no_origin() -> None:
    job = Job.of(seeds=[f"http://members.test/{number}" for number in range(2_000)])
    assert typed_origins(job) == set()


def cookies_of(tmp_path: Path, *seeds: str) -> Cookies:
    file = tmp_path / "cookies.txt"
    file.write_text("members.test\tTRUE\t/\tFALSE\t0\tid\tsession\n")
    file.chmod(0o600)
    access = access_of(Job.of(seeds=seeds, login={"cookie_file": str(file)}))
    assert access is not None
    return Cookies(access.cookies, access.typed)


def test_a_cookie_of_a_file_goes_over_https_or_to_the_origin_of_a_seed(tmp_path: Path) -> None:
    cookies = cookies_of(tmp_path, "http://members.test:8000/")
    for site in ("https://members.test", "https://a.members.test", "http://members.test:8000"):
        assert cookies.header(site, "/", NOW) == "id=session", site
    for site in (
        "http://members.test",
        "http://a.members.test",
        "http://members.test:8001",
        "https://members.test:8443",
        "https://notmembers.test",
    ):
        assert cookies.header(site, "/", NOW) == "", site


def test_a_session_stays_with_the_origin_that_opened_it() -> None:
    cookies = Cookies()
    cookies.learn("https://a.test", "/login", [("Set-Cookie", "id=session; Path=/")], NOW)
    assert cookies.header("https://a.test", "/", NOW) == "id=session"
    for site in ("http://a.test", "https://a.test:8443", "http://a.test:6379"):
        assert cookies.header(site, "/", NOW) == "", site


def test_a_session_is_kept_with_the_origin_of_the_form() -> None:
    access = Access(Login(url="https://a.test:443/login"))
    assert access.keeps_cookies_of("https://a.test")
    assert not access.keeps_cookies_of("http://a.test")


@pytest.mark.parametrize("name", ["Authorization", "cookie", "Proxy-Authorization"])
def test_a_secret_among_the_headers_of_fetch_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=r"write it to \[login\]") as refused:
        Job.of(fetch={"headers": [f"a.test {name}: in-the-open"]})
    assert "in-the-open" not in str(refused.value)


@pytest.mark.parametrize(
    "tables",
    [
        {"fetch": {"proxy": "http://me:in-the-open@a.test:3128"}},
        {"fetch": {"proxy": "ftp://me:in-the-open@a.test:3128"}},
        {"fetch": {"headers": ["in-the-open"]}},
        {"notify": {"webhook": "https://me:in-the-open@a.test/"}},
        {"notify": {"webhook": ["https://a.test/in-the-open"]}},
    ],
)
def test_an_error_text_repeats_no_secret(tables: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as refused:
        Job.of(**tables)
    assert "in-the-open" not in str(refused.value)
