"""Checks that DuckDB is installed, which crawling does not need."""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.errors import LycosaError


def require() -> None:
    """Raise an error that says what to install, unless DuckDB is there."""
    if find_spec("duckdb") is None:
        raise LycosaError(
            "the list of pages needs duckdb\n  install, in the clone: pip install '.[serve]'"
        )
