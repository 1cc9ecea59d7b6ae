"""Checks that the packages of an extra are installed, which crawling does not need."""

from __future__ import annotations

from importlib.util import find_spec

from lycosa.errors import LycosaError

SEARCH = ("duckdb", "tantivy")
SERVE = ("starlette", "uvicorn", "jinja2")
STUDY = ("duckdb", "numpy", "py3langid", "scipy")


def is_there(package: str) -> bool:
    """Return whether a package is installed."""
    try:
        return find_spec(package) is not None
    except ValueError:  # it is there, and says nothing of where it came from
        return False


def missing(packages: tuple[str, ...]) -> list[str]:
    """Return the packages that are not installed."""
    return [package for package in packages if not is_there(package)]


def require(user: str, packages: tuple[str, ...], extra: str) -> None:
    """Raise an error that says what to install for its user, unless the packages are there."""
    if found := missing(packages):
        raise LycosaError(
            f"{user} needs {', '.join(found)}\n"
            f"  install, in the clone of Lycosa: pip install '.[{extra}]'"
        )


def require_search(user: str) -> None:
    """Raise an error unless the packages of the text index are installed."""
    require(user, SEARCH, "search")


def require_serve(user: str) -> None:
    """Raise an error unless the packages of the web server are installed."""
    require(user, SERVE, "serve")


def require_study(user: str) -> None:
    """Raise an error unless the packages of studies are installed."""
    require(user, STUDY, "study")
