"""Reads a body by its content type: links, text and metadata of a page.

HTML and XHTML are scanned for tags, sitemaps and feeds for their entries, plain text for
its text; of other XML, SVG included, only the presence of RDFa is noted; any other content type
gives no facts. Links are returned as the page writes them, each pair of reference and kind once,
where it first occurs. They are not resolved here, so a page can be scanned without its URL.

Links of a page that asks robots not to follow them are returned too: the caller decides
whether to obey `is_nofollow`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lycosa.extract.charset import to_utf8
from lycosa.extract.facts import LONGEST_PAGE, Facts
from lycosa.extract.html._scan import gather
from lycosa.extract.html.values import one_line
from lycosa.extract.sitemap import is_list, listed
from lycosa.records import LinkKind

__all__ = ["Facts", "list_facts", "scan"]

_FIRST_BYTES = 2048
_XHTML = rb"(?i)<html[\s>]"


def scan(
    body: bytes,
    content_type: str | None,
    *,
    most_links: int = 0,
    wants_requisites: bool = False,
    agent: str = "lycosa",
) -> Facts:
    """Read a body of this content type; without one it is taken for HTML.

    At most `most_links` links are returned, all of them if it is 0; page requisites only
    if `wants_requisites`. Robots directives count if they address all robots or `agent`.
    """
    kind = _kind(content_type or "")
    is_xml = kind.endswith(("/xml", "+xml"))
    if kind != "text/html" and not is_xml and kind != "text/plain":
        return Facts()
    body, charset = to_utf8(body, content_type)
    if kind == "text/plain":
        return Facts(content=_lines(body).encode("utf-8", "replace"), charset=charset)
    first = body[:_FIRST_BYTES]
    if is_list(first, is_xml):
        return list_facts(listed(body), charset, most_links)
    is_page = not is_xml or kind == "application/xhtml+xml" or bool(re.search(_XHTML, first))
    facts = gather(
        body,
        is_xml=is_xml,
        most_links=most_links,
        wants_requisites=wants_requisites,
        agent=agent,
    )
    if not is_page:
        facts = Facts(has_rdfa=facts.has_rdfa)
    facts.charset = charset
    return facts


@lru_cache(maxsize=1024)
def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower() or "text/html"


def _lines(body: bytes) -> str:
    lines = (one_line(line, len(line)) for line in body.decode("utf-8", "replace").splitlines())
    return "\n".join(line for line in lines if line)[:LONGEST_PAGE]


def list_facts(hrefs: list[str], charset: str, most_links: int) -> Facts:
    """Return the links of a sitemap or feed."""
    counts: dict[str, int] = {}
    is_truncated = False
    for href in hrefs:
        if href in counts or not most_links or len(counts) < most_links:
            counts[href] = counts.get(href, 0) + 1
        else:
            is_truncated = True
    return Facts(
        hrefs=list(counts),
        kinds=[int(LinkKind.SITEMAP)] * len(counts),
        texts=[""] * len(counts),
        rels=[""] * len(counts),
        times=list(counts.values()),
        charset=charset,
        is_truncated_links=is_truncated,
        is_list=True,
    )
