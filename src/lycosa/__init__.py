"""Lycosa: a web spider that is polite beyond doubt and loses nothing when it is killed.

    from lycosa import Job, run

    job = Job.of(["https://example.org/"], fetch={"contact": "you@example.org"})
    for page in run("mycrawl", job).pages(outcome="kept"):
        print(page.url, page.title)

`__all__` lists the public names; each is imported when it is first used. Everything else may
change from one version to the next. docs/reference/packages.md lists the packages.
"""

TYPE_CHECKING = False  # as checkers take it; `typing` would be half of what this import costs

if TYPE_CHECKING:
    from lycosa.api.crawl import Crawl
    from lycosa.api.rows import Link, Page
    from lycosa.api.run import run, run_async
    from lycosa.errors import LycosaError
    from lycosa.features.plugins.pages import SeenPage
    from lycosa.features.plugins.plugin import Plugin
    from lycosa.model.job import Job

__version__ = "0.1.0.dev0"

__all__ = [
    "Crawl",
    "Job",
    "Link",
    "LycosaError",
    "Page",
    "Plugin",
    "SeenPage",
    "run",
    "run_async",
]

_HOMES = {
    "Crawl": "lycosa.api.crawl",
    "Job": "lycosa.model.job",
    "Link": "lycosa.api.rows",
    "LycosaError": "lycosa.errors",
    "Page": "lycosa.api.rows",
    "Plugin": "lycosa.features.plugins.plugin",
    "SeenPage": "lycosa.features.plugins.pages",
    "run": "lycosa.api.run",
    "run_async": "lycosa.api.run",
}


if not TYPE_CHECKING:  # a checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, so that `import lycosa` costs nothing."""
        if name not in _HOMES:
            raise AttributeError(f"module 'lycosa' has no attribute {name!r}")
        from importlib import import_module

        found: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
