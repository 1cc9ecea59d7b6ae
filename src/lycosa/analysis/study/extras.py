"""Checks that the packages of the extra `study` are installed, which crawling does not need."""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.errors import LycosaError

PACKAGES = ("duckdb", "numpy", "py3langid", "scipy")


def require(command: str) -> None:
    """Raise an error that says what to install, unless the packages are there."""
    missing = [package for package in PACKAGES if not is_there(package)]
    if missing:
        raise LycosaError(
            f"lycosa {command} needs {', '.join(missing)}\n"
            "  install, in the clone of Lycosa: pip install '.[study]'"
        )


def is_there(package: str) -> bool:
    """Return whether a package is installed."""
    try:
        return find_spec(package) is not None
    except ValueError:
        return False
