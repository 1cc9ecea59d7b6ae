"""A maze whose doors are made by scripts: one page for each way in which a script makes a link.

The page `/KIND` leads to `/found/KIND` in that way alone; no address of a target stands in any
document, so that a crawler without a browser finds the pages of the kinds and none of the targets.
`/plain` is an ordinary page, and `/shell` an application that is empty without scripts.

`PartTypes` is another site, whose pages are made out of files of many types.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from lycosa.model.records import Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Headers, Reply

HOST, OTHER_HOST = "maze.test", "parts.test"
HOME = f"http://{HOST}/"
SCRIPT: Headers = (("Content-Type", "text/javascript; charset=utf-8"),)
JSON: Headers = (("Content-Type", "application/json"),)

_MAKE = (
    "var T = (k) => ['', 'fo' + 'und', k].join('/');"
    " var A = (k, to = document.body) => { const a = document.createElement('a');"
    " a.href = T(k); a.textContent = 'Through the door of ' + k; to.append(a); };"
)
"""The common beginning of all scripts: the target's address, and an anchor to it."""

KINDS: dict[str, str] = {
    # made at once
    "anchor": "<script>A('KIND')</script>",
    "inner-html": "<div id=d></div><script>d.innerHTML = '<a hr' + 'ef=' + T('KIND') + '>in</a>'"
    "</script>",
    "document-write": "<script>document.write('<a hr' + 'ef=\"' + T('KIND') + '\">in</a>')"
    "</script>",
    "decoded": "<script>A(atob('" + "KIND64" + "'))</script>",
    "area": "<map name=m id=m></map><script>const r = document.createElement('area');"
    " r.href = T('KIND'); m.append(r)</script>",
    "svg": "<svg id=s></svg><script>const n = document.createElementNS('http://www.w3.org/2000/svg',"
    " 'a'); n.setAttribute('href', T('KIND')); s.append(n)</script>",
    "set-href": "<a id=l>door</a><script>l.setAttribute('href', T('KIND'))</script>",
    "shadow": "<div id=h></div><script>A('KIND', h.attachShadow({mode: 'open'}))</script>",
    "closed-shadow": "<div id=h></div><script>A('KIND', h.attachShadow({mode: 'closed'}))</script>",
    "custom-element": "<my-door></my-door><script>customElements.define('my-door', class extends"
    " HTMLElement { connectedCallback() { A('KIND', this) } })</script>",
    "template": "<template id=t><a>door</a></template><script>const c = t.content.cloneNode(true);"
    " c.querySelector('a').href = T('KIND'); document.body.append(c)</script>",
    "srcdoc": "<iframe id=f></iframe><script>f.srcdoc = '<a hr' + 'ef=' + T('KIND') + '>in</a>'"
    "</script>",
    "frame-script": "<iframe id=f></iframe><script>f.srcdoc = '<script>const a = document."
    "createElement(\"a\"); a.href = ' + JSON.stringify(T('KIND')) + "
    "'; document.documentElement.append(a)</scr' + 'ipt>'</script>",
    # later
    "timeout": "<script>setTimeout(() => A('KIND'), 3000)</script>",
    "late": "<script>setTimeout(() => setTimeout(() => A('KIND'), 6000), 6000)</script>",
    "resize": "<script>addEventListener('resize', () => { window.d ||= (A('KIND'), 1) })</script>",
    "interval": "<script>let i = 0; const n = setInterval(() => { if (++i == 3) { A('KIND');"
    " clearInterval(n) } }, 500)</script>",
    "promise": "<script>(async () => { await null; A('KIND') })()</script>",
    "animation-frame": "<script>requestAnimationFrame(() => A('KIND'))</script>",
    "idle": "<script>requestIdleCallback(() => A('KIND'))</script>",
    "on-load": "<script>addEventListener('load', () => A('KIND'))</script>",
    "message": "<script>addEventListener('message', (e) => A(e.data)); postMessage('KIND')"
    "</script>",
    # from other files
    "script-file": "<script src=/parts/KIND.js></script>",
    "added-script": "<script>const s = document.createElement('script'); s.src = '/parts/KIND.js';"
    " document.head.append(s)</script>",
    "module": "<script type=module src=/parts/KIND.js></script>",
    "import": "<script>import('/parts/' + 'KIND.js')</script>",
    "fetch": "<script>fetch('/parts/' + 'KIND.json').then((r) => r.json()).then((list) =>"
    " list.forEach((k) => A(k)))</script>",
    "request": "<script>const x = new XMLHttpRequest(); x.open('GET', '/parts/' + 'KIND.json');"
    " x.onload = () => JSON.parse(x.responseText).forEach((k) => A(k)); x.send()</script>",
    "other-host": f"<script src=http://{OTHER_HOST}/parts/KIND.js></script>",
    "worker": "<script>const w = new Worker('/parts/' + 'KIND.js'); w.onmessage = (e) => A(e.data)"
    "</script>",
    # navigations
    "location": "<script>setTimeout(() => { location.href = T('KIND') }, 100)</script>",
    "assign": "<script>addEventListener('load', () => location.assign(T('KIND')))</script>",
    "replace": "<script>addEventListener('load', () => location.replace(T('KIND')))</script>",
    "refresh": "<script>const e = document.createElement('meta'); e.httpEquiv = 'refresh';"
    " e.content = '1; url=' + T('KIND'); document.head.append(e)</script>",
    "open": "<script>open(T('KIND'))</script>",
    "opened-later": "<script>const w = open(''); w.location = T('KIND')</script>",
    "push-state": "<script>history.pushState({}, '', T('KIND'))</script>",
    "replace-state": "<script>history.replaceState({}, '', T('KIND'))</script>",
    "form": "<form id=f><input name=q value=1></form><script>f.action = T('KIND'); f.submit()"
    "</script>",
    "click-by-script": "<script>const a = document.createElement('a'); a.href = T('KIND');"
    " addEventListener('load', () => a.click())</script>",
    # what a reader does
    "on-click": "<span onclick=\"location.href = T('KIND')\">Go on</span>",
    "listener": "<div id=b>Go on</div><script>b.addEventListener('click', () => { location = "
    "T('KIND') })</script>",
    "button": "<button id=b>More</button><script>b.onclick = () => A('KIND')</script>",
    "javascript-url": "<a href=\"javascript:void(location.href = T('KIND'))\">Go on</a>",
    "delegated": "<ul id=u><li data-door=KIND>Go on</li></ul><script>document.addEventListener("
    "'click', (e) => { const k = e.target.dataset.door; if (k) location.href = T(k) })</script>",
    "mouse-over": "<div id=b>Menu</div><script>b.addEventListener('mouseover', () => A('KIND'))"
    "</script>",
    "key": "<script>addEventListener('keydown', (e) => { if (e.key == 'Enter') location.href ="
    " T('KIND') })</script>",
    "select": "<select id=s><option>Where?</option><option value=KIND>There</option></select>"
    "<script>s.onchange = () => { if (s.value == 'KIND') location.href = T(s.value) }</script>",
    "typing": "<input id=i><script>i.oninput = () => { if (i.value) A('KIND') }</script>",
    "leaving": "<script>document.addEventListener('mouseleave', () => { window.d ||= (A('KIND'), 1)"
    " })</script>",
    "tab": "<div role=tab id=b>Second</div><p id=p></p><script>b.addEventListener('click', () => {"
    " p.innerHTML = '<a hr' + 'ef=' + T('KIND') + '>in</a>' })</script>",
    "details": "<details id=x><summary>More</summary><p id=p></p></details><script>x.ontoggle ="
    " () => A('KIND', p)</script>",
    "hash": "<a href=#second>Second</a><script>onhashchange = () => { if (location.hash =="
    " '#second') A('KIND') }</script>",
    "search-form": "<form id=f><input name=q value=bed><button>Find</button></form><script>"
    "f.onsubmit = (e) => { e.preventDefault(); location.href = T('KIND') }</script>",
    "scroll": "<div style='height: 4000px'></div><script>addEventListener('scroll', () => {"
    " if (scrollY > 1000 && !window.d) { window.d = 1; A('KIND') } })</script>",
    "visible": "<div style='height: 4000px'></div><p id=p>end</p><script>new IntersectionObserver("
    "(seen) => { if (seen[0].isIntersecting) A('KIND') }).observe(p)</script>",
    "two-steps": "<button id=b>Open</button><script>b.onclick = () => { const c = document."
    "createElement('button'); c.textContent = 'Further'; c.onclick = () => { location.href ="
    " T('KIND') }; document.body.append(c) }</script>",
}
"""The markup of each kind; KIND stands for its name."""

