"""The figures of docs/reference/partitioners.md: what they mean, and whose they are."""

from __future__ import annotations

from pathlib import Path

from benchmarks.balance import MAKERS, Balance, balance, read_keys, spread

ROOT = Path(__file__).parents[3]


def test_even_counts_vary_by_nothing() -> None:
    assert balance([3, 3, 3]) == Balance(1.0, 1.0, 0.0, 0)
    assert balance([4, 2, 0, 2]) == Balance(2.0, 0.0, 0.5**0.5, 1)


def test_every_key_is_counted_once(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text("http://a.test/\nhttps://b.test/x\nnonsense\nhttp://a.test/y\n")
    keys = read_keys(urls)
    assert len(keys) == 3
    for make in MAKERS.values():
        assert sum(spread(make(16), keys, 16)) == 3


def test_the_page_names_every_partitioner() -> None:
    page = (ROOT / "docs" / "reference" / "partitioners.md").read_text(encoding="utf-8")
    for name in MAKERS:
        assert f"| `{name}` |" in page
