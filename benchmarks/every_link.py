"""A web with every kind of link, and who finds which: Chromium's own DOM, and Lycosa by its flags.

    python -m benchmarks.every_link

Each place in which HTML puts a URL has a URL of its own, so that it is known which were read.
Of Chromium it is told what its DOM resolves (a property of an element that is an absolute URL, in
documents, frames, templates and style sheets), what it holds as it stands (an attribute), and what
it asked for by itself. Of Lycosa it is told by which flag a crawl follows the place
(docs/reference/links.md); what is `recorded` is found and never followed.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from playwright.sync_api import Browser, Request

from lycosa.extract.page import scan
from lycosa.model.job import Job
from lycosa.model.url import canonical_key, url_of
from lycosa.operate.checking.pages import answer_of_bytes, check_page

ORIGIN = "http://web.test/"
DEFAULT, REQUISITES, WIDE, FORMS = "default", "--requisites", "--wide", "--forms"
RECORDED = "recorded"
NOTHING = ""


class Place(NamedTuple):
    """A place in a document that has a URL, which stands for `@` or NUL in the markup."""

    markup: str
    found: str
    document: str = "body"

    @property
    def path(self) -> str:
        """The last part of its URL, which no other place has."""
        words = re.sub(r"[^a-z0-9]+", "-", self.markup.lower()).strip("-")[:40]
        return f"{words}-{crc32(self.markup.encode()):08x}.x"


PLACES = [
    Place('<a href="@">x</a>', DEFAULT),
    Place('<map><area href="@" alt="x"></map>', DEFAULT),
    Place('<a href="#" ping="@ p2">x</a>', RECORDED),
    Place('<iframe src="@"></iframe>', DEFAULT),
    Place('<iframe src="about:blank" longdesc="@"></iframe>', WIDE),
    Place("<iframe srcdoc=\"<a href='@'>x</a>\"></iframe>", DEFAULT),
    Place("<iframe srcdoc=\"<img src='@'>\"></iframe>", REQUISITES),
    Place('<form action="@"></form>', FORMS),
    Place('<form method="post" action="@"></form>', RECORDED),
    Place('<form><button formaction="@">x</button></form>', FORMS),
    Place('<form><input type="submit" formaction="@"></form>', FORMS),
    Place('<form><button formmethod="post" formaction="@">x</button></form>', RECORDED),
    Place('<blockquote cite="@">x</blockquote>', WIDE),
    Place('<q cite="@">x</q>', WIDE),
    Place('<ins cite="@">x</ins>', WIDE),
    Place('<del cite="@">x</del>', WIDE),
    Place('<img src="@" alt="">', REQUISITES),
    Place('<img srcset="@ 1x" alt="">', REQUISITES),
    Place('<img srcset="s1.png 1x, @ 2x" alt="">', REQUISITES),
    Place('<img lowsrc="@" alt="">', REQUISITES),
    Place('<img dynsrc="@" alt="">', REQUISITES),
    Place('<img longdesc="@" alt="">', WIDE),
    Place('<img usemap="@#m" alt="">', WIDE),
    Place('<picture><source srcset="@ 1x"><img alt=""></picture>', REQUISITES),
    Place('<input type="image" src="@" alt="">', REQUISITES),
    Place('<audio src="@"></audio>', REQUISITES),
    Place('<video src="@"></video>', REQUISITES),
    Place('<video poster="@"></video>', REQUISITES),
    Place('<video><source src="@"></video>', REQUISITES),
    Place('<video><track src="@" default></video>', REQUISITES),
    Place('<bgsound src="@">', REQUISITES),
    Place('<embed src="@">', REQUISITES),
    Place('<object data="@"></object>', REQUISITES),
    Place('<object classid="@"></object>', REQUISITES),
    Place('<object archive="a1.jar @"></object>', REQUISITES),
    Place('<object codebase="@"></object>', WIDE),
    Place('<object><param name="movie" value="@"></object>', REQUISITES),
    Place('<applet code="@"></applet>', REQUISITES),
    Place('<table background="@"></table>', REQUISITES),
    Place('<table><tr><td background="@">x</td></tr></table>', REQUISITES),
    Place('<p style="background: url(@)">x</p>', REQUISITES),
    Place("<p style=\"background: image-set('@' 1x)\">x</p>", REQUISITES),
    Place("<style>b { background: url(@) }</style>", REQUISITES),
    Place('<style>@font-face { font-family: f; src: url("\0") }</style>', REQUISITES),
    Place('<script src="@"></script>', REQUISITES),
    Place('<script type="module" src="@"></script>', REQUISITES),
    Place('<svg><a href="@"><text>x</text></a></svg>', DEFAULT),
    Place('<svg><a xlink:href="@"><text>x</text></a></svg>', DEFAULT),
    Place('<svg><image href="@"/></svg>', REQUISITES),
    Place('<svg><image xlink:href="@"/></svg>', REQUISITES),
    Place('<svg><use href="@#part"/></svg>', REQUISITES),
    Place('<svg><script href="@"></script></svg>', REQUISITES),
    Place('<svg><filter><feImage href="@"/></filter></svg>', REQUISITES),
    Place('<svg><linearGradient href="@#g"/></svg>', REQUISITES),
    Place('<svg><rect mask="url(@#m)"/></svg>', REQUISITES),
    Place('<math><mrow href="@"></mrow></math>', DEFAULT),
    Place('<template><a href="@">x</a></template>', DEFAULT),
    Place('<noscript><a href="@">x</a></noscript>', DEFAULT),
    Place('<!--[if IE]><a href="@">x</a><![endif]-->', DEFAULT),
    Place('<!--[if !IE]><!--><a href="@">x</a><!--<![endif]-->', DEFAULT),
    Place('<div itemscope itemtype="@">x</div>', WIDE),
    Place('<div itemscope itemid="@" itemtype="t2">x</div>', WIDE),
    Place('<link itemprop="url" href="@">', WIDE),
    Place('<script>var page = "/@"; go(page);</script>', WIDE),
    Place('<script type="application/json">{"next": "http:\\/\\/web.test\\/@"}</script>', WIDE),
    Place("<b onclick=\"location.href='/@'\">x</b>", WIDE),
    Place('<img data-src="/@" alt="">', WIDE),
    Place("<a href=\"javascript:open('/@')\">x</a>", WIDE),
    Place("<!-- <a href='@'>x</a> -->", WIDE),
    Place("<textarea><a href='@'>x</a></textarea>", NOTHING),
    Place("<p>see http://web.test/@ there</p>", WIDE),
    *(Place(f'<link rel="{rel}" href="@">', DEFAULT, "head") for rel in (
        *("alternate", "author", "canonical", "help", "license", "next", "prev", "search"),
        *("privacy-policy", "terms-of-service", "first", "last", "up", "describedby"),
    )),
    *(Place(f'<link rel="{rel}" href="@">', REQUISITES, "head") for rel in (
        *("stylesheet", "alternate stylesheet", "icon", "shortcut icon", "apple-touch-icon"),
        *("mask-icon", "manifest", "modulepreload", "prefetch"),
    )),
    *(Place(f'<link rel="preload" as="{kind}" href="@">', REQUISITES, "head") for kind in (
        *("style", "script", "image", "font", "fetch", "track"),
    )),
    Place('<link rel="preload" as="image" imagesrcset="@ 1x">', REQUISITES, "head"),
    *(Place(f'<link rel="{rel}" href="@">', WIDE, "head") for rel in (
        *("shortlink", "pingback", "EditURI", "https://api.w.org/"),
    )),
    Place('<link rel="preconnect" href="@">', RECORDED, "head"),
    Place('<link rel="dns-prefetch" href="@">', RECORDED, "head"),
    Place('<meta property="og:image" content="http://web.test/@">', WIDE, "head"),
    Place('<style>@import "\0";</style>', REQUISITES, "head"),
    Place('<meta http-equiv="refresh" content="9999; url=@">', DEFAULT, "head"),
    Place('<frame src="@">', DEFAULT, "frames"),
    Place('<frame src="about:blank" longdesc="@">', WIDE, "frames"),
    Place('<noframes><a href="@">x</a></noframes>', DEFAULT, "frames"),
    Place('<html manifest="@">', REQUISITES, "html"),
    Place('<head profile="@"></head>', WIDE, "html"),
    Place('<body background="@">', REQUISITES, "html"),
]  # fmt: skip


def documents() -> dict[str, str]:
    """Return the documents of the web, by name."""
    made: dict[str, list[str]] = {}
    for place in PLACES:
        sign = "\x00" if "\x00" in place.markup else "@"
        made.setdefault(place.document, []).append(place.markup.replace(sign, place.path, 1))
    base = f'<base href="{ORIGIN}">'
    shapes = {
        "body": "<!DOCTYPE html><html><head>{base}<title>x</title></head><body>{it}</body></html>",
        "head": "<!DOCTYPE html><html><head>{base}<title>x</title>{it}</head><body>x</body></html>",
        "frames": "<html><head>{base}</head><frameset rows='50%,50%'>{it}</frameset></html>",
        "html": "<!DOCTYPE html>{it}x</body></html>",
    }
    written = {}
    for name, markups in made.items():
        it = "\n".join(markups)
        if name == "html":
            it = it.replace("</head>", f"{base}</head>")
        written[name] = shapes[name].format(base=base, it=it)
    return written


DOM = """() => {
  const origin = "ORIGIN", resolved = new Set(), held = new Set();
  const note = (set, text) => {
    for (const word of String(text).match(/[a-z0-9-]+\\\\.x\\\\b/g) || []) set.add(word);
  };
  const sheets = list => { for (const sheet of list) { try {
    for (const rule of sheet.cssRules) note(resolved, (rule.href || "") + rule.cssText);
  } catch (error) { note(held, sheet.href || ""); } } };
  const look = root => {
    if (root.styleSheets) sheets(root.styleSheets);
    for (const element of root.querySelectorAll("*")) {
      for (const name in element) {
        if (/^(inner|outer|text|baseURI|nodeValue)/.test(name)) continue;
        let value; try { value = element[name]; } catch (error) { continue; }
        if (typeof value === "string" && value.startsWith(origin)) note(resolved, value);
      }
      if (element.style) note(resolved, element.style.cssText);
      for (const attribute of element.attributes) {
        if (attribute.name !== "srcdoc") note(held, attribute.value);
      }
      if (element.tagName === "TEMPLATE") look(element.content);
      let inner; try { inner = element.contentDocument; } catch (error) { inner = null; }
      if (inner) look(inner);
    }
  };
  look(document);
  return [[...resolved], [...held]];
}""".replace("ORIGIN", ORIGIN).replace("\\\\", "\\")


def told_by_chromium(browser: Browser, folder: Path) -> dict[str, set[str]]:
    """Return the paths that the DOM resolves, those that it holds, and those asked for."""
    told: dict[str, set[str]] = {"resolved": set(), "held": set(), "asked": set()}

    def ask(request: Request) -> None:
        told["asked"].add(request.url.rpartition("/")[2].partition("#")[0])

    for name, markup in documents().items():
        file = folder / f"{name}.html"
        file.write_text(markup)
        with browser.new_page() as page:
            page.on("request", ask)
            page.goto(file.resolve().as_uri(), wait_until="load")
            resolved, held = page.evaluate(DOM)
            told["resolved"] |= set(resolved)
            told["held"] |= set(held)
    return told


def found_by_lycosa() -> dict[str, str]:
    """Return for every path the flag by which a crawl follows it, or that it is recorded."""
    found: dict[str, str] = {}
    jobs = {
        DEFAULT: Job.of(),
        REQUISITES: Job.of(extract={"requisites": True}),
        WIDE: Job.of(extract={"wide": True}),
        FORMS: Job.of(forms={"search": True}),
    }
    for markup in documents().values():
        body = markup.encode()
        for flag, job in jobs.items():
            checked = check_page(answer_of_bytes(body, "text/html", job), ORIGIN, job)
            for link in checked.links:
                if link.url and link.refusal is None:
                    found.setdefault(link.url.rpartition("/")[2], flag)
        everything = scan(body, "text/html", wants_requisites=True, wants_recorded=True)
        for href in everything.hrefs:
            key = canonical_key(href, ORIGIN)
            if key:
                found.setdefault(url_of(key).rpartition("/")[2], RECORDED)
    return found


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from browser import chromium

    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        told = told_by_chromium(browser, Path(folder))
    found = found_by_lycosa()
    print(f"{'place':66} {'Chromium':22} lycosa")
    by_flag = dict.fromkeys((DEFAULT, REQUISITES, WIDE, FORMS, RECORDED, NOTHING), 0)
    for place in PLACES:
        says = ", ".join(name for name in ("resolved", "held", "asked") if place.path in told[name])
        flag = found.get(place.path, NOTHING)
        by_flag[flag] += 1
        markup = place.markup.replace("\x00", "@")
        print(f"{markup[:64]:66} {says or '-':22} {flag or '-'}")
    known = {place.path for place in PLACES}
    of_dom = (told["resolved"] | told["asked"]) & known
    print(json.dumps({flag or "not found": count for flag, count in by_flag.items()}))
    print(f"Chromium resolves or asks for {len(of_dom)} of {len(PLACES)} places;", end=" ")
    print(f"{len(of_dom - set(found))} of them are unknown to Lycosa")


if __name__ == "__main__":
    main()