BEYOND_REACH = ("post",)
"""Kinds that no rendering finds, because nothing is ever sent: the answer to a POST."""
_POST = (
    "<form method=post action=/post id=f><button>Send</button></form><script>fetch('/parts/post',"
    " {method: 'POST'}).then((r) => r.text()).then((k) => A(k))</script>"
)
_WORDS = "Every room of this house has a door, and every door has its own way of being opened. "


class ScriptMaze:
    """The maze, with rooms of these kinds."""

    def __init__(self, kinds: Sequence[str] = (*KINDS, *BEYOND_REACH)) -> None:
        links = "".join(f"<li><a href=/{kind}>{kind}</a></li>" for kind in kinds)
        home = f"<h1>The maze</h1><p>{_WORDS * 3}</p><ul>{links}</ul>"
        home += "<p><a href=/plain>plain</a> <a href=/shell>shell</a></p>"
        self._pages = {"/": _page("The maze", home)}
        for kind in kinds:
            markup = KINDS.get(kind, _POST)
            body = f"<p>A room.</p><script>{_MAKE}</script>{_filled(markup, kind)}"
            self._pages[f"/{kind}"] = _page(kind, body)
            self._pages[f"/found/{kind}"] = _page(f"Behind {kind}", f"<p>{_WORDS} {kind}</p>")
        self._pages["/plain"] = _page("Plain", f"<p>{_WORDS * 8}</p><a href=/>home</a>")
        self._pages["/shell"] = (
            b"<!DOCTYPE html><title>App</title><div id=root></div>"
            b"<script src=/parts/shell.js></script>"
        )
        self._parts = {
            f"/parts/{kind}.js": f"{_MAKE} A('{kind}');"
            for kind in ("script-file", "added-script", "module", "import", "other-host")
        }
        self._parts["/parts/worker.js"] = "postMessage('worker')"
        self._parts["/parts/shell.js"] = (
            f"{_MAKE} document.title = 'The application';"
            " const r = document.getElementById('root');"
            " r.innerHTML = '<h1>Rooms</h1><p>' + 'The scripts have come, all is well. '.repeat(9);"
            " A('shell', r)"
        )
        self._pages["/found/shell"] = _page("Behind the shell", f"<p>{_WORDS}</p>")

    def pages(self) -> list[str]:
        """Return the URLs of all pages, behind doors or not."""
        hidden = {f"/found/{kind}" for kind in BEYOND_REACH}
        return [HOME[:-1] + path for path in self._pages if path not in hidden]

    def plain_pages(self) -> list[str]:
        """Return the URLs of the pages that are found without a browser."""
        return [url for url in self.pages() if "/found/" not in url]

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return both hosts: one has a single part of a page."""
        return [HOST, OTHER_HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, a part of one or the robots file."""
        path = "/" + request.url.partition("?")[0].split("/", 3)[3]
        if path == "/robots.txt":
            return Reply(200, PLAIN, b"User-agent: *\n")
        if path in self._pages:
            return Reply(200, HTML, self._pages[path])
        if path in self._parts:
            return Reply(200, SCRIPT, self._parts[path].encode())
        if path.startswith("/parts/") and path.endswith(".json"):
            return Reply(200, JSON, json.dumps([path[7:-5]]).encode())
        return Reply(404, PLAIN, b"no such room\n")

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of the host."""
        known = {HOST: "10.0.0.1", OTHER_HOST: "10.0.0.2"}
        return Resolved(known.get(host), 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


def _filled(markup: str, kind: str) -> str:
    from base64 import b64encode  # for one kind alone

    coded = b64encode(kind.encode()).decode()
    return markup.replace("KIND64", coded).replace("KIND", kind)


def _page(title: str, body: str) -> bytes:
    return f"<!DOCTYPE html><title>{escape(title)}</title><body>{body}</body>".encode()


# -- parts of all types ----------------------------------------------------------------------

DOCS_HOST, FILES_HOST = "docs.test", "files.test"
DOCS = f"http://{DOCS_HOST}/"
REFUSED_PART = f"{DOCS}secret/notes.md"
"""A part that the site's robots file forbids."""
MISSING_PART = f"{DOCS}gone.md"
"""A part that does not exist."""
LINKED_FILE = f"{DOCS}linked.zip"
"""A file that is linked and no part of any page."""

