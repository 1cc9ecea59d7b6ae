"""The packages that studying needs and crawling does not."""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.errors import LycosaError

PACKAGES = ("duckdb", "numpy", "py3langid", "scipy")


def require(command: str) -> None:
    """Refuse to go on without the packages; the text says how to get them."""
    missing = [package for package in PACKAGES if not _is_there(package)]
    if missing:
        raise LycosaError(
            f"lycosa {command} needs {', '.join(missing)}\n  install: pip install 'lycosa[study]'"
        )


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:
        return False
