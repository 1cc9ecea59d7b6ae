"""A user's expressions take linear time and mean what they mean to `re`, or are refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import is_linear
from lycosa._support.regex import compile_expression
from lycosa.crawl.scope import require_linear
from lycosa.errors import ConfigError
from lycosa.extract.structured.distiller import compiled
from lycosa.model.job import Job
from lycosa.model.url import Scope, key_of, parse_rules
from seeds import examples

ENDLESS = "http://www.site.test/" + "a" * 40 + "!"


def test_an_expression_that_took_for_ever_takes_no_time() -> None:
    rules = parse_rules([{"action": "reject", "regex": "(a+)+$"}])
    began = time.process_time()
    assert Scope(rules).judge(key_of(ENDLESS)).key is not None
    assert time.process_time() - began < 0.5
    expression = compile_expression("(a+)+$")
    assert is_linear(lambda size: expression.search("a" * size + "!"), 400_000)


CHARACTERS = "ab/.?=&-0"
ATOMS = st.sampled_from(
    [
        r"a",
        r"b",
        r"/",
        r"\.",
        r".",
        r"\d",
        r"\w",
        r"\W",
        r"[ab]",
        r"[^a/]",
        r"[a-z0-9]",
        r"\b",
        r"^",
        r"$",
        r"\Z",
        r"\A",
        r"\?",
        r"(?i:B)",
        r"\D",
        r"\s",
        r"(?:a|/b)",
    ]
)
TEXTS = st.text(CHARACTERS + "B", max_size=12)


def expressions() -> st.SearchStrategy[str]:
    return st.recursive(
        ATOMS,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map("".join),
            st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
            inner.map(lambda one: f"({one})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "{1,2}", "{2}"])).map(
                lambda two: f"(?:{two[0]}){two[1]}"
            ),
        ),
        max_leaves=8,
    )


@settings(max_examples=examples(300), deadline=None)
@given(expressions(), TEXTS)
def test_the_common_dialect_means_what_it_means_to_re(expression: str, text: str) -> None:
    found, expected = compile_expression(expression).search(text), re.search(expression, text)
    assert bool(found) is bool(expected)


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from([r"(a+)/(b*)", r"(\d)(\w?)", r"([^/]+)/?", r"(?P<n>a)(b)?"]), TEXTS)
def test_replacements_mean_what_they_mean_to_re(expression: str, text: str) -> None:
    for replacement in (r"<\1>", r"\g<1>\g<0>", "", "x"):
        assert compile_expression(expression).sub(replacement, text) == re.sub(
            expression, replacement, text
        )


@pytest.mark.parametrize(
    ("expression", "construct"),
    [
        (r"/(?=docs)", "look-ahead"),
        (r"/(?!docs)", "look-ahead"),
        (r"(?<=a)b", "look-behind"),
        (r"(?<!a)b", "look-behind"),
        (r"/(\w+)/\1/", "back-reference"),
        (r"/(?P<x>\w+)/(?P=x)/", "back-reference"),
        (r"a*+", "possessive"),
        (r"(?>a)", "atomic"),
        (r"a{1500}", "more than 1,000"),
        (r"a{,3}", r"write `\{0,3\}`"),
        (r"[[:alpha:]]", "in a set write"),
        (r"[^a\w[:digit:]]", "in a set write"),
        (r"[]a[:digit:]]", "in a set write"),
    ],
)
def test_what_has_no_linear_time_is_refused_by_its_name(expression: str, construct: str) -> None:
    with pytest.raises(ConfigError, match=construct):
        parse_rules([{"action": "reject", "regex": expression}])
    with pytest.raises(ConfigError, match=construct):
        require_linear(Job.of(limits={"until": [f"regex:{expression}"]}))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("example[.]org", "example.org"),
        ("a[=]b", "a=b"),
        ("a[:]b", "a:b"),
        (r"\[[.]", "[."),
        (r"[\[:]", ":"),
        ("[[.]", "["),
    ],
)
def test_a_set_that_begins_with_a_dot_is_no_class(expression: str, text: str) -> None:
    found = compile_expression(expression)
    assert found.search(text) is not None
    assert found.search("examplexorg") is None
    require_linear(Job.of(limits={"until": [f"regex:{expression}"]}))


def test_patterns_of_triples_with_many_stars_take_linear_time() -> None:
    pattern = compiled(("* * *a*a*a*a*a*b",))
    assert pattern.subn(b"", b'<s> <p> "xaaaaab" .\n<s> <p> "b" .\n')[1] == 0
    assert pattern.subn(b"", b"<s> <p> aaaaab .\n<s> <p> c .\n") == (b"<s> <p> c .\n", 1)
    assert is_linear(lambda size: pattern.subn(b"", b"<s> <p> " + b"a" * size + b" .\n"), 40_000)


def test_nothing_is_loaded_for_a_job_without_expressions() -> None:
    program = (
        "import sys, json, lycosa.runtime.processes.run, lycosa.cli.running.crawl;"
        "from lycosa.model.url import parse_rules;"
        "parse_rules([{'action': 'accept', 'suffix': '.org'}]);"
        "print(json.dumps([name for name in sys.modules if name.startswith('re2')]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert json.loads(done.stdout) == []
