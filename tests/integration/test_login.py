"""A crawl logs in by a form, a header or a cookie file, and its secrets are nowhere to be found."""

from __future__ import annotations

import ssl
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trustme

from examples import Reader, blocks, fits
from integration.loopback_site import quick_job
from integration.members_site import (
    MEMBERS,
    PASSWORD,
    SESSION,
    TOKEN,
    USER,
    MembersSite,
    members_site,
)
from lycosa import Crawl
from lycosa.crawl.status.progress import Listener
from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs import quotes
from unpacked_files import everything_in
from warm import lycosa

FORM = {"fields": ["user=ada", "password=${SITE_PASSWORD}"], "plain_fields": ["user"]}


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_PASSWORD", PASSWORD)
    monkeypatch.setenv("SITE_TOKEN", TOKEN)


def crawled(site: MembersSite, folder: Path, login: dict[str, Any], **more: Any) -> Crawl:
    run_crawl(CrawlDirectory.create(folder, quick_job(site, login=login, **more)))
    return Crawl(folder)


def by_form(site: MembersSite, **more: Any) -> dict[str, Any]:
    return {**FORM, "url": f"{site.url}login", "page": f"{site.url}login", **more}


def members_kept(crawl: Crawl) -> int:
    return sum("/members/" in page.url for page in crawl.pages(outcome="kept"))


