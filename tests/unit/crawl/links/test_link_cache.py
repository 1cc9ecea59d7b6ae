"""What is remembered of references must be what resolving them would give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.links import _link_cache as targets_module
from lycosa.crawl.links._link_cache import LONGEST_REFUSED, Targets, folder_of
from lycosa.model.links import Target
from lycosa.model.url import Verdict, canonical_key, refusal, url_of
from lycosa.model.url.rules import parse_rules
from lycosa.model.url.scope import Scope
from lycosa.storage.tables.rows import url_id
from plain_link_cache import PlainTargets
from plain_link_cache import folder_of as plain_folder_of
from seeds import examples

SCOPE = Scope(
    parse_rules(
        [
            {"action": "reject", "regex": ["secret"]},
            {"action": "transform", "remove_parameters": ["session"]},
        ]
    )
)
BY_HOST = Scope((), ["e.org", "x.org"])
BY_SITE = Scope(
    parse_rules(
        [
            {"action": "reject", "scheme": "https", "host": ["e.org"]},
            {"action": "accept", "suffix": [".org"]},
        ]
    )
)
BY_BEGINNING = Scope(
    parse_rules(
        [
            {"action": "accept", "prefix": ["http://e.org/a/", "http://f.org/"]},
            {"action": "reject", "extension": ["b"]},
        ]
    )
)
SCOPES = {
    "all": Scope(()),
    "by host": BY_HOST,
    "by site": BY_SITE,
    "by path": SCOPE,
    "by beginning": BY_BEGINNING,
}


class Asked:
    """A scope that accepts everything, and remembers what it was asked."""

    def __init__(self, *, judges_by_site: bool = False, accepted: tuple[str, ...] = ()) -> None:
        self.keys: list[str] = []
        self.judges_by_site = judges_by_site
        self.accepted_beginnings = accepted

    def judge(self, key: str) -> Verdict:
        self.keys.append(key)
        return Verdict(key, "")


BASES = [
    "http://e.org/",
    "http://e.org/a/b.html",
    "http://e.org/a/c.html",
    "http://e.org/a/c.html?x=/y",
    "https://e.org/a/",
    "http://e.org/a/?q#f/g",
]
HREFS = st.one_of(
    st.sampled_from(
        [
            "#",
            "#x",
            "?p=2",
            "x",
            "./x",
            "../x",
            "/x",
            "//f.org/x",
            "http://e.org/x",
            "http:x",
            "https:///e.org/x",
            "mailto:a@e.org",
        ]
    ),
    st.sampled_from(
        [
            "http://",
            "secret",
            "/x?session=1",
            "x?session=2",
            "é",
            "%41",
            ":",
            "\\x",
            ".",
            "..",
            "-x",
            "_",
            "~u",
            "(a)",
        ]
    ),
    st.sampled_from(["", " x", "\t?y", "x ", "\n#"]),
    st.text(alphabet="ax/.?#:\\ %", max_size=6),
)


def judged_alone(href: str, base: str) -> tuple[str, str, int, str]:
    """Resolve one reference without remembering anything."""
    key = canonical_key(href, base)
    if key is None:
        said = href[:LONGEST_REFUSED]
        return "", said, url_id(said), refusal(href, base) or "invalid"
    verdict = SCOPE.judge(key)
    if verdict.key is None:
        return key, url_of(key), url_id(key), verdict.reason
    return verdict.key, url_of(verdict.key), url_id(verdict.key), ""


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(BASES), st.lists(HREFS, max_size=8)), max_size=8))
def test_targets_are_what_resolving_each_by_itself_gives(
    pages: list[tuple[str, list[str]]],
) -> None:
    targets = Targets(SCOPE)
    for base, hrefs in pages:
        found = targets.targets(hrefs, base)
        for href, target in zip(hrefs, found, strict=True):
            got = (target.key, target.url, target.url_id, target.refusal)
            assert got == judged_alone(href, base)
        wanted = [target for target in found if not target.refusal]
        assert len({id(target) for target in wanted}) == len({target.key for target in wanted})


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from(sorted(SCOPES)),
    st.integers(1, 12),
    st.lists(st.tuples(st.sampled_from(BASES), st.lists(HREFS, max_size=8)), max_size=8),
)
def test_the_compiled_cache_is_the_plain_one(
    name: str, most: int, pages: list[tuple[str, list[str]]]
) -> None:
    scope = SCOPES[name]
    targets, plain = Targets(scope, most), PlainTargets(scope.judge, most)
    twins: dict[Target, Target] = {}
    for base, hrefs in pages:
        found, expected = targets.targets(hrefs, base), plain.targets(hrefs, base)
        assert list(map(told, found)) == list(map(told, expected))
        for one, other in zip(found, expected, strict=True):
            assert twins.setdefault(one, other) is other, "two targets became one"
            key = one.key or "e:/"
            assert told(targets.of_key(key)) == told(plain.of_key(key))
        assert len(set(twins.values())) == len(twins), "one target became two"
        assert targets.folders == len(plain._by_folder)


def told(target: Target) -> tuple[str, str, int, str, bool, int, int]:
    return (
        *(target.key, target.url, target.url_id, target.refusal, target.has_parameters),
        *(target.partition, target.page),
    )


def test_a_site_is_judged_once_where_rules_look_at_nothing_else() -> None:
    scope = Asked(judges_by_site=True)
    targets = Targets(scope)
    hrefs = ["/a", "/b", "http://f.org/a", "/c", "http://f.org/b", "https://f.org/b"]
    found = targets.targets(hrefs, "http://e.org/")
    assert scope.keys == ["org.e:/a", "org.f:/a", "org.f:s/b"]
    assert [target.refusal for target in found] == [""] * 6


def test_what_begins_as_the_first_rule_accepts_is_not_judged() -> None:
    scope = Asked(accepted=("org.e:/a/",))
    targets = Targets(scope)
    found = targets.targets(["/a/b", "/ab", "http://f.org/a/", "/a/c"], "http://e.org/")
    assert scope.keys == ["org.e:/ab", "org.f:/a/"]
    assert [target.refusal for target in found] == [""] * 4


@pytest.mark.parametrize(
    ("rules", "is_so"),
    [
        ([], True),
        ([{"action": "accept", "host": ["e.org"]}], True),
        ([{"action": "reject", "scheme": "https"}, {"action": "accept", "suffix": [".org"]}], True),
        ([{"action": "accept", "prefix": ["http://e.org/", "https://f.org/"]}], True),
        ([{"action": "accept", "prefix": ["http://e.org/", "http://e.org/a/"]}], False),
        ([{"action": "reject", "prefix": ["http://e.org/a"]}], False),
        ([{"action": "reject", "host": ["e.org"], "extension": ["pdf"]}], False),
        ([{"action": "reject", "regex": ["e"]}], False),
        ([{"action": "reject", "max_url_length": 9}], False),
        ([{"action": "transform", "remove_parameters": ["a"], "host": ["e.org"]}], False),
    ],
)
def test_a_scope_knows_whether_its_rules_look_at_sites_alone(
    rules: list[dict[str, object]], is_so: bool
) -> None:
    assert Scope(parse_rules(rules)).judges_by_site is is_so


def test_a_reference_is_judged_once() -> None:
    scope = Asked()
    targets = Targets(scope)
    first = targets.targets(["x", "./x", "#a"], "http://e.org/a/b")
    again = targets.targets(["x", "./x"], "http://e.org/a/c")
    assert scope.keys == ["org.e:/a/x", "org.e:/a/b"]
    assert first[0] is first[1] is again[0] is again[1]
    targets.forget()
    targets.targets(["x"], "http://e.org/a/b")
    assert scope.keys == ["org.e:/a/x", "org.e:/a/b", "org.e:/a/x"]


def test_a_reference_with_a_host_is_remembered_once_for_all_folders() -> None:
    scope = Asked()
    targets = Targets(scope, most=10)
    for number in range(1000):
        targets.targets(["http://e.org/x"], f"http://e.org/{number}/")
    assert scope.keys == ["org.e:/x"], "it is not forgotten, so it was counted once"
    assert not targets.folders, "folders with nothing of their own take no memory"


def test_no_more_is_remembered_than_is_allowed() -> None:
    targets = Targets(Asked())
    most = targets_module.MOST_REFERENCES
    hrefs = [f"/{number}" for number in range(most + 1)]
    assert len(targets.targets(hrefs, "http://e.org/")) == most + 1
    target = targets.of_key("org.e:/1")
    assert (target.page, target.url) == (-1, "http://e.org/1")
    assert targets.targets(["/1"], "http://e.org/")[0].key == "org.e:/1"


@settings(max_examples=examples(100), deadline=None)
@given(st.text(alphabet="a/?#é", max_size=12))
def test_a_folder_is_the_same_in_both(rest: str) -> None:
    assert folder_of(f"http://e.org/{rest}") == plain_folder_of(f"http://e.org/{rest}")


def test_the_folder_of_a_url_ends_before_its_query() -> None:
    assert folder_of("http://e.org/a/b?c/d") == "http://e.org/a"
    assert folder_of("http://e.org/a/b#c/d?e/f") == "http://e.org/a"
    assert folder_of("http://e.org/") == "http://e.org"
