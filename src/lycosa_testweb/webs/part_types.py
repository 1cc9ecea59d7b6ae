"""A site whose pages are made by scripts out of files of many types, as documentation often is.

The home page is empty without its script, which asks for Markdown, tables, programs and settings;
the text of each has a word that stands nowhere else. Some of these files are linked, too, on this
host or the other one, so a crawler may meet them as links first. `/linked.zip` is linked alone.
"""

from __future__ import annotations

import json

from lycosa.model.records import Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Headers, Reply

HOST, OTHER_HOST = "docs.test", "files.test"
HOME = f"http://{HOST}/"
REFUSED = f"{HOME}secret/notes.md"
"""A part that the site's robots file forbids."""
MISSING = f"{HOME}gone.md"
"""A part that does not exist."""
LINKED = f"{HOME}linked.zip"
"""A file that is linked and no part of any page."""

LINKED_PARTS = (f"{HOME}table.csv", f"http://{OTHER_HOST}/shared.csv")
"""Parts that are linked, too, from the home page."""

PARTS: dict[str, tuple[str, str]] = {
    f"{HOME}guide.md": ("text/markdown", "# Guide\n\nThe word of the guide is larkspur.\n"),
    f"{HOME}table.csv": ("text/csv", "name,word\ntable,foxglove\n"),
    f"{HOME}data.bin": ("application/octet-stream", "The word of the file is hellebore."),
    f"{HOME}settings.yaml": ("application/yaml", "word: campion\n"),
    f"{HOME}moved.md": ("", f"{HOME}target.md"),
    f"{HOME}target.md": ("text/markdown", "The word after the redirect is speedwell."),
    f"{HOME}away.md": ("", f"http://{OTHER_HOST}/arrived.md"),
    f"http://{OTHER_HOST}/arrived.md": ("text/markdown", "The word from afar is celandine."),
    f"http://{OTHER_HOST}/data.json": ("application/vnd.docs+json", '{"word": "tormentil"}'),
    f"http://{OTHER_HOST}/shared.csv": ("text/csv", "name,word\nshared,betony\n"),
}
"""Type and text of each part by its URL; a part without a type is a redirect."""

WORDS = (
    *("larkspur", "foxglove", "hellebore", "campion"),
    *("speedwell", "celandine", "tormentil", "betony"),
)
_ASKED = (*(url for url in PARTS if "target" not in url and "arrived" not in url), REFUSED, MISSING)


class PartTypes:
    """The site, and the other host on which some of its files are."""

    def __init__(self) -> None:
        asked = json.dumps(_ASKED)
        script = (
            f"for (const url of {asked}) fetch(url).then((r) => r.ok ? r.text() : '').then((text)"
            " => { const p = document.createElement('p'); p.textContent = text;"
            " document.body.append(p) }).catch(() => 0)"
        )
        links = "".join(f'<a href="{url}">file</a> ' for url in (LINKED, *LINKED_PARTS))
        self._pages = {
            "/": f"<!DOCTYPE html><title>Docs</title><p>{links}<a href=/app>app</a>",
            "/app": f"<!DOCTYPE html><title>App</title><div id=app></div><script>{script}</script>",
        }

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return both hosts."""
        return [HOST, OTHER_HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, a part or the robots file."""
        path = "/" + request.url.split("/", 3)[3]
        if path == "/robots.txt":
            return Reply(200, PLAIN, b"User-agent: *\nDisallow: /secret/\n")
        if request.url in PARTS:
            kind, text = PARTS[request.url]
            if not kind:
                return Reply(302, (("Location", text), *_ANYWHERE), b"")
            return Reply(200, (("Content-Type", kind), *_ANYWHERE), text.encode())
        if request.url == LINKED:
            return Reply(200, (("Content-Type", "application/zip"),), b"PK\x03\x04 not a page")
        if request.url.startswith(HOME) and path in self._pages:
            return Reply(200, HTML, self._pages[path].encode())
        return Reply(404, PLAIN, b"no such file\n")

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of the host."""
        known = {HOST: "10.0.0.1", OTHER_HOST: "10.0.0.2"}
        return Resolved(known.get(host), 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Forbid one folder."""
        return "/secret/" not in url

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


_ANYWHERE: Headers = (("Access-Control-Allow-Origin", "*"),)
"""Scripts of other hosts may read the files."""
