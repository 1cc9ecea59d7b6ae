"""POSTs over TLS, through a proxy and after a login arrive once, with no secret too many."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from integration.forward_proxy import forward_proxy
from integration.posting_crawls import SEARCH, job_for, outcomes, posting
from integration.posting_site import PAGES, ROWS, posting_site
from lycosa import Crawl, run
from unpacked_files import everything_in
from warm import lycosa

SESSION = "sid=s3ss10n"


def tls_in(folder: Path) -> tuple[ssl.SSLContext, dict[str, str]]:
    """Return the context of a server, and the settings by which a crawl trusts it."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    return context, {"ca_file": str(folder / "ca.pem")}


def rows_of(crawl: Crawl) -> int:
    rows = [item.values["text"] for item in crawl.items("row")]
    assert len(rows) == len(set(rows))
    return len(rows)


@pytest.mark.parametrize("by_proxy", [False, True])
@pytest.mark.parametrize("secure", [False, True])
def test_a_list_comes_by_post_over_every_way(secure: bool, by_proxy: bool, tmp_path: Path) -> None:
    context, trusting = tls_in(tmp_path)
    with forward_proxy() as proxy, posting_site(tls=context if secure else None) as site:
        fetch: dict[str, Any] = {**trusting} if secure else {}
        fetch |= {"proxy": proxy.url} if by_proxy else {}
        crawl = run(tmp_path / "c", job_for(site, "search", fetch=fetch), plugins=[SEARCH])
        assert set(site.times().values()) == {1} and len(site.sent) == PAGES
        assert bool(proxy.came) is by_proxy
        if by_proxy and not secure:
            assert proxy.came.count(f"POST {site.url}search") == PAGES
        if by_proxy and secure:
            assert all(came.startswith("CONNECT ") for came in proxy.came)
    assert rows_of(crawl) == PAGES * ROWS


@pytest.mark.parametrize("way", ["tls", "proxy"])
@pytest.mark.parametrize("path", ["dies", "moved"])
def test_what_may_have_arrived_is_not_sent_again_over_these_ways(
    way: str, path: str, tmp_path: Path
) -> None:
    folder = tmp_path / "c"
    context, trusting = tls_in(tmp_path)
    with forward_proxy() as proxy, posting_site(tls=context if way == "tls" else None) as site:
        proxy.loses_answers = path == "dies"
        # The proxy itself loses the answer to a POST that the site has taken.
        name = "api" if way == "proxy" and path == "dies" else path
        plugin = posting(f"/{name}")
        fetch: dict[str, Any] = {**trusting} if way == "tls" else {"proxy": proxy.url}
        crawl = run(folder, job_for(site, name, fetch=fetch), plugins=[plugin])
        assert outcomes(crawl) == {name: "unknown_post"}
        run(folder, plugins=[plugin])
        assert len(site.sent) == 1
        assert lycosa("retry", folder).returncode == 0
        run(folder, plugins=[plugin])
        assert len(site.sent) == 2


@pytest.mark.parametrize("with_login", [False, True])
def test_what_is_posted_has_the_login_only_if_the_job_says_so(
    with_login: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "correct-horse")
    monkeypatch.setenv("SITE_TOKEN", "t0ken-of-mine")
    with posting_site() as site:
        origin = site.url.rstrip("/")
        login = {
            "url": f"{site.url}login",
            "page": f"{site.url}login",
            "fields": ["user=ada", "password=${SITE_PASSWORD}"],
            "plain_fields": ["user"],
            "headers": [f"{origin} Authorization: Bearer ${{SITE_TOKEN}}"],
        }
        plugins = {"post_with_login": with_login}
        job = job_for(site, "api", login=login, plugins=plugins)
        crawl = run(tmp_path / "c", job, plugins=[posting("/api")])
        first, *posted = site.sent
    assert (first.path, first.body) == ("/login", "user=ada&password=correct-horse")
    assert [sent.path for sent in posted] == ["/api"]
    expected = (SESSION, "Bearer t0ken-of-mine") if with_login else ("", "")
    assert (posted[0].cookie, posted[0].authorization) == expected
    assert outcomes(crawl) == {"api": "kept"}
    for path, content in everything_in(tmp_path).items():
        for secret in (b"t0ken-of-mine", b"s3ss10n", b"correct-horse"):
            assert secret not in content, path
