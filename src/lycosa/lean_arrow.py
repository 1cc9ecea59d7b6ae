"""Loads pyarrow without numpy, for commands that have no use for it.

pyarrow loads numpy where it finds it. That takes 0.17 s of CPU and 12 MB of a process that needs
neither (docs/decisions/0086-arrow-without-numpy.md). Once loaded like this, pyarrow takes and gives
no arrays of numpy for as long as the process lives. So it is not done for programs that use Lycosa
as a library, nor for crawls with plugins, which may use both. numpy itself can still be imported.
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
        import pyarrow._parquet  # noqa: F401  it looks for numpy, too
    finally:
        del sys.modules["numpy"]
