"""Reads a body by its content type: links, text and metadata of a page.

HTML and XHTML are scanned for tags, sitemaps and feeds for their entries, plain text for
its text, SVG and other XML for their links, the manifest of a web application for the files that it
names; any other content type gives no facts. Links are returned as
the page writes them, each pair of reference and kind once, where it first occurs. They are not
resolved here, so a page can be scanned without its URL.

Links of a page that asks robots not to follow them are returned too: the caller decides
whether to obey `is_nofollow`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from lycosa._support import failpoints
from lycosa.extract.beginnings import is_sitemap
from lycosa.extract.facts import LONGEST_PAGE, Facts
from lycosa.extract.html._scan import gather
from lycosa.extract.html.references import resolve_text
from lycosa.extract.html.values import one_line
from lycosa.extract.list_parts import parts_listed
from lycosa.extract.manifest import MANIFEST_TYPE, manifest_references
from lycosa.extract.sitemap import is_list, listed
from lycosa.extract.text.charset import to_utf8
from lycosa.model.records import RECORDED_KINDS, REQUISITE_KINDS, WIDE_KINDS, LinkKind

__all__ = ["Facts", "list_facts", "scan"]

_FIRST_BYTES = 2048
_XHTML = rb"(?i)<html[\s>]"
_SCRIPTS = frozenset(
    {
        "application/ecmascript",
        "application/javascript",
        "application/json",
        "application/x-javascript",
        "text/ecmascript",
        "text/javascript",
    }
)


def scan(
    body: bytes,
    content_type: str | None,
    *,
    most_links: int = 0,
    wants_requisites: bool = False,
    wants_recorded: bool = False,
    wants_wide: bool = False,
    agent: str = "lycosa",
) -> Facts:
    """Read a body of this content type; without one it is taken for HTML.

    At most `most_links` links are returned, all of them if it is 0. Links to pages are always
    returned; page requisites if `wants_requisites`; `WIDE_KINDS` if `wants_wide`; all kinds that
    are recorded but not followed if `wants_recorded`, except those in scripts. Robots directives
    count if they address all robots or `agent`.
    """
    kind = _kind(content_type or "")
    is_xml = kind.endswith(("/xml", "+xml"))
    if kind != "text/html" and not is_xml and kind != "text/plain":
        return _data_facts(body, content_type, kind, most_links, wants_wide)
    if failpoints.read_bomb is not None:
        failpoints.read_bomb(body, "links")
    body, charset = to_utf8(body, content_type)
    wanted = _wanted(wants_requisites, wants_recorded, wants_wide)
    if kind == "text/plain":
        facts = Facts(content=_lines(body).encode("utf-8", "replace"), charset=charset)
        return _with_mentions(facts, most_links) if wants_wide else facts
    first = body[:_FIRST_BYTES]
    # Servers give sitemaps any type, so their first bytes decide; feeds must at least be XML.
    if is_sitemap(first) or (is_xml and is_list(first, is_xml)):
        return list_facts(listed(body), charset, most_links, _wanted_parts(body, wanted))
    is_page = not is_xml or kind == "application/xhtml+xml" or bool(re.search(_XHTML, first))
    facts = gather(
        body,
        is_xml=is_xml,
        most_links=most_links,
        wanted=wanted,
        agent=agent,
    )
    if wants_wide:
        facts = _with_mentions(facts, most_links)
    if not is_page:
        facts = _links_alone(facts, has_title=kind == "image/svg+xml")
    facts.charset = charset
    return facts


@cache
def _wanted(requisites: bool, recorded: bool, wide: bool) -> int:
    """Return the kinds of links that are wanted, with a bit for each."""
    kinds = frozenset(LinkKind) - REQUISITE_KINDS - RECORDED_KINDS
    if requisites:
        kinds |= REQUISITE_KINDS
    if recorded:
        kinds |= RECORDED_KINDS - {LinkKind.MENTION}
    if wide:
        kinds |= WIDE_KINDS
    return sum(1 << kind for kind in kinds)


def _wanted_parts(body: bytes, wanted: int) -> list[tuple[str, int]]:
    """Return the wanted parts that a list names besides pages."""
    every = parts_listed(body)
    parts = [(href, kind) for href, kind in every if wanted >> kind & 1]
    if wanted >> LinkKind.MENTION & 1:
        # imported here: few jobs follow possible links
        from lycosa.extract.html.mentioned_text import mentioned_in_markup

        known = {href for href, _ in every}
        hrefs = mentioned_in_markup(resolve_text(body.decode("utf-8", "replace")))
        parts += [(href, int(LinkKind.MENTION)) for href in hrefs if href not in known]
    return parts


def _with_mentions(facts: Facts, most_links: int) -> Facts:
    """Add the URLs in the text that are not links yet."""
    from lycosa.extract.html.mentioned_text import mentioned_in_text

    known = set(facts.hrefs)
    for href in mentioned_in_text(facts.text):
        if href in known:
            continue
        if most_links and len(facts.hrefs) >= most_links:
            facts.is_truncated_links = True
            break
        known.add(href)
        facts.hrefs = [*facts.hrefs, href]
        facts.kinds = [*facts.kinds, int(LinkKind.MENTION)]
        facts.texts, facts.rels = [*facts.texts, ""], [*facts.rels, ""]
        facts.times = [*facts.times, 1]
    return facts


def _data_facts(
    body: bytes, content_type: str | None, kind: str, most_links: int, wants_wide: bool
) -> Facts:
    """Return the links of a file for programs, if its format is known."""
    found: list[tuple[str, int]] = []
    if kind == MANIFEST_TYPE or (kind == "application/json" and b'"start_url"' in body):
        found = manifest_references(to_utf8(body, content_type)[0])
    elif wants_wide and (kind in _SCRIPTS or kind.endswith("+json") or kind.startswith("text/")):
        from lycosa.extract.html.mentioned_text import mentioned_in_text
        from lycosa.extract.html.mentions import mentioned_in_script

        text = to_utf8(body, content_type)[0].decode("utf-8", "replace")
        is_script = kind in _SCRIPTS or kind.endswith("+json")
        hrefs = mentioned_in_script(text) if is_script else mentioned_in_text(text)
        found = [(href, int(LinkKind.MENTION)) for href in hrefs]
    return counted_facts(found, "", most_links)


def _links_alone(facts: Facts, *, has_title: bool) -> Facts:
    return Facts(
        hrefs=facts.hrefs,
        kinds=facts.kinds,
        texts=facts.texts,
        rels=facts.rels,
        times=facts.times,
        title=facts.title if has_title else "",
        is_truncated_links=facts.is_truncated_links,
        has_rdfa=facts.has_rdfa,
    )


@lru_cache(maxsize=1024)
def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower() or "text/html"


def _lines(body: bytes) -> str:
    lines = (one_line(line, len(line)) for line in body.decode("utf-8", "replace").splitlines())
    return "\n".join(line for line in lines if line)[:LONGEST_PAGE]


def list_facts(
    hrefs: list[str], charset: str, most_links: int, parts: list[tuple[str, int]] | None = None
) -> Facts:
    """Return the links of a sitemap or feed, and the parts of other kinds that it names."""
    found = [(href, int(LinkKind.SITEMAP)) for href in hrefs]
    if parts:
        pages = set(hrefs)
        found += [part for part in parts if part[0] not in pages]
    facts = counted_facts(found, charset, most_links)
    facts.is_list = True
    return facts


def counted_facts(found: list[tuple[str, int]], charset: str, most_links: int) -> Facts:
    """Return links, each pair of reference and kind once, and how often it was found."""
    counts: dict[tuple[str, int], int] = {}
    is_truncated = False
    for pair in found:
        if pair in counts or not most_links or len(counts) < most_links:
            counts[pair] = counts.get(pair, 0) + 1
        else:
            is_truncated = True
    return Facts(
        hrefs=[href for href, _ in counts],
        kinds=[kind for _, kind in counts],
        texts=[""] * len(counts),
        rels=[""] * len(counts),
        times=list(counts.values()),
        charset=charset,
        is_truncated_links=is_truncated,
    )
