"""Loads pyarrow without numpy, for commands that have no use for it.

pyarrow loads numpy where it finds it. That takes 0.17 s of CPU and 12 MB of a process that needs
neither (docs/decisions/0086-arrow-without-numpy.md). What pyarrow has been loaded without it cannot
use later: so this is not for programs of others that use Lycosa as a library, nor for crawls with
plugins, which may do with both what they like. numpy itself can still be imported.
"""

import sys

_COMMANDS = frozenset(
    ("status", "queue", "explain", "audit", "cat", "verify", "retry", "block", "unblock", "forget")
)
"""Beside `crawl`: others load no Arrow, or need both."""


def can_do_without_numpy(words: list[str]) -> bool:
    """Tell whether a command line needs no numpy for what Arrow does in it."""
    if not words:
        return False
    if words[0] != "crawl":
        return words[0] in _COMMANDS
    return not any("plugins" in word or word.startswith("--config") for word in words)


def load() -> None:
    """Load pyarrow, and what else of it looks for numpy; harmless when either is there."""
    if "pyarrow" in sys.modules or "numpy" in sys.modules:
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import pyarrow._compute
        import pyarrow._parquet  # noqa: F401  so does this
    finally:
        del sys.modules["numpy"]