LINKED_PARTS = (f"{DOCS}table.csv", f"http://{FILES_HOST}/shared.csv")
"""Parts that are linked, too, from the home page."""

PARTS: dict[str, tuple[str, str]] = {
    f"{DOCS}guide.md": ("text/markdown", "# Guide\n\nThe word of the guide is larkspur.\n"),
    f"{DOCS}table.csv": ("text/csv", "name,word\ntable,foxglove\n"),
    f"{DOCS}data.bin": ("application/octet-stream", "The word of the file is hellebore."),
    f"{DOCS}settings.yaml": ("application/yaml", "word: campion\n"),
    f"{DOCS}moved.md": ("", f"{DOCS}target.md"),
    f"{DOCS}target.md": ("text/markdown", "The word after the redirect is speedwell."),
    f"{DOCS}away.md": ("", f"http://{FILES_HOST}/arrived.md"),
    f"http://{FILES_HOST}/arrived.md": ("text/markdown", "The word from afar is celandine."),
    f"http://{FILES_HOST}/data.json": ("application/vnd.docs+json", '{"word": "tormentil"}'),
    f"http://{FILES_HOST}/shared.csv": ("text/csv", "name,word\nshared,betony\n"),
}
"""Type and text of each part by its URL; a part without a type is a redirect."""