@pytest.mark.parametrize("password", [quotes.PASSWORD, "wrong"])
def test_the_tutorial_site_is_crawled_as_a_reader(
    password: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", password)
    fields = [f"username={quotes.NAME}", "password=${SITE_PASSWORD}"]
    with SocketWeb(quotes.QuotesWeb(), tls=False) as server:
        job = Job.of(
            seeds=[quotes.HOME],
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
            discovery={"mining": "off"},
            limits={"depth_static": 1, "seconds": 60.0},
            login={
                "url": quotes.LOGIN,
                "page": quotes.LOGIN,
                "fields": fields,
                "plain_fields": ["username"],
            },
        )
        ended = run_crawl(CrawlDirectory.create(tmp_path / "crawl", job))
    crawl = Crawl(tmp_path / "crawl")
    kept = {page.url for page in crawl.pages(outcome="kept")}
    if password == "wrong":
        assert (ended.reason, kept) == ("not logged in", set())
    else:
        assert {quotes.HOME, quotes.FAVOURITES} <= kept
        stored = crawl.find(quotes.HOME)
        assert stored is not None and b"Logout" in stored.body
        assert not any("logout" in url for url in kept)


def test_a_form_opens_members_pages_and_no_secret_is_kept(tmp_path: Path) -> None:
    with members_site() as site:
        crawl = crawled(site, tmp_path / "crawl", by_form(site), delay=0.05)
        assert members_kept(crawl) == MEMBERS
        assert (site.logins, site.paths("POST")) == (1, ["/login"])
        assert "/logout" not in site.paths()
        moments = [asked.moment for asked in site.requests]
    pauses = [later - earlier for earlier, later in pairwise(moments)]
    assert min(pauses) > 0.04, "the login has the pauses of every request"
    texts = [text.text for text in crawl.texts()]
    assert any("Private words" in text for text in texts)
    files = everything_in(tmp_path / "crawl")
    assert any(b"Private words" in content for content in files.values())
    assert any(b"Cookie: [redacted]" in content for content in files.values())
    for path, content in files.items():
        for secret in (PASSWORD, SESSION):
            assert secret.encode() not in content, path


def test_a_lost_session_is_opened_again_within_the_bound(tmp_path: Path) -> None:
    with members_site(loses_after=2) as site:
        crawl = crawled(site, tmp_path / "crawl", by_form(site))
        assert members_kept(crawl) == MEMBERS
        assert 3 <= site.logins <= 5


def test_a_page_that_is_refused_to_everyone_costs_one_login(tmp_path: Path) -> None:
    with members_site() as site:
        site.has_interface = True
        crawl = crawled(site, tmp_path / "crawl", by_form(site))
        assert members_kept(crawl) == MEMBERS and site.logins <= 2
    refused = [page.outcome for page in crawl.pages() if "/api/" in page.url]
    assert refused == ["client_error"]


def test_when_logins_are_used_up_pages_say_so(tmp_path: Path) -> None:
    with members_site(loses_after=2) as site:
        crawl = crawled(site, tmp_path / "crawl", by_form(site, most_logins=1))
        assert site.logins == 1
    counted = Counter(page.outcome for page in crawl.pages() if "/members/" in page.url)
    assert counted == {"kept": 2, "not_logged_in": MEMBERS - 2}


def ends_without_a_page(site: MembersSite, folder: Path, login: dict[str, Any]) -> list[str]:
    """Crawl with a login that fails; return what was asked for beside the robots file."""
    ended = run_crawl(CrawlDirectory.create(folder, quick_job(site, login=login)))
    assert (ended.reason, ended.is_complete) == ("not logged in", False)
    assert list(Crawl(folder).pages()) == []
    return [asked.path for asked in site.requests if asked.path != "/robots.txt"]


@pytest.mark.parametrize("shows_form", [False, True])
def test_a_wrong_password_is_tried_once_and_ends_the_crawl_before_the_first_page(
    shows_form: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "wrong-word")
    with members_site() as site:
        site.shows_form = shows_form
        login = by_form(site, most_logins=2)
        assert ends_without_a_page(site, tmp_path / "crawl", login) == ["/login", "/login"]
        monkeypatch.setenv("SITE_PASSWORD", PASSWORD)
        run_crawl(CrawlDirectory.open(tmp_path / "crawl"))
    assert members_kept(Crawl(tmp_path / "crawl")) == MEMBERS, "a resume with the right one goes on"


def test_the_check_of_the_job_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with members_site() as site:
        check = {"check": f"{site.url}members/0", "check_text": "Private words"}
        crawl = crawled(site, tmp_path / "in", by_form(site, **check))
        assert members_kept(crawl) == MEMBERS and site.logins == 1
        wrong = by_form(site, **{**check, "check_text": "Words of an administrator"})
        ends_without_a_page(site, tmp_path / "text", wrong)
    monkeypatch.setenv("SITE_PASSWORD", "wrong-word")
    with members_site() as site:
        site.accepts_all = True
        asked = ends_without_a_page(site, tmp_path / "out", by_form(site, **check_of(site)))
        assert asked == ["/login", "/login", "/members/0"]


def check_of(site: MembersSite) -> dict[str, str]:
    return {"check": f"{site.url}members/0"}


def test_a_login_that_sets_no_cookie_is_only_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "wrong-word")
    told: list[str] = []
    with members_site() as site:
        site.accepts_all = True
        directory = CrawlDirectory.create(tmp_path / "crawl", quick_job(site, login=by_form(site)))
        ended = run_crawl(directory, listener=Listener(noticed=told.append))
    assert ended.reason == "exhausted"
    assert "set no cookie" in told[0] and "[login] check" in told[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_command_says_why_the_login_failed_and_has_a_code_of_its_own(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "wrong-word")
    with members_site() as site:
        job = quick_job(site, login=by_form(site), crawl={"workers": workers})
        CrawlDirectory.create(tmp_path / "crawl", job)
        ran = lycosa("resume", "crawl", cwd=tmp_path)
    told = " ".join((ran.stdout + ran.stderr).split())
    assert ran.returncode == 77, told
    assert f"not logged in at {site.url}login: the answer to the form is 403" in told
    assert "check the secret and the names in [login] fields" in told
    assert f"Ended: not logged in at {site.url}login" in told
    assert "lycosa resume crawl" in told and "lycosa cat" not in told


def test_a_form_in_the_place_of_a_page_shows_that_the_session_is_lost(tmp_path: Path) -> None:
    with members_site(loses_after=2) as site:
        site.shows_form = True
        crawl = crawled(site, tmp_path / "again", by_form(site))
        assert members_kept(crawl) == MEMBERS and 3 <= site.logins <= 5
        assert not any("<form" in text.text for text in crawl.texts())
        once = crawled(site, tmp_path / "once", by_form(site, most_logins=1))
    counted = Counter(page.outcome for page in once.pages() if "/members/" in page.url)
    assert counted == {"kept": 2, "not_logged_in": MEMBERS - 2}


def test_robots_rules_hold_for_the_login(tmp_path: Path) -> None:
    with members_site(robots="User-agent: *\nDisallow: /login\n") as site:
        assert ends_without_a_page(site, tmp_path / "crawl", by_form(site)) == []


def test_a_header_goes_to_its_host_and_not_into_the_archive(tmp_path: Path) -> None:
    with members_site() as site:
        site.has_interface = True
        header = "127.0.0.1 Authorization: Bearer ${SITE_TOKEN}"
        crawl = crawled(site, tmp_path / "crawl", {"headers": [header]})
        assert any("/api/1" in page.url for page in crawl.pages(outcome="kept"))
        other = crawled(site, tmp_path / "b", {"headers": [header.replace("127.0.0.1", "a.test")]})
        assert not any("/api/1" in page.url for page in other.pages(outcome="kept"))
    for folder in ("crawl", "b"):
        for path, content in everything_in(tmp_path / folder).items():
            assert TOKEN.encode() not in content, path


def test_cookies_of_a_file_are_sent_to_their_domain(tmp_path: Path) -> None:
    jar = tmp_path / "cookies.txt"
    with members_site() as site:
        site.logins, site.left = 1, 1_000
        line = f"127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t{SESSION}-1\n"
        jar.write_text(f"# Netscape HTTP Cookie File\n{line}")
        jar.chmod(0o644)
        with pytest.raises(ConfigError, match="chmod 600"):
            crawled(site, tmp_path / "open", {"cookie_file": str(jar)})
        jar.chmod(0o600)
        crawl = crawled(site, tmp_path / "crawl", {"cookie_file": str(jar)})
        assert members_kept(crawl) == MEMBERS and site.paths("POST") == []
    for path, content in everything_in(tmp_path / "crawl").items():
        assert SESSION.encode() not in content, path


def test_a_secrets_file_must_be_private_and_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SITE_PASSWORD")
    secrets = tmp_path / "secrets"
    secrets.write_text("# ours\nOTHER=1\n")
    secrets.chmod(0o600)
    with members_site() as site:
        login = by_form(site, secrets_file=str(secrets))
        with pytest.raises(ConfigError, match="needs the secret SITE_PASSWORD"):
            crawled(site, tmp_path / "a", login)
        secrets.write_text(f"SITE_PASSWORD={PASSWORD}\n")
        assert members_kept(crawled(site, tmp_path / "b", login)) == MEMBERS
    assert USER == "ada"


@pytest.mark.parametrize(
    "login",
    [
        {"url": "http://a.test/", "fields": ["password=in-the-open"]},
        {"url": "http://a.test/", "fields": ["code=in-the-open"]},
        {"url": "http://a.test/", "fields": ["pass=in-the-open"], "plain_fields": ["pass"]},
        {"url": "http://a.test/", "fields": "password=in-the-open"},
        {"headers": ["a.test/path Authorization: Bearer in-the-open"]},
        {"headers": ["* Authorization: Bearer ${T}"]},
        {"headers": ["a.test Authorization: Bearer in-the-open"]},
        {"url": "ftp://a.test/"},
    ],
)
def test_secrets_in_the_job_are_refused(login: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as refused:
        Job.of(seeds=["http://a.test/"], login=login)
    assert "in-the-open" not in str(refused.value)


def test_a_form_over_tls_opens_members_pages_and_no_secret_is_kept(tmp_path: Path) -> None:
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with members_site(loses_after=4, tls=context) as site:
        trusting = {"ca_file": str(tmp_path / "ca.pem")}
        crawl = crawled(site, tmp_path / "crawl", by_form(site), fetch=trusting)
        assert site.url.startswith("https:")
        assert members_kept(crawl) == MEMBERS and site.logins == 2
        assert set(site.paths("POST")) == {"/login"}
    for path, content in everything_in(tmp_path).items():
        for secret in (PASSWORD, SESSION):
            assert secret.encode() not in content, path


PAGE = "docs/howto/log-in.md"


def test_the_page_can_be_typed_and_shows_what_is_printed(tmp_path: Path) -> None:
    with members_site() as site, Reader(tmp_path, [], str) as reader:
        site.has_interface = True
        for block in blocks(PAGE):
            here = block._replace(script=block.script.replace("http://127.0.0.1:8000/", site.url))
            if block.file:
                (tmp_path / block.file).write_text(here.script, encoding="utf-8")
            elif block.language == "sh":
                printed = reader.types(here)
                assert block.shown is None or fits(printed, block.shown), printed
        assert set(site.paths("POST")) == {"/login"}
    for name in ("members", "cookies", "file"):
        assert members_kept(Crawl(tmp_path / name)) == MEMBERS
    for name in ("members", "header", "cookies", "file"):
        for path, content in everything_in(tmp_path / name).items():
            for secret in (PASSWORD, TOKEN, SESSION):
                assert secret.encode() not in content, path
