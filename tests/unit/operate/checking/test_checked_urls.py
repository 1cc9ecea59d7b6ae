"""The way from a reference to its canonical form, step by step."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.frontier.partitioners import DomainPartitioner
from lycosa.model.url import canonicalize, key_of, refusal
from lycosa.operate.checking.urls import REFUSALS, check_url
from lycosa.storage.tables.rows import url_id

PARTITIONER = DomainPartitioner(64)
# fmt: off
PIECES = st.sampled_from([
    "http:", "HTTPS:", "mailto:", "//", "/", "\\", "a.b", "Ü.de", "0x7f.1", "[::1]", ":80", ":0443",
    "..", ".", "%2e", "%3a", "%zz", "?", "#", " ", "\t", "x", "@", "ü", "&b=1", "\ud800",
])
# fmt: on
REFERENCES = st.builds("".join, st.lists(PIECES, max_size=9)) | st.builds(
    "http://a.b{}".format, st.builds("".join, st.lists(PIECES, max_size=6))
)
BASES = st.sampled_from([None, "http://h.test/d/e?f", "https://h.test/"])


def steps(url: str, base: str | None = None) -> list[str]:
    return [step.what for step in check_url(url, base, PARTITIONER).steps]


@settings(deadline=None)
@given(REFERENCES, BASES)
@example("http://f:21/ b ? d # e ", None)
def test_every_step_means_the_same_and_the_last_one_is_the_canonical_form(
    url: str, base: str | None
) -> None:
    checked = check_url(url, base, PARTITIONER)
    assert checked.canonical == canonicalize(url, base)
    assert checked.refusal == refusal(url, base)
    if checked.canonical is None:
        assert checked.refusal in REFUSALS
        return
    assert all(canonicalize(step.url, base) == checked.canonical for step in checked.steps)
    assert (checked.steps[-1].url if checked.steps else url) == checked.canonical
    texts = [url, *(step.url for step in checked.steps)]
    assert len(set(texts)) == len(texts), "a step changes something"


def test_a_canonical_url_has_no_steps() -> None:
    assert steps("https://example.org/a?b=1") == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (" http://a.b/ ", ["spaces and control characters around it removed"]),
        ("http://a.b/x\ty", ["tabs and line ends within it removed"]),
        ("HTTP://a.b/", ["scheme in small letters"]),
        ("http://a.b\\x", ["back slashes turned into slashes"]),
        ("http:a.b/", ["two slashes after the scheme"]),
        ("http://@a.b/", ["`@` without a name before it dropped"]),
        ("http://A.b/", ["host in small letters"]),
        ("http://0x7f.1/", ["address written plainly"]),
        ("http://b\u00fccher.example/", ["host in its ASCII form"]),
        ("http://a.b:0081/", ["port written plainly"]),
        ("https://a.b:443/", ["port dropped: it is the scheme's own"]),
        ("http://a.b", ["empty path made `/`"]),
        ("http://a.b/x/%2E./y/.", ["dot segments resolved"]),
        ("http://a.b/x y", ["characters that a URL must not contain escaped"]),
        ("http://a.b/#top", ["fragment dropped: it is never sent"]),
        ("http://a.b/?", ["`?` dropped: nothing follows it"]),
        ("http://a.b/%c3", ["escapes in capital letters"]),
    ],
)
def test_each_change_has_its_name(url: str, expected: list[str]) -> None:
    assert steps(url) == expected


def test_a_relative_reference_is_resolved_against_its_base() -> None:
    assert steps("../x#y", "http://a.b/c/d/e") == [
        "resolved against the base",
        "fragment dropped: it is never sent",
    ]


def test_everything_that_follows_from_a_url_is_told() -> None:
    checked = check_url("HTTPS://www.Example.org:8443/a?b", None, PARTITIONER)
    key = key_of("https://www.example.org:8443/a?b")
    assert (checked.key, checked.url_id) == (key, url_id(key))
    assert (checked.host, checked.site) == ("www.example.org", "https://www.example.org:8443")
    assert (checked.is_dynamic, checked.partition) == (True, PARTITIONER.partition_of(key))
