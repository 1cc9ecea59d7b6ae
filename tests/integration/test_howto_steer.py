"""The page on steering a crawl shows what its commands print, beside a crawl that runs."""

from __future__ import annotations

from pathlib import Path

from typed_pages import BLOCK, HOWTO, served, typed


def test_every_order_of_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    first, *blocks = BLOCK.findall((HOWTO / "steer-a-crawl.md").read_text(encoding="utf-8"))
    words = first[0].split()
    assert words[:2] == ["lycosa", "testweb"]
    with served(tmp_path, *words[2:4]) as folder:
        assert len(blocks) == 5
        for script, shown in blocks:
            assert typed(script, folder) == shown, script
