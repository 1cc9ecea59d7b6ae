"""The queries of the checks, on crawls that are written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lycosa.analysis.checks.check import CheckLimits
from lycosa.analysis.checks.registry import BY_NAME, CHECKS, FAMILIES, chosen
from lycosa.analysis.checks.run import check_site
from lycosa.model.records import LinkKind, Outcome
from unit.analysis.study.drawn_crawl import BEGAN, HTML, Fetch, write

HOME = "test.a:/"
URL = "http://a.test"


def found(folder: Path, name: str, limits: CheckLimits | None = None) -> list[tuple[Any, ...]]:
    """Return page, other URL and detail of every finding of a check."""
    checked = check_site(folder, [BY_NAME[name]], limits)
    return [(one.url, one.target_url, one.detail) for one in checked.findings]


def moved(key: str, to: str, status: int = 301) -> Fetch:
    return Fetch(
        key,
        [to],
        outcome=Outcome.REDIRECTED,
        status=status,
        headers=(("Location", f"{URL}{to.partition(':')[2]}"),),
        kind=LinkKind.REDIRECT,
        depth=1,
    )


def gone(key: str) -> Fetch:
    return Fetch(key, outcome=Outcome.NOT_FOUND, status=404, depth=1)


def linked(key: str, *to: str, kind: LinkKind = LinkKind.ANCHOR, body: str = "") -> Fetch:
    return Fetch(key, list(to), body, kind=kind, depth=1)


def test_a_link_is_broken_also_where_a_redirect_ends_nowhere(tmp_path: Path) -> None:
    write(
        tmp_path,
        [Fetch(HOME, [f"{HOME}old"]), moved(f"{HOME}old", f"{HOME}new"), gone(f"{HOME}new")],
    )
    checked = check_site(tmp_path, [BY_NAME["broken"], BY_NAME["moved"], BY_NAME["chains"]])
    (one,) = checked.findings
    assert (one.kind, one.url, one.target_url, one.status) == (
        "broken",
        f"{URL}/",
        f"{URL}/old",
        404,
    )
    assert one.hops == [f"{URL}/old", f"{URL}/new"]


def test_the_last_answer_counts(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME, [f"{HOME}a", f"{HOME}b"]), gone(f"{HOME}a"), linked(f"{HOME}b")])
    write(tmp_path, [linked(f"{HOME}a"), gone(f"{HOME}b")], BEGAN + 1000)
    assert found(tmp_path, "broken") == [(f"{URL}/", f"{URL}/b", "404 not found")]


def test_links_that_a_page_no_longer_has_are_not_broken(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME, [f"{HOME}a"], "<p>old"), gone(f"{HOME}a")])
    assert len(found(tmp_path, "broken")) == 1
    write(tmp_path, [Fetch(HOME, [f"{HOME}b"], "<p>new")], BEGAN + 1000)
    assert found(tmp_path, "broken") == []


def test_open_segments_are_checked_like_sealed_ones(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME, [f"{HOME}a"])])
    write(tmp_path, [gone(f"{HOME}a")], BEGAN + 1000, is_sealed=False)
    assert found(tmp_path, "broken") == [(f"{URL}/", f"{URL}/a", "404 not found")]


def test_a_page_is_slow_from_the_limit_on(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME)])  # its answer takes a quarter of a second
    assert found(tmp_path, "slow", CheckLimits(slow_seconds=0.3)) == []
    assert found(tmp_path, "slow", CheckLimits(slow_seconds=0.2)) == [(f"{URL}/", None, "0.3 s")]


def test_a_page_is_large_from_the_limit_on(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME, body="x" * 1500)])
    assert found(tmp_path, "large", CheckLimits(large_bytes=1500)) == []
    assert found(tmp_path, "large", CheckLimits(large_bytes=1499)) == [
        (f"{URL}/", None, "1,500 bytes")
    ]


@pytest.mark.parametrize(
    ("target", "detail"),
    [
        (gone(f"{HOME}c"), "the canonical URL gives no page: 404 not found"),
        (moved(f"{HOME}c", f"{HOME}d"), f"the canonical URL redirects to {URL}/d"),
        (
            linked(f"{HOME}c", f"{HOME}d", kind=LinkKind.CANONICAL),
            f"the canonical URL names another one, {URL}/d",
        ),
        (linked(f"{HOME}c"), None),
        (linked(f"{HOME}c", f"{HOME}c", kind=LinkKind.CANONICAL), None),
    ],
)
def test_a_canonical_url_must_hold(tmp_path: Path, target: Fetch, detail: str | None) -> None:
    page = Fetch(HOME, [f"{HOME}c"], kind=LinkKind.CANONICAL)
    write(tmp_path, [page, target, linked(f"{HOME}d")])
    expected = [(f"{URL}/", f"{URL}/c", detail)] if detail else []
    assert found(tmp_path, "canonicals") == expected


def test_two_canonical_urls_contradict(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(HOME, [f"{HOME}c", f"{HOME}d"], kind=LinkKind.CANONICAL)])
    detail = f"names 2 canonical URLs, as {URL}/c and {URL}/d"
    assert found(tmp_path, "canonicals") == [(f"{URL}/", f"{URL}/c", detail)]


def versions(key: str, *languages: tuple[str, str]) -> Fetch:
    links = "".join(
        f'<link rel="alternate" hreflang="{code}" href="{url}">' for code, url in languages
    )
    return Fetch(
        key,
        [f"test.a:{url}" for _, url in languages],
        f"<html><head>{links}",
        headers=(HTML,),
        kind=LinkKind.ALTERNATE,
        depth=1,
        rel="alternate",
    )


def test_versions_in_other_languages_name_each_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            versions(HOME, ("de", "/de"), ("fr", "/fr"), ("en", "/"), ("es", "/es")),
            versions(f"{HOME}de", ("en", "/")),
            versions(f"{HOME}fr", ("english", "/")),
            linked(f"{HOME}es"),
        ],
    )
    assert found(tmp_path, "hreflang") == [
        (f"{URL}/fr", f"{URL}/", "no code of a language: english"),
        (f"{URL}/", f"{URL}/es", "does not name this page in return"),
    ]


def test_families_and_severities_stand_for_checks() -> None:
    assert chosen(["broken, loops"], "--only") == [BY_NAME["broken"], BY_NAME["loops"]]
    assert chosen(["any"], "--only") == list(CHECKS)
    by_family = [check for family in FAMILIES for check in chosen([family], "--only")]
    assert sorted(by_family) == sorted(CHECKS)
    assert {check.severity for check in chosen(["warning"], "--only")} == {"warning"}
