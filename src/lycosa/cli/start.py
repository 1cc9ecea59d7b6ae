"""The entry point of the `lycosa` command, which runs before anything large is imported."""

import os
import sys

from lycosa._support import lean_arrow
from lycosa._support.memory import enlarge_arenas, expect_much, restore_environment

TYPE_CHECKING = False  # as checkers take it: `typing` would be most of what this import costs

if TYPE_CHECKING:
    from typing import NoReturn

CRAWLING = frozenset(("crawl", "resume", "revisit"))
WATCHED = CRAWLING | {"join"}


def is_address(text: str) -> bool:
    """Return whether `lycosa TEXT` is short for `lycosa crawl TEXT`: a URL, or a name with a dot.

    No command has a dot; a file or folder that is there is a mistake of another kind.
    """
    return text[:1].isalnum() and (
        "://" in text
        or ("." in text and not text.endswith(".toml") and not os.access(text, os.F_OK))
    )


def program() -> "NoReturn":
    """Run the program; a crawl in a process of its own, most commands with less of Arrow."""
    restore_environment()
    if len(sys.argv) > 1 and is_address(sys.argv[1]):
        sys.argv.insert(1, "crawl")
    is_crawl = len(sys.argv) > 1 and sys.argv[1] in CRAWLING
    if len(sys.argv) > 1 and sys.argv[1] in WATCHED and not {"-h", "--help"} & set(sys.argv):
        from lycosa.cli.watch import watch  # other commands do without it

        watch(with_large_pages=is_crawl)
    if is_crawl:
        enlarge_arenas()
    expect_much()
    needs_numpy = not lean_arrow.can_do_without_numpy(sys.argv[1:])
    if (is_crawl or not needs_numpy) and not {"-h", "--help"} & set(sys.argv):
        lean_arrow.load(with_numpy=needs_numpy)
    from lycosa.cli.main import program as run

    run()
