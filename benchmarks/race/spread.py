"""Spreads a tree over hosts: the same pages and the same links, each page on one host.

Links between the tree's pages become absolute, so that a crawl finds as many pages and as many
new URLs as before. That makes the pages longer, by 10 % for tree A and 7 % for tree B. So what 64
hosts cost shows beside the same tree on one host (`lycosa-absolute`), and what all of it costs
beside the tree as it came. (`lycosa-names` instead crawls a share of the tree on each of 64 hosts:
the same number of pages, and up to 64 times the URLs.)
"""

from __future__ import annotations

import dataclasses
import html
import re
import shutil
import zlib
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from benchmarks.race.trees import Tree

_LINK = re.compile(r"""(<a\s[^>]*?href=)(["'])([^"'#]+)""", re.IGNORECASE)


def host_of(path: str, hosts: int) -> str:
    """Return the host, of so many, that has a page."""
    return f"h{zlib.crc32(path.encode()) % hosts + 1}.race.test"


def spread(tree: Tree, hosts: int) -> Tree:
    """Return the tree with its links rewritten; the copy is made once."""
    made = dataclasses.replace(tree, hosts=hosts)
    done = made.root / ".done"
    if not done.exists():
        shutil.rmtree(made.root, ignore_errors=True)
        within = tree.root / tree.scope.strip("/")
        for file in within.rglob("*"):
            copy = made.root / file.relative_to(tree.root)
            if file.suffix == ".html" and file.is_file():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(_rewritten(file, tree, hosts))
        done.touch()
    return made


def _rewritten(file: Path, tree: Tree, hosts: int) -> bytes:
    here = "/" + quote(str(file.relative_to(tree.root)))

    def absolute(match: re.Match[str]) -> str:
        path = urlsplit(urljoin(here, html.unescape(match[3]))).path
        target = tree.root / unquote(path).lstrip("/")
        if not path.startswith(tree.scope) or target.suffix != ".html" or not target.is_file():
            return match[0]
        return f"{match[1]}{match[2]}http://{host_of(path, hosts)}{html.escape(path)}"

    return _LINK.sub(absolute, file.read_text(encoding="latin-1")).encode("latin-1")
