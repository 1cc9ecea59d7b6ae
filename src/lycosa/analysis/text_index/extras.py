"""Checks that the packages of the extra `search` are installed, which crawling does not need."""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.errors import LycosaError

PACKAGES = ("duckdb", "tantivy")


def missing() -> list[str]:
    """Return the packages that are not installed."""
    return [package for package in PACKAGES if not _is_there(package)]


def require(command: str) -> None:
    """Raise an error that says what to install, unless the packages are there."""
    if found := missing():
        raise LycosaError(
            f"{command} needs {', '.join(found)}\n"
            "  install, in the clone of Lycosa: pip install '.[search]'"
        )


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:
        return False
