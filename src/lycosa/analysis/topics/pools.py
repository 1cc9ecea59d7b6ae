"""Pools: the topics that a user has named, each with keywords, start URLs and example pages.

Three forms say the same.

A TOML file:

    [topics.biology]
    keywords = ["cell", "species"]
    urls = ["https://example.org/biology/"]

A CSV file, whose third column may be left out; several keywords have spaces between them:

    topic,url,keywords
    biology,https://example.org/biology/,cell species

A tree of folders, one a topic; a folder within a folder is a part of its topic. An HTML file is an
example page, `keywords.txt` has keywords, any other text file has URLs: one a line, `#` begins a
comment.

Always true: an error names file, line and the remedy; URLs are canonical.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.analysis.topics.names import fault_of
from lycosa.errors import ConfigError
from lycosa.model.url import canonicalize, refusal

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
LIST_SUFFIXES = (".txt", ".urls", ".lst", "")
KEYWORDS_FILE = "keywords.txt"
_KEYS = ("keywords", "urls")
_HEADER = ["topic", "url", "keywords"]


class Pool(NamedTuple):
    """A topic with its keywords and pages."""

    topic: str
    keywords: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    pages: tuple[Path, ...] = ()
    """HTML files that are examples of it."""


def read_pools(path: Path) -> list[Pool]:
    """Read the pools of a file or a tree; raise `ConfigError` if it is not one."""
    if path.is_dir():
        pools = list(_from_tree(path))
    elif path.suffix == ".toml":
        pools = list(_from_toml(path))
    elif path.suffix == ".csv":
        pools = list(_from_csv(path))
    else:
        why = "there is no such file" if not path.exists() else "is not a file of topics"
        raise ConfigError(f"{path}: {why}\n  give a .toml file, a .csv file, or a tree of folders")
    if not pools:
        raise ConfigError(
            f"{path}: names no topic\n"
            '  write one: [topics.biology] with keywords = ["cell", "species"]'
        )
    return pools


def to_toml(pools: Iterable[Pool]) -> str:
    """Write pools as the TOML file that `read_pools` reads."""
    return "\n".join(
        f"[topics.{_key(pool.topic)}]\n"
        + (f"keywords = {_listed(pool.keywords)}\n" if pool.keywords else "")
        + f"urls = {_listed(pool.urls)}\n"
        for pool in pools
    )


def _key(topic: str) -> str:
    """Write a name as one key: a dot would begin a table within the table."""
    return topic if re.fullmatch(r"[A-Za-z0-9_-]+", topic) else f'"{topic}"'


def _listed(texts: Iterable[str]) -> str:
    lines = "".join(f"    {_quoted(text)},\n" for text in texts)
    return f"[\n{lines}]" if lines else "[]"


def _quoted(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


def _from_toml(path: Path) -> Iterator[Pool]:
    text = _read(path)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}\n  correct that line") from None
    for key in found:
        if key != "topics":
            raise _fault(path, _line_of(text, key), f"has no key `{key}`", "write [topics.NAME]")
    topics = found.get("topics", {})
    if not isinstance(topics, dict):
        raise _fault(
            path, _line_of(text, "topics"), "`topics` is not a table", "write [topics.NAME]"
        )
    for topic, facts in topics.items():
        yield from _toml_pools(path, text, topic, facts)


def _toml_pools(path: Path, text: str, topic: str, facts: Any) -> Iterator[Pool]:
    line = _line_of(text, topic)
    if fault := fault_of(topic):
        raise ConfigError(f"{path}:{line}: {fault}")
    if not isinstance(facts, dict):
        wanted = 'write [topics.NAME] with keywords = ["…"]'
        raise _fault(path, line, f"`{topic}` is not a table of a topic", wanted)
    for key, value in facts.items():
        # A table within the table is a topic below this one.
        if isinstance(value, dict):
            yield from _toml_pools(path, text, f"{topic}.{key}", value)
        elif key not in _KEYS:
            raise _fault(
                path, _line_of(text, key), f"a topic has no key `{key}`", "keys: keywords, urls"
            )
        elif not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            example = '["cell", "species"]' if key == "keywords" else '["https://example.org/"]'
            wanted = f"write {key} = {example}"
            raise _fault(path, _line_of(text, key), f"`{key}` is not a list of texts", wanted)
    keywords, urls = facts.get("keywords", ()), facts.get("urls", ())
    # A table of other topics alone is a level of names, and not a topic.
    if "keywords" in facts or "urls" in facts or not facts:
        checked = (_url(path, _line_of(text, url), url) for url in urls)
        yield Pool(topic, tuple(keywords), tuple(checked))


def _from_csv(path: Path) -> Iterator[Pool]:
    pools: dict[str, Pool] = {}
    reader = csv.reader(_read(path).splitlines())
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            is_header = reader.line_num == 1 and cells[:2] == _HEADER[:2]
            if not any(cells) or cells[0].startswith("#") or is_header:
                continue
            if len(cells) not in (2, 3):
                what = f"has {len(cells)} columns"
                raise _fault(path, reader.line_num, what, "write topic,url or topic,url,keywords")
            topic, url, *words = cells
            if fault := fault_of(topic):
                raise ConfigError(f"{path}:{reader.line_num}: {fault}")
            pool = pools.setdefault(topic, Pool(topic))
            urls = [_url(path, reader.line_num, url)] if url else []
            keywords = words[0].split() if words else []
            pools[topic] = pool._replace(
                keywords=tuple(dict.fromkeys([*pool.keywords, *keywords])),
                urls=tuple(dict.fromkeys([*pool.urls, *urls])),
            )
    except csv.Error as error:
        raise _fault(path, reader.line_num, f"is not CSV: {error}", "correct that line") from None
    yield from pools.values()


def _from_tree(root: Path) -> Iterator[Pool]:
    for folder in sorted(path for path in root.rglob("*") if path.is_dir()):
        parts = folder.relative_to(root).parts
        if any(part.startswith(".") for part in parts):
            continue
        topic = ".".join(parts)
        if fault := fault_of(topic):
            raise ConfigError(f"{folder}: {fault}")
        pool = Pool(topic)
        for file in sorted(path for path in folder.iterdir() if path.is_file()):
            if not file.name.startswith("."):
                pool = _with_file(pool, file)
        if pool != Pool(topic):
            yield pool


def _with_file(pool: Pool, file: Path) -> Pool:
    if file.suffix.lower() in PAGE_SUFFIXES:
        return pool._replace(pages=(*pool.pages, file))
    if file.suffix.lower() not in LIST_SUFFIXES:
        raise ConfigError(
            f"{file}: is neither a page nor a list of URLs\n"
            "  name pages .html and lists .txt, or move the file out of the tree"
        )
    lines = list(_lines(file))
    if file.name == KEYWORDS_FILE:
        return pool._replace(keywords=(*pool.keywords, *(text for _, text in lines)))
    urls = [_url(file, number, text) for number, text in lines]
    return pool._replace(urls=tuple(dict.fromkeys([*pool.urls, *urls])))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(_read(path).splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}\n  check the path") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}:{line}: is not in UTF-8\n  save the file as UTF-8") from None


def _url(path: Path, line: int, text: str) -> str:
    canonical = canonicalize(text)
    if canonical is None:
        why = refusal(text) or "invalid"
        raise _fault(path, line, f"`{text}` is not a URL to crawl ({why})", "write https://…")
    return canonical


def _line_of(text: str, word: str) -> int:
    """Return the line of the first occurrence of a word in a TOML file."""
    place = text.find(word)
    return text.count("\n", 0, max(place, 0)) + 1


def _fault(path: Path, line: int, what: str, mend: str) -> ConfigError:
    return ConfigError(f"{path}:{line}: {what}\n  {mend}")
