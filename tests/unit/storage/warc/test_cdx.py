from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.storage.warc.cdx import Sorter, search, surt


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.org/A/B/?z=1&a=2", "org,example)/a/b?a=2&z=1"),
        ("https://www2.example.org/", "org,example)/"),
        ("http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"),
        ("http://[::1]:81/x", "::1:81)/x"),
        ("https://a.org:8443/", "org,a:8443)/"),
        ("http://a.org/%7Efoo/%E9/%20x", "org,a)/~foo/%e9/%20x"),
        ("http://a.org/a%2523", "org,a)/a%23"),
        ("http://a.org/a//b", "org,a)/a/b"),
        ("http://a.org/a%2F..%2Fb", "org,a)/b"),
        ("http://a.org/..%2Fb", "org,a)/../b"),
        ("http://a.org/x?b&a=&a", "org,a)/x?a&a=&b"),
        ("http://a.org/x?", "org,a)/x"),
        ("http://a.org/(a(234567890123456789012345))/x.aspx", "org,a)/x.aspx"),
        ("http://a.org/a?sid=abcdefghijabcdefghijabcdefghij12&x=1", "org,a)/a?x=1"),
        ("http://a.org/a?x=1&phpsessid=abcdefghijabcdefghijabcdefghij12", "org,a)/a?&x=1"),
    ],
)
def test_keys_are_those_that_replay_tools_search_by(url: str, key: str) -> None:
    assert surt(url) == key


@given(st.lists(st.text("abc)/ ", max_size=6)), st.integers(1, 5))
def test_lines_are_sorted_in_any_amount_of_memory(lines: list[str], memory: int) -> None:
    sorter = Sorter(memory)
    for line in lines:
        sorter.add(line + "\n")
    file = io.StringIO()
    sorter.write(file)
    assert file.getvalue().splitlines() == sorted(lines)


@given(
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.integers(0, 99))),
    st.text("ab", min_size=1, max_size=3),
)
def test_a_search_finds_all_lines_of_a_key_and_no_others(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, int]], key: str
) -> None:
    path = tmp_path_factory.mktemp("cdx") / "x.cdxj"
    lines = sorted(f"{name} {number} {{}}\n" for name, number in entries)
    path.write_text("".join(lines))
    assert list(search(path, key)) == [line for line in lines if line.split()[0] == key]


def test_an_empty_index_has_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.cdxj").write_text("")
    assert list(search(tmp_path / "x.cdxj", "a")) == []
