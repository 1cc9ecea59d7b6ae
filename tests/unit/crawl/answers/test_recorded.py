"""References of kinds that are recorded alone get a reason, and jobs that are wide follow some."""

from __future__ import annotations

import pytest

from lycosa.crawl.answers.reading import links_of_page, read_page
from lycosa.model.job import Job
from lycosa.model.records import Answer, LinkKind

PAGE = (
    b"<a href=/a><blockquote cite=/cited><form method=post action=/posted></form><img src=/i>"
    b"<link rel=shortlink href=/s><script>go('/mentioned')</script>"
)
HEADERS = (
    ("Content-Type", "text/html"),
    ("Link", "</hint>; rel=preconnect, </up>; rel=up"),
    ("Content-Location", "/content"),
)


def reasons_of(**extract: object) -> dict[str, str]:
    job = Job.of(extract=extract)
    answer = Answer(200, HEADERS, PAGE, 0.0, 0.0)
    links = links_of_page(answer, read_page(answer, job), job)
    return dict(zip(links.hrefs, links.reasons or [""] * len(links.hrefs), strict=True))


def test_by_default_all_are_recorded_and_pages_followed() -> None:
    assert reasons_of() == {
        "/a": "",
        "/cited": "wide",
        "/posted": "never",
        "/i": "requisite",
        "/s": "wide",
        "/hint": "never",
        "/up": "",
        "/content": "wide",
    }


def test_a_wide_job_follows_what_may_be_a_page() -> None:
    found = reasons_of(wide=True, requisites=True)
    assert {href for href, reason in found.items() if reason} == {"/posted", "/hint"}
    assert found["/mentioned"] == ""


@pytest.mark.parametrize("limit", [{"links": "followed"}, {"most_links": 100}])
def test_where_only_what_is_followed_is_kept_nothing_else_is_read(limit: dict[str, object]) -> None:
    found = reasons_of(**limit)
    assert {href for href, reason in found.items() if not reason} == {"/a", "/up"}
    assert not {"/cited", "/posted", "/i"} & set(found)
    wide = reasons_of(**limit, wide=True)
    assert {href for href, reason in wide.items() if not reason} == {
        *("/a", "/cited", "/s", "/mentioned", "/up", "/content"),
    }


AROUND = (
    b"<a href=/first><a href=/both rel=next><html><body><a href=/in><a href=/both></body></html>"
    b"<a href=/behind rel=nofollow><a href=/in><img src=/picture>"
)


@pytest.mark.parametrize("follows", [True, False])
def test_links_outside_the_html_element_are_marked_and_may_be_left(follows: bool) -> None:
    job = Job.of(extract={"outside_html": follows, "requisites": True})
    answer = Answer(200, (*HEADERS[:1], ("Link", "</up>; rel=up")), AROUND, 0.0, 0.0)
    links = links_of_page(answer, read_page(answer, job), job)
    rels = dict(zip(links.hrefs, links.rels, strict=True))
    assert {href for href, rel in rels.items() if "outside-html" in rel.split()} == {
        *("/first", "/behind", "/picture"),
    }
    assert rels["/behind"] == "nofollow outside-html"
    reasons = dict(zip(links.hrefs, links.reasons or [""] * len(links.hrefs), strict=True))
    left = "" if follows else "outside-html"
    assert (reasons["/first"], reasons["/picture"]) == (left, left)
    assert reasons["/behind"] == "nofollow"
    assert not any(reasons[href] for href in ("/both", "/in", "/up"))


@pytest.mark.parametrize(
    "page",
    [
        b"<a href=/x>",
        b"<a href=/x></html>",
        b"<!doctype html><html><a href=/x>",
        b"<html><a href=/x></html><a href=/x>",
        b"<html><iframe srcdoc='<html></html><a href=/x>'></iframe></html>",
    ],
)
def test_a_link_that_stands_inside_anywhere_is_not_marked(page: bytes) -> None:
    answer = Answer(200, HEADERS[:1], page, 0.0, 0.0)
    links = links_of_page(answer, read_page(answer, Job.of()), Job.of())
    assert (links.hrefs, links.rels) == (["/x"], [""])


FORMS = (
    b"<form action=/find><input name=q><button formaction=/near>near</button></form>"
    b"<form action=/delete-all method=get><button>all</button></form>"
    b"<form action=/go><input type=password name=q><button formaction=/sent></form>"
    b"<a href=/delete-one>"
)


@pytest.mark.parametrize(
    ("search", "followed"),
    [(False, {"/delete-one"}), (True, {"/delete-one", "/find", "/near"})],
)
def test_forms_are_asked_for_only_if_the_job_says_so_and_nothing_acts(
    search: bool, followed: set[str]
) -> None:
    job = Job.of(forms={"search": search})
    answer = Answer(200, HEADERS[:1], FORMS, 0.0, 0.0)
    links = links_of_page(answer, read_page(answer, job), job)
    reasons = links.reasons or [""] * len(links.hrefs)
    found = dict(zip(links.hrefs, reasons, strict=True))
    assert {href for href, reason in found.items() if not reason} == followed
    assert set(found) - followed == {href for href, reason in found.items() if reason == "form"}


def test_the_kinds_of_headers_are_those_of_elements() -> None:
    answer = Answer(200, HEADERS, b"", 0.0, 0.0)
    links = links_of_page(answer, read_page(answer, Job.of()), Job.of())
    assert links.kinds == [LinkKind.HINT, LinkKind.RELATED, LinkKind.RELATION]
