"""What a page says and what becomes of its links, as a crawl would have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.errors import LycosaError
from lycosa.extract.text.charset import to_utf8
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.model.job import Job
from lycosa.model.records import Answer, LinkKind, Outcome
from lycosa.operate.checking.pages import CheckedPage, answer_of_bytes, answer_of_file, check_page
from lycosa.operate.checking.scope import ScopeChecker

URL = "https://example.org/x"


def checked(
    body: str | bytes, content_type: str | None = None, job: Job | None = None
) -> CheckedPage:
    job = job or Job()
    content = body.encode() if isinstance(body, str) else body
    return check_page(answer_of_bytes(content, content_type, job), URL, job)


def fates(page: CheckedPage) -> list[tuple[str, str | None, str | None]]:
    return [(link.href, link.url, link.refusal) for link in page.links]


def test_links_are_resolved_or_refused_with_the_reason() -> None:
    page = checked(
        "<base href=/d/><a href=a>one</a><a href='a#x'>two</a><a href=mailto:x>m</a>"
        "<a href='http://u:p@h/'>c</a><a rel=nofollow href=n>n</a><link rel=canonical href=a>"
    )
    assert page.base == "https://example.org/d/"
    assert fates(page) == [
        ("a", "https://example.org/d/a", None),
        ("mailto:x", None, "scheme"),
        ("http://u:p@h/", None, "credentials"),
        ("n", "https://example.org/d/n", "nofollow"),
        ("a", "https://example.org/d/a", None),
    ]
    kinds = [(link.kind, link.text) for link in page.kept_links]
    assert kinds == [(LinkKind.ANCHOR, "one"), (LinkKind.CANONICAL, "")]


def test_a_page_that_asks_not_to_be_followed_leads_nowhere() -> None:
    page = checked("<meta name=robots content=nofollow,noindex><a href=a>one</a>")
    assert (page.is_nofollow, page.is_noindex, page.kept_links) == (True, True, [])
    heedless = Job.of(extract={"obey_nofollow": False})
    assert (
        len(checked("<meta name=robots content=nofollow><a href=a>", job=heedless).kept_links) == 1
    )


def test_links_are_held_against_the_scope_of_a_job() -> None:
    job = Job.of(["https://example.org/"], [{"action": "reject", "extension": "pdf"}])
    body = b"<a href=a.pdf>1</a><a href=b>2</a><a href=http://else.test/>3</a>"
    page = check_page(answer_of_bytes(body, None, job), URL, job, ScopeChecker(job))
    refusals = [link.refusal for link in page.links]
    assert refusals == ["reject:extension pdf", None, "out-of-scope"]


def test_without_its_address_a_page_has_only_whole_links() -> None:
    answer = answer_of_bytes(b"<a href=a>1</a><a href=http://b.test/>2</a>", None, Job())
    page = check_page(answer, None, Job())
    assert [link.refusal for link in page.links] == ["no-base", None]


@pytest.mark.parametrize(
    ("body", "content_type", "name", "why"),
    [
        (b"\xef\xbb\xbfx", "text/html; charset=latin1", "utf-8", "by its byte order mark"),
        (b"x", "text/html; charset=latin1", "windows-1252", "by the content type"),
        (b"<meta charset=koi8-r>x", "text/html", "koi8-r", "by what the page declares"),
        ("\u00e4".encode(), None, "utf-8", "nothing says it, and the bytes are UTF-8"),
        (b"\xe4", None, "windows-1252", "nothing says it; detected from the bytes"),
    ],
)
def test_the_charset_is_told_with_what_decided_it(
    body: bytes, content_type: str | None, name: str, why: str
) -> None:
    page = checked(body, content_type)
    assert (page.facts.charset, page.charset_reason) == (name, why)
    assert to_utf8(body, content_type)[1] == name


def test_what_the_job_does_not_keep_says_nothing() -> None:
    page = checked("<title>t</title><a href=a>", "image/png")
    assert (page.outcome, page.facts.title, page.links) == (Outcome.WRONG_TYPE, "", ())


def test_where_a_redirect_leads_is_told() -> None:
    page = check_page(Answer(301, (("Location", "/y#z"),), b"", 0.0, 0.0), URL, Job())
    assert page.outcome is Outcome.REDIRECTED
    assert fates(page) == [("/y#z", "https://example.org/y", None)]


def test_text_and_fingerprint_are_those_of_a_crawl() -> None:
    page = checked("<title>T</title><p>some words here</p>")
    assert (page.facts.title, page.facts.text) == ("T", "some words here")
    assert page.fingerprint == fingerprint(b"some words here")


def test_a_file_is_read_as_far_as_a_crawl_reads(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"x" * 20)
    answer = answer_of_file(tmp_path / "p", None, Job.of(fetch={"largest_body_bytes": 10}))
    assert (answer.body, answer.truncated) == (b"x" * 10, True)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(LycosaError, match=r"cannot be read|not a file"):
            answer_of_file(path, None, Job())
