"""Loads pyarrow without numpy, and without its own allocator.

pyarrow loads numpy where it finds it. That takes 0.17 s of CPU and 12 MB of a process that needs
neither (docs/decisions/0031-a-start-in-less-time.md). Once loaded like this, pyarrow takes and
gives no arrays of numpy for as long as the process lives. So it is not done for programs that use
Lycosa as a library, nor for crawls with plugins, which may use both. numpy itself can still be
imported.

Arrow has an allocator that keeps what it has freed, some 20 MB after a sealing. `set_memory_pool`
gives another one to those functions that are handed a pool by Python; the writer of Parquet files
is not. It takes Arrow's default, which is chosen when Arrow first looks for it, by the environment.
So that is set while Arrow is loaded.

Python lets the linker look up all functions of a library when it loads it: Arrow's are tens of
thousands, of which a crawl calls few. Here each is looked up when it is first called.
"""

import os
import sys

_POOL = "ARROW_DEFAULT_MEMORY_POOL"
_COMMANDS = frozenset(
    ("status", "queue", "explain", "audit", "cat", "verify", "retry", "block", "unblock", "forget")
)
"""Commands besides those that crawl; other commands load no Arrow, or need both."""
_NO_PLUGINS = "\n[plugins]\nuse = []\n"
"""The line by which a crawl directory's job says that it has no plugins."""


def can_do_without_numpy(words: list[str]) -> bool:
    """Tell whether a command line needs no numpy for what Arrow does in it."""
    if not words:
        return False
    if words[0] in _COMMANDS:
        return True
    if any("plugins" in word or word.startswith("--config") for word in words):
        return False
    if words[0] in ("resume", "revisit"):
        return any(has_no_plugins(word) for word in words[1:] if not word.startswith("-"))
    return words[0] == "crawl"


def has_no_plugins(folder: str) -> bool:
    """Tell whether the job of a crawl directory says that it has none, as Lycosa writes it."""
    from pathlib import Path  # not before it is known that large pages are used

    from lycosa import beneath
    from lycosa.errors import LycosaError

    try:
        text = beneath.read_text(Path(folder, "crawl.toml"), errors="replace")
    except (OSError, LycosaError):
        return False  # the command itself says why
    return _NO_PLUGINS in text


def load(*, with_numpy: bool) -> None:
    """Load pyarrow on the C library's allocator, and its modules that look for numpy.

    Harmless when it is loaded. A numpy that is loaded, and an allocator that the user has named,
    stay.
    """
    if "pyarrow" in sys.modules:
        return
    hides_numpy = not with_numpy and "numpy" not in sys.modules
    names_pool = _POOL not in os.environ
    if hides_numpy:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # an import of it fails
    if names_pool:
        os.environ[_POOL] = "system"
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_LAZY)
    try:
        import pyarrow._compute
        import pyarrow._parquet

        pyarrow.default_memory_pool()  # now it is chosen
    finally:
        sys.setdlopenflags(flags)
        if hides_numpy:
            del sys.modules["numpy"]
        if names_pool:
            del os.environ[_POOL]
