"""What is remembered of references must be what resolving them would give."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.answers import link_cache as targets_module
from lycosa.crawl.answers.link_cache import LONGEST_REFUSED, Targets, folder_of
from lycosa.store.tables.rows import url_id
from lycosa.url import Verdict, canonical_key, refusal, url_of
from lycosa.url.rules import parse_rules
from lycosa.url.scope import Scope
from seeds import examples

SCOPE = Scope(
    parse_rules(
        [
            {"action": "reject", "regex": ["secret"]},
            {"action": "transform", "remove_parameters": ["session"]},
        ]
    )
)
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
    targets = Targets(SCOPE.judge)
    for base, hrefs in pages:
        found = targets.targets(hrefs, base)
        for href, target in zip(hrefs, found, strict=True):
            got = (target.key, target.url, target.url_id, target.refusal)
            assert got == judged_alone(href, base)
        wanted = [target for target in found if not target.refusal]
        assert len({id(target) for target in wanted}) == len({target.key for target in wanted})


def test_a_reference_is_judged_once() -> None:
    asked: list[str] = []

    def judge(key: str) -> Verdict:
        asked.append(key)
        return Verdict(key, "")

    targets = Targets(judge)
    first = targets.targets(["x", "./x", "#a"], "http://e.org/a/b")
    again = targets.targets(["x", "./x"], "http://e.org/a/c")
    assert asked == ["org.e:/a/x", "org.e:/a/b"]
    assert first[0] is first[1] is again[0] is again[1]
    targets.forget()
    targets.targets(["x"], "http://e.org/a/b")
    assert asked == ["org.e:/a/x", "org.e:/a/b", "org.e:/a/x"]


def test_a_reference_with_a_host_is_remembered_once_for_all_folders() -> None:
    asked: list[str] = []

    def judge(key: str) -> Verdict:
        asked.append(key)
        return Verdict(key, "")

    targets = Targets(judge, most=10)
    for number in range(1000):
        targets.targets(["http://e.org/x"], f"http://e.org/{number}/")
    assert asked == ["org.e:/x"], "it is not forgotten, so it was counted once"
    assert not targets._by_folder, "folders with nothing of their own take no memory"


def test_no_more_is_remembered_than_is_allowed() -> None:
    targets = Targets(lambda key: Verdict(key, ""))
    most = targets_module.MOST_REFERENCES
    hrefs = [f"/{number}" for number in range(most + 1)]
    assert len(targets.targets(hrefs, "http://e.org/")) == most + 1
    target = targets.of_key("org.e:/1")
    assert (target.page, target.url) == (-1, "http://e.org/1")
    assert targets.targets(["/1"], "http://e.org/")[0].key == "org.e:/1"


def test_the_folder_of_a_url_ends_before_its_query() -> None:
    assert folder_of("http://e.org/a/b?c/d") == "http://e.org/a"
    assert folder_of("http://e.org/a/b#c/d?e/f") == "http://e.org/a"
    assert folder_of("http://e.org/") == "http://e.org"
