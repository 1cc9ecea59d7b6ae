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

TYPE_CHECKING = False  # as checkers take it: `typing` would be most of what this import costs

if TYPE_CHECKING:
    from typing import Any

_POOL = "ARROW_DEFAULT_MEMORY_POOL"
_COMMANDS = frozenset(
    ("status", "queue", "explain", "audit", "cat", "verify", "retry", "block", "unblock", "forget")
)
"""Commands besides those that crawl; other commands load no Arrow, or need both."""
_NO_PLUGINS = "\n[plugins]\nuse = []\n"
"""The line by which a crawl directory's job says that it has no plugins."""
_is_lean = False
"""Whether pyarrow was loaded while numpy could not be found."""


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

    from lycosa._support import beneath
    from lycosa.errors import LycosaError

    try:
        text = beneath.read_text(Path(folder, "crawl.toml"), errors="replace")
    except (OSError, LycosaError):
        return False  # the command itself says why
    return _NO_PLUGINS in text


def load(*, with_numpy: bool) -> None:
    """Load pyarrow on the C library's allocator, and its module that writes Parquet.

    Harmless when it is loaded. A numpy that is loaded, and an allocator that the user has named,
    stay.
    """
    global _is_lean
    if "pyarrow" in sys.modules:
        return
    _is_lean = not with_numpy and "numpy" not in sys.modules
    names_pool = _POOL not in os.environ
    if names_pool:
        os.environ[_POOL] = "system"
    try:
        pyarrow = _loaded("pyarrow")
        _loaded("pyarrow._parquet")
        pyarrow.default_memory_pool()  # now it is chosen
    finally:
        if names_pool:
            del os.environ[_POOL]


def functions() -> "Any":
    """Return Arrow's functions: `pyarrow._compute`, which looks for numpy, too."""
    return sys.modules.get("pyarrow._compute") or _loaded("pyarrow._compute")


def _loaded(name: str) -> "Any":
    """Return a module of Arrow, loaded without numpy if Arrow is to do without."""
    hides_numpy = _is_lean and "numpy" not in sys.modules
    if hides_numpy:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # an import of it fails
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_LAZY)
    try:
        __import__(name)
        return sys.modules[name]
    finally:
        sys.setdlopenflags(flags)
        if hides_numpy:
            del sys.modules["numpy"]
