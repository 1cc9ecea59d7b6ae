"""Pages for a reader in a process of its own."""

from __future__ import annotations

import marshal

from lycosa.crawl.suspects.findings import Asked, Findings
from lycosa_testweb.webs.bombs import marked

HTML = "text/html; charset=utf-8"


SITEMAP = b"<?xml version='1.0'?><urlset><url><loc>http://a.test/b</loc></url></urlset>"


PAGES = {
    "structured data": (HTML, marked("none", "none")),
    "nothing": (HTML, b""),
    "lone surrogate": (HTML, b"<title>&#xD800;</title><a href='/\xff\xfe'>x</a>"),
    "style sheet": ("text/css", b"a { background: url(b.png) }"),
    "sitemap": ("application/xml", SITEMAP),
    "image": ("image/png", b"\x89PNG"),
}


def asked_of(kind: str, body: bytes, status: int = 200) -> Asked:
    headers = (("Content-Type", kind),)
    by_name = {"content-type": kind}
    return Asked(status, headers, by_name, body, "http://a.test/x.html", "/x.html", "b")


def travelled(findings: Findings) -> Findings:
    return Findings.unpacked(marshal.loads(marshal.dumps(findings.packed())))