WORDS = (
    *("larkspur", "foxglove", "hellebore", "campion"),
    *("speedwell", "celandine", "tormentil", "betony"),
)
_ASKED = (
    *(url for url in PARTS if "target" not in url and "arrived" not in url),
    REFUSED_PART,
    MISSING_PART,
)


class PartTypes:
    """A site whose pages are made out of files of many types, as documentation often is.

    The page `/app` is empty without its script; the text of each file has a word that stands
    nowhere else. Some files are linked, too, so a crawler may meet them as links first.
    """

    def __init__(self) -> None:
        asked = json.dumps(_ASKED)
        script = (
            f"for (const url of {asked}) fetch(url).then((r) => r.ok ? r.text() : '').then((text)"
            " => { const p = document.createElement('p'); p.textContent = text;"
            " document.body.append(p) }).catch(() => 0)"
        )
        links = "".join(f'<a href="{url}">file</a> ' for url in (LINKED_FILE, *LINKED_PARTS))
        self._pages = {
            "/": f"<!DOCTYPE html><title>Docs</title><p>{links}<a href=/app>app</a>",
            "/app": f"<!DOCTYPE html><title>App</title><div id=app></div><script>{script}</script>",
        }

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [DOCS]

    def hosts(self) -> list[str]:
        """Return both hosts."""
        return [DOCS_HOST, FILES_HOST]

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
        if request.url == LINKED_FILE:
            return Reply(200, (("Content-Type", "application/zip"),), b"PK\x03\x04 not a page")
        if request.url.startswith(DOCS) and path in self._pages:
            return Reply(200, HTML, self._pages[path].encode())
        return Reply(404, PLAIN, b"no such file\n")

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of the host."""
        known = {DOCS_HOST: "10.0.0.1", FILES_HOST: "10.0.0.2"}
        return Resolved(known.get(host), 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Forbid one folder."""
        return "/secret/" not in url

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


_ANYWHERE: Headers = (("Access-Control-Allow-Origin", "*"),)
"""Scripts of other hosts may read the files."""
