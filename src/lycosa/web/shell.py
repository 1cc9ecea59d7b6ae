"""The pages: shells without data, the same for everybody, filled in by their scripts."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lycosa import __version__
from lycosa.model.job.recipes import RECIPES
from lycosa.model.job.writer import write_value
from lycosa.web.rest.problems import problem

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
PAGES = {
    "now": "Now",
    "pages": "Pages",
    "hosts": "Hosts",
    "url": "URL",
    "search": "Search",
    "ask": "Ask",
    "report": "Report",
    "checks": "Checks",
    "audit": "Audit",
    "log": "Log",
}
"""The pages of a crawl, as the menu names them."""

_RECIPES = [
    (
        name,
        one.purpose,
        [f"[{section}] {key} = {write_value(value)}" for section, key, value in one.settings],
    )
    for name, one in RECIPES.items()
]
"""Name, purpose and settings of each recipe, for the form of a new crawl."""

_templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _shown(page: str, title: str, crawl: str = "") -> Response:
    content = _templates.get_template(f"{page}.html").render(
        page=page, title=title, crawl=crawl, pages=PAGES, recipes=_RECIPES, version=__version__
    )
    return HTMLResponse(content)


async def crawls_page(request: Request) -> Response:
    """The list of crawls."""
    return _shown("crawls", "Crawls")


async def new_page(request: Request) -> Response:
    """The form for a new crawl."""
    return _shown("new", "New crawl")


async def crawl_page(request: Request) -> Response:
    """A page of a crawl, whether there is one of that name or not."""
    page = request.path_params["page"]
    if page not in PAGES:
        return problem(404, "there is no such page")
    return _shown(page, PAGES[page], request.path_params["name"])
