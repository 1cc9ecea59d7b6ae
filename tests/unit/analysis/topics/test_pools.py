"""Pools: three forms that say the same, and errors that name file, line and fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.analysis.topics.pools import Pool, read_pools, to_toml
from lycosa.errors import ConfigError

URL = "https://example.org/cells"
BIOLOGY = Pool("biology", ("cell", "species"), (URL,))
PART = Pool("biology.botany", ("leaf",), ("https://example.org/leaves",))


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_names_topics_and_their_parts(tmp_path: Path) -> None:
    text = (
        '[topics.biology]\nkeywords = ["cell", "species"]\nurls = ["HTTPS://Example.org/cells"]\n'
        '[topics.biology.botany]\nkeywords = ["leaf"]\nurls = ["https://example.org/leaves"]\n'
    )
    assert sorted(read_pools(written(tmp_path / "p.toml", text))) == [BIOLOGY, PART]


def test_csv_says_the_same(tmp_path: Path) -> None:
    text = (
        "topic,url,keywords\n# a comment\n"
        f"biology,{URL},cell species\nbiology.botany,https://example.org/leaves,leaf\n"
    )
    assert read_pools(written(tmp_path / "p.csv", text)) == [BIOLOGY, PART]


def test_a_tree_of_folders_says_the_same_and_holds_pages(tmp_path: Path) -> None:
    written(tmp_path / "biology" / "keywords.txt", "cell\nspecies\n")
    written(tmp_path / "biology" / "hubs.txt", f"# hubs\n{URL}\n{URL}\n")
    page = written(tmp_path / "biology" / "botany" / "leaf.html", "<p>leaf")
    written(tmp_path / "biology" / ".hidden", "not a URL")
    assert read_pools(tmp_path) == [BIOLOGY, Pool("biology.botany", pages=(page,))]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    pools = [BIOLOGY, PART, Pool("größe", ('a "quoted" \\ word',), ())]
    assert read_pools(written(tmp_path / "p.toml", to_toml(pools))) == pools


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", "[topics.a]\nkeyword = ['x']\n", "a.toml:2: a topic has no key `keyword`"),
        ("b.toml", "[topics.a]\n\nurls = 'x'\n", "b.toml:3: `urls` is not a list of texts"),
        (
            "c.toml",
            '[topics.a]\nurls = ["ftp://x/"]\n',
            "c.toml:2: `ftp://x/` is not a URL to crawl",
        ),
        ("d.toml", "[topics.a\n", "at line 1"),
        ("e.toml", "[pools.a]\n", "e.toml:1: has no key `pools`"),
        ("f.toml", "\n", "names no topic"),
        ("g.toml", '[topics."a b"]\n', "write, for example: a_b"),
        ("h.csv", "topic,url\na,https://x.test/\nb\n", "h.csv:3: has 1 columns"),
        ("i.csv", "a,not a url\n", "i.csv:1: `not a url` is not a URL to crawl"),
        (
            "j.csv",
            "a,https://x.test/,k\n,https://x.test/\n",
            "j.csv:2: the name of a topic is empty",
        ),
        ("k.txt", "a\n", "give a .toml file, a .csv file, or a tree of folders"),
    ],
)
def test_an_error_names_file_line_and_fix(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read_pools(written(tmp_path / name, text))
    assert said in str(error.value)
    assert name in str(error.value) and "\n  " in str(error.value)


def test_a_file_of_a_tree_that_is_neither_page_nor_list_is_named(tmp_path: Path) -> None:
    written(tmp_path / "biology" / "leaf.png", "…")
    with pytest.raises(ConfigError, match=r"leaf\.png: is neither a page nor a list of URLs"):
        read_pools(tmp_path)
    (tmp_path / "biology" / "leaf.png").unlink()
    written(tmp_path / "biology" / "urls.txt", "# all\n\nleaves\n")
    with pytest.raises(ConfigError, match=r"urls\.txt:3: `leaves` is not a URL"):
        read_pools(tmp_path)


def test_bytes_that_are_no_utf_8_are_named_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(b"a,https://x.test/\nb,https://x.test/\xff\n")
    with pytest.raises(ConfigError, match=r"p\.csv:2: is not in UTF-8"):
        read_pools(path)
