"""Lines of JSON in, lines of JSON out: as many, in order, whatever stands in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.model.job import Job
from lycosa.operate.checking import batch
from lycosa.operate.checking.batch import Batch
from lycosa.operate.checking.scope import ScopeChecker

JOB = Job.of(["http://a.test/"])


def batches() -> list[Batch]:
    scope = ScopeChecker(JOB)
    return [batch.urls(), batch.robots(JOB), batch.pages(JOB, scope), batch.scopes(scope)]


def answered(kind: Batch, *lines: object) -> list[dict[str, Any]]:
    given_lines = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return [json.loads(line) for line in kind.answers(given_lines)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
NAMES = st.sampled_from(["url", "base", "robots_latin1", "agent", "file", "content_type", "id"])
OBJECTS = st.dictionaries(NAMES, VALUES | st.just("http://a.test/x"), max_size=6)
LINES = st.binary(max_size=30) | OBJECTS.map(lambda given: json.dumps(given).encode())


@settings(deadline=None)
@given(st.lists(LINES, max_size=8))
def test_there_is_one_line_of_json_for_every_line_whatever_it_is(lines: Iterable[bytes]) -> None:
    for kind in batches():
        answers = list(kind.answers(lines))
        assert len(answers) == len(list(lines))
        tables = [json.loads(answer) for answer in answers]
        assert all(
            "\n" not in answer and isinstance(table, dict)
            for answer, table in zip(answers, tables, strict=True)
        )
        assert kind.errors == sum("error" in table for table in tables)


def test_a_bad_line_is_told_and_the_next_one_is_answered() -> None:
    lines = [
        b"",
        b"{",
        b"[1]",
        {"url": 3},
        {},
        b'{"url": NaN}',
        b'{"url": "", "x": 1e999}',
        b"[" * 99_999,
    ]
    kind = batch.urls()
    *bad, good = answered(kind, *lines, {"url": "http://a.test"})
    assert [list(table) for table in bad] == [["error"]] * len(lines)
    assert bad[0]["error"] == "the line is empty"
    assert bad[4]["error"] == "`url` is missing"
    assert kind.errors == len(lines)
    assert good["key"] == "test.a:/"


def test_a_line_is_answered_before_the_next_is_read() -> None:
    read = []

    def lines() -> Iterable[bytes]:
        for number in range(3):
            read.append(number)
            yield b"{}"

    for count, _ in enumerate(batch.urls().answers(lines()), start=1):
        assert len(read) == count


def test_other_members_come_back_unchanged_also_with_an_error() -> None:
    rest: dict[str, Any] = {"id": [1, {"a": None}], "test": "ü\ud800"}
    good, bad = answered(batch.urls(), {"url": "http://a.test/", **rest}, {"url": 1, **rest})
    for table in (good, bad):
        assert {name: table[name] for name in rest} == rest
    assert "url" not in good


def test_a_url_gets_its_canonical_form_and_key_or_the_reason_for_none() -> None:
    good, bad = answered(
        batch.urls(), {"url": "../b?", "base": "http://A.test/c/d"}, {"url": "x:y"}
    )
    assert (good["canonical"], good["key"], good["refusal"]) == (
        "http://a.test/b",
        "test.a:/b",
        None,
    )
    assert (bad["canonical"], bad["key"], bad["refusal"]) == (None, None, "scheme")


def test_a_robots_line_gets_its_verdict_and_the_deciding_line() -> None:
    text = "User-agent: *\nDisallow: /\u00fc # \u00ff\n"
    line = {"robots_latin1": text, "agent": "x", "url": "http://a.test/%FC"}
    no, yes = answered(batch.robots(JOB), line, line | {"url": "http://a.test/y"})
    assert no == {"allowed": False, "rule": "Disallow: /\u00fc # \u00ff", "line": 2}
    assert yes == {"allowed": True, "rule": None, "line": None}


def test_without_an_agent_the_file_is_read_for_the_jobs() -> None:
    line = {"robots_latin1": "User-agent: lycosa\nDisallow: /", "url": "/x"}
    ours, theirs = answered(batch.robots(JOB), line, line | {"agent": "other"})
    assert (ours["allowed"], theirs["allowed"]) == (False, True)


def test_a_robots_file_with_more_than_bytes_in_it_is_an_error() -> None:
    (table,) = answered(batch.robots(JOB), {"robots_latin1": "a\u4e00", "url": "/"})
    assert "U+4E00" in table["error"]


def test_a_page_gives_links_title_and_text(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(
        "<title>T</title><a rel=next href=b#c>to b</a> and <a href=x:y>x</a>"
    )
    line = {"file": str(tmp_path / "p"), "url": "http://a.test/", "content_type": "text/html"}
    page, missing = answered(batch.pages(JOB, None), line, {"file": str(tmp_path / "q")})
    assert (page["title"], page["text"], page["outcome"]) == ("T", "to b and x", "kept")
    (link,) = page["links"]
    expected = {"url": "http://a.test/b", "key": "test.a:/b", "text": "to b", "times": 1}
    assert expected.items() <= link.items()
    assert link["rel"] == "next"
    assert page["refused"] == [{"href": "x:y", "url": None, "kind": "anchor", "refusal": "scheme"}]
    assert "cannot be read" in missing["error"]


def test_a_scope_line_says_in_or_out() -> None:
    inside, outside = answered(
        batch.scopes(ScopeChecker(JOB)),
        {"url": "/x", "base": "http://a.test/"},
        {"url": "http://b.test/"},
    )
    assert (inside["in"], outside["in"], outside["reason"]) == (True, False, "out-of-scope")
