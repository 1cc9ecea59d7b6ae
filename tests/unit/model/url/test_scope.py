"""The first rule that accepts or rejects decides; transforms go on down the list."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.url import Scope, Verdict, canonical_key, canonicalize, parse_rules, url_of


def judged(rules: list[dict[str, Any]], url: str) -> tuple[str | None, str]:
    key = canonical_key(url)
    assert key is not None
    verdict = Scope(parse_rules(rules)).judge(key)
    return (None if verdict.key is None else url_of(verdict.key)), verdict.reason


def is_accepted(rule: dict[str, Any], url: str) -> bool:
    return judged([{"action": "accept", **rule}], url)[0] is not None


def is_rejected(rule: dict[str, Any], url: str) -> bool:
    return judged([{"action": "reject", **rule}], url)[0] is None


def transformed(rule: dict[str, Any], url: str) -> str | None:
    return judged([{"action": "transform", **rule}], url)[0]


def test_a_job_without_rules_accepts_everything() -> None:
    assert Scope(()).judge("org.example:/") == Verdict("org.example:/", "accept:default")


def test_what_no_rule_decides_is_out_of_scope_once_anything_is_accepted_by_name() -> None:
    accept = [{"action": "accept", "suffix": ".cl"}]
    assert judged(accept, "http://a.cl/") == ("http://a.cl/", "accept:suffix .cl")
    assert judged(accept, "http://example.org/") == (None, "out-of-scope")
    reject = [{"action": "reject", "suffix": ".cl"}]
    assert judged(reject, "http://a.cl/") == (None, "reject:suffix .cl")
    assert judged(reject, "http://example.org/") == ("http://example.org/", "accept:default")


def test_the_first_rule_that_holds_decides() -> None:
    narrow = {"action": "reject", "prefix": "http://a.cl/private/", "name": "private"}
    wide = {"action": "accept", "suffix": ".cl"}
    assert judged([narrow, wide], "http://a.cl/private/x") == (None, "reject:private")
    assert judged([wide, narrow], "http://a.cl/private/x")[1] == "accept:suffix .cl"


def test_all_conditions_of_a_rule_must_hold_and_one_value_of_each() -> None:
    rules = [{"action": "reject", "suffix": [".cl", ".ar"], "extension": ["pdf", "zip"]}]
    assert judged(rules, "http://a.ar/x.zip") == (
        None,
        "reject:suffix .cl and 1 more, extension pdf and 1 more",
    )
    assert judged(rules, "http://a.ar/x.html")[0] is not None
    assert judged(rules, "http://a.org/x.zip")[0] is not None


def test_a_rule_without_conditions_holds_for_everything() -> None:
    rules = [{"action": "accept", "host": "example.org"}, {"action": "reject"}]
    assert judged(rules, "http://example.net/") == (None, "reject:everything")


def test_extra_hosts_are_accepted_where_no_rule_decides() -> None:
    scope = Scope((), extra_hosts=["example.org", "[::1]"])
    assert scope.judge("org.example:s8443/").reason == "accept:extra-host"
    assert scope.judge("[::1]:/").reason == "accept:extra-host"
    assert scope.judge("org.example.www:/") == Verdict(None, "out-of-scope")
    strict = Scope(parse_rules([{"action": "reject", "list": "traps"}]), ["example.org"])
    assert strict.judge("org.example:/" + "a/" * 9).reason == "reject:traps"


@pytest.mark.parametrize(
    ("suffix", "url", "holds"),
    [
        (".cl", "http://a.cl/", True),
        (".cl", "http://cl/", True),
        (".cl", "http://a.b.cl:8080/", True),
        (".cl", "http://a.cl./", True),
        (".cl", "http://acl/", False),
        (".cl", "http://cl.example.org/", False),
        ("example.org", "https://example.org/", True),
        (".example.org", "https://example.org/", True),
        ("Example.ORG", "https://www.example.org/", True),
        ("example.org", "https://badexample.org/", False),
        ("example.org", "https://example.org.evil.example/", False),
        ("bücher.example", "https://www.xn--bcher-kva.example/", True),
        ("127.0.0.1", "http://127.0.0.1:81/", True),
        ("0.0.1", "http://127.0.0.1/", False),
        ("[::1]", "http://[::1]/", True),
    ],
)
def test_a_suffix_holds_label_by_label(suffix: str, url: str, holds: bool) -> None:
    assert is_accepted({"suffix": suffix}, url) is holds


@pytest.mark.parametrize(
    ("rule", "url", "holds"),
    [
        ({"host": "example.org"}, "https://example.org:8443/", True),
        ({"host": "example.org"}, "https://www.example.org/", False),
        ({"prefix": "https://example.org/docs/"}, "https://example.org/docs/a?b", True),
        ({"prefix": "https://example.org/docs/"}, "https://example.org/doc", False),
        ({"prefix": "https://example.org/docs/"}, "http://example.org/docs/", False),
        ({"prefix": "HTTPS://EXAMPLE.org"}, "https://example.org/x", True),
        ({"prefix": "https://example.org"}, "https://example.org.evil.example/", False),
        ({"prefix": "https://example.org/x?"}, "https://example.org/x?a", True),
        ({"prefix": "https://example.org/x?"}, "https://example.org/xa", False),
        ({"regex": r"/\d{4}/"}, "http://example.org/2024/a", True),
        ({"regex": "^https://www"}, "https://www.example.org/", True),
        ({"regex": ["q", "y$"]}, "http://example.org/Y", False),
        ({"extension": "pdf"}, "http://example.org/a.PDF?x", True),
        ({"extension": ".tar.gz"}, "http://example.org/a.tar.gz;v=1", True),
        ({"extension": "pdf"}, "http://example.org/pdf", False),
        ({"extension": "pdf"}, "http://example.org/a?b.pdf", False),
        ({"scheme": "https"}, "https://[::1]/", True),
        ({"scheme": "https"}, "http://s/s", False),
        ({"scheme": "http"}, "http://s:8/s", True),
    ],
)
def test_conditions_hold_for_what_they_say(rule: dict[str, Any], url: str, holds: bool) -> None:
    assert is_accepted(rule, url) is holds


@pytest.mark.parametrize(
    ("rule", "within", "beyond"),
    [
        ({"max_query_parameters": 2}, "/?a&b", "/?a&b&c"),
        ({"max_query_parameters": 0}, "/", "/?a"),
        ({"max_query_length": 3}, "/aaaa?b=c", "/?bb=c"),
        ({"max_url_length": 21}, "/aa", "/aaa"),
        ({"max_path_segments": 2}, "/a/b/?c/d/e", "/a/b/c"),
        ({"max_path_segments": 2}, "//a//b//", "/a/b/c"),
        ({"max_repeated_segments": 2}, "/a/b/a/b", "/a/b/a/b/a/b"),
    ],
)
def test_a_limit_rejects_what_is_beyond_it(rule: dict[str, Any], within: str, beyond: str) -> None:
    assert not is_rejected(rule, "http://example.org" + within)
    assert is_rejected(rule, "http://example.org" + beyond)


@pytest.mark.parametrize(
    ("path", "is_useless"),
    [
        ("/login", True),
        ("/LOGIN/", True),
        ("/user/login.php?x", True),
        ("/wp-login.php", True),
        ("/login;jsessionid=1", True),
        ("/index.php?action=logout", True),
        ("/x?logout", True),
        ("/x?replytocom=7", True),
        ("/calendar/2024", True),
        ("/blogging", False),
        ("/login-problems-explained", False),
        ("/catalogout", False),
        ("/x?title=login+page", False),
        ("/print/2024", False),
        ("/x?print=1", True),
    ],
)
def test_useless_actions_are_whole_words(path: str, is_useless: bool) -> None:
    assert is_rejected({"list": "useless-actions"}, "http://login.example.org" + path) is is_useless


@pytest.mark.parametrize(
    ("path", "is_trap"),
    [
        ("/a/b/a/b/a/b/a/b", True),
        ("/" + "a" * 1100, True),
        ("/?" + "&".join(f"p{n}" for n in range(20)), True),
        ("/" + "/".join(str(n) for n in range(20)), True),
        ("/2024/01/01/01", False),
        ("/docs/guide/page.html?a=1&b=2", False),
    ],
)
def test_traps_are_urls_that_software_makes_without_end(path: str, is_trap: bool) -> None:
    assert is_rejected({"list": "traps"}, "http://example.org" + path) is is_trap


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ({"drop_index_files": True}, "http://a.org/b/index.html", "http://a.org/b/"),
        ({"drop_index_files": True}, "http://a.org/index.php?x", "http://a.org/?x"),
        ({"drop_index_files": True}, "http://a.org/Index.html", "http://a.org/Index.html"),
        ({"drop_index_files": ["start.htm"]}, "http://a.org/start.htm", "http://a.org/"),
        ({"drop_index_files": ["start.htm"]}, "http://a.org/index.html", "http://a.org/index.html"),
        ({"drop_www": True}, "https://www.a.org:81/x", "https://a.org:81/x"),
        ({"drop_www": True}, "https://www.org/x", "https://www.org/x"),
        ({"drop_www": True}, "https://www.org./x", "https://www.org./x"),
        ({"drop_www": True}, "https://www.www.a.org/", "https://a.org/"),
        ({"drop_www": True}, "https://wwwa.org/www.b.c", "https://wwwa.org/www.b.c"),
        ({"sort_query": True}, "http://a.org/?b=1&a=2&b=0", "http://a.org/?a=2&b=1&b=0"),
        ({"remove_parameters": ["sid"]}, "http://a.org/?sid=1", "http://a.org/"),
        ({"remove_parameters": ["sid"]}, "http://a.org/?a&SID=1&&b", "http://a.org/?a&&b"),
        ({"remove_parameters": ["sid"]}, "http://a.org/?sidney=1", "http://a.org/?sidney=1"),
        ({"remove_parameters": ["utm_*"]}, "http://a.org/?utm_x=1&utm=2", "http://a.org/?utm=2"),
        ({"list": "session-ids"}, "http://a.org/b;jsessionid=1;v=2/c", "http://a.org/b;v=2/c"),
        ({"list": "session-ids"}, "http://a.org/?PHPSESSID=1&x=2", "http://a.org/?x=2"),
        ({"list": "tracking"}, "http://a.org/?utm_source=x&gclid=1", "http://a.org/"),
        (
            {"regex_replace": "^http://([^/]*)/m/", "replacement": r"https://\1/"},
            "http://a.org/m/x",
            "https://a.org/x",
        ),
        (
            {"regex_replace": "x", "replacement": "%3a/../é#f"},
            "http://a.org/x",
            "http://a.org/%C3%A9",
        ),
        ({"suffix": ".org", "drop_www": True}, "http://www.a.net/", "http://www.a.net/"),
    ],
)
def test_a_transform_changes_what_it_names_and_nothing_else(
    rule: dict[str, Any], before: str, after: str
) -> None:
    assert transformed(rule, before) == after
    assert canonicalize(after) == after


@pytest.mark.parametrize(
    "replacement", ["mailto:", "http://", "http://user@example.org/", "http://a/" + "x" * 3000]
)
def test_a_transform_that_leaves_no_canonical_url_refuses_it(replacement: str) -> None:
    rule = {"action": "transform", "regex_replace": "^.*$", "replacement": replacement}
    assert judged([rule], "http://example.org/") == (None, "transform:invalid")


def test_rules_below_a_transform_see_the_new_url() -> None:
    transform = {"action": "transform", "drop_www": True}
    accept = {"action": "accept", "host": "example.org"}
    assert judged([transform, accept], "http://www.example.org/") == (
        "http://example.org/",
        "accept:host example.org",
    )
    assert judged([accept, transform], "http://www.example.org/") == (None, "out-of-scope")


PREFIXES = [
    "http://a.cl/",
    "http://a.cl/x/",
    "http://a.cl/x/y",
    "https://a.cl/x/",
    "http://a.cl:8080/",
    "http://b.a.cl/x/",
]
RULES = st.one_of(
    st.builds(
        lambda action, prefixes: {"action": action, "prefix": prefixes},
        st.sampled_from(["accept", "reject"]),
        st.lists(st.sampled_from(PREFIXES), min_size=1, max_size=3, unique=True),
    ),
    st.sampled_from(
        [
            {"action": "accept", "suffix": ".cl", "extension": "html"},
            {"action": "reject", "regex": "y.z"},
            {"action": "transform", "regex_replace": "^http:", "replacement": "https:"},
        ]
    ),
)
URLS = [prefix + rest for prefix in PREFIXES for rest in ("", "y/z", "y.html")]


@given(rules=st.lists(RULES, max_size=6), url=st.sampled_from(URLS))
def test_rules_in_a_row_decide_as_if_each_were_asked_by_itself(
    rules: list[dict[str, Any]], url: str
) -> None:
    # A rule in between that holds for nothing keeps those around it from being taken together.
    idle = {"action": "reject", "regex": "^never$"}
    apart = [rule for some in rules for rule in (some, idle)]
    assert judged(rules, url) == judged(apart, url)
