"""The first thing that runs: what has to happen before anything is loaded."""

import gc
import sys

from lycosa.memory import begin_anew, enlarge_arenas

TYPE_CHECKING = False  # as checkers take it: `typing` would be most of what this import costs

if TYPE_CHECKING:
    from typing import NoReturn

CRAWLING = frozenset(("crawl", "resume"))


def program() -> "NoReturn":
    """Be the program: a crawl with large pages for its heap, anything else as it is.

    What a start makes stays: 70,000 objects. To look through them for cycles takes 15 ms, so
    that is done only by a command that makes many more; a crawl sets them aside when it begins
    (`crawl.machine`).
    """
    if len(sys.argv) > 1 and sys.argv[1] in CRAWLING:
        begin_anew()
        enlarge_arenas()
    gc.set_threshold(200_000, 20, 20)
    from lycosa.cli.main import program as run

    run()
