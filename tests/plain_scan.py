"""The HTML scanner in pure Python: what the compiled `_scan` must do, written to be read.

`gather` returns the same facts as the compiled `gather`, field by field, for any page in
UTF-8 (tests/unit/extract/test_scan_twin.py); it takes some sixty times as long.

The tokeniser follows the HTML standard where it matters: quotes count only after `=`; the first
of two attributes of one name counts; an unclosed comment or script reaches to the end of the
page; a tag that the end of the page cuts is dropped, for half a URL is another URL. It is more
lenient in one case: an unclosed quote is skipped.
"""

from __future__ import annotations

import re

from lycosa.extract.facts import LONGEST_PAGE, LONGEST_TEXT, LONGEST_TITLE, Facts
from lycosa.extract.html.mentioned_text import mentioned_in_declaration
from lycosa.extract.html.mentions import mentioned_in_script, mentioned_in_tag
from lycosa.extract.html.names import (
    BLOCKS,
    CELLS,
    DEEPEST_NESTING,
    FALLBACKS,
    HIDDEN,
    OBJECTS,
    RAW,
    RDFA,
    SOURCES,
)
from lycosa.extract.html.objects import object_references, parameter_reference
from lycosa.extract.html.references import resolve_attribute, resolve_text
from lycosa.extract.html.values import (
    NOARCHIVE,
    NOFOLLOW,
    NOINDEX,
    is_json_ld,
    is_rdfa_relation,
    kind_of_relation,
    one_line,
    outside_html,
    primary_language,
    refresh_target,
    stylesheet_target,
    wishes,
)
from lycosa.model.records import LinkKind
from plain_links import (
    AFTER_HTML,
    BEFORE_HTML,
    IN_HTML,
    SPACES,
    Attributes,
    PureLinks,
    href_in,
    value_in,
)

_BREAK = "\0"
"""Stands between two blocks of text; a page in UTF-8 as we make it has none."""
_RUN_OF_SPACE = re.compile("[ \t\n\r\f\xa0\0]+")
_TAG_NAME = re.compile(r"/?([A-Za-z][^ \t\n\r\f/>]*+)")
_ATTRIBUTE = re.compile(
    r"[ \t\n\r\f/]*+(?:(>|\Z)|([^ \t\n\r\f/>][^ \t\n\r\f/>=]*+)"
    r"""(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:"([^"]*+)"|'([^']*+)'|["']?+([^ \t\n\r\f>]*+)))?+)"""
)
_COMMENT_END = re.compile(r"--!?>")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def gather(body: bytes, *, is_xml: bool, most_links: int, wanted: int, agent: str) -> Facts:
    """Return the facts of a page in UTF-8, with links of the kinds that have a bit in `wanted`."""
    page = _Page(most_links, wanted, agent.lower(), is_xml, 0)
    _read(body.decode("utf-8", "replace"), page, is_xml)
    return page.facts()


def _read(text: str, page: _Page, is_xml: bool) -> None:
    position = 0
    while position < len(text):
        start = text.find("<", position)
        if start < 0:
            page.say(resolve_text(text[position:]))
            return
        page.say(resolve_text(text[position:start]))
        found = _TAG_NAME.match(text, start + 1)
        if found is None:
            position = _read_declaration(text, start, page, is_xml)
            continue
        name = found[1].translate(_LOWER)
        attributes, position = _read_attributes(text, found.end())
        if position == 0:
            return
        if text[start + 1] == "/":
            page.close(name)
            continue
        is_whole = is_xml and text[position - 2] == "/"
        if name in RAW and not is_whole:
            end = re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.ASCII | re.IGNORECASE)
            last = end.search(text, position)
            stop = last.start() if last else len(text)
            page.mention(text[start:position])
            page.open(name, attributes, text[position:stop])
            position = stop
        else:
            page.mention(text[start:position])
            page.open(name, attributes, None if is_whole else "")


def _read_declaration(text: str, start: int, page: _Page, is_xml: bool) -> int:
    """Read markup that begins with `<` and is not a tag; returns where the page goes on."""
    position = start + 1
    following = text[position : position + 1]
    if text.startswith("!--", position):
        for short in (">", "->"):
            if text.startswith(short, position + 3):
                return position + 3 + len(short)
        found = _COMMENT_END.search(text, position + 3)
        end = found.end() if found else len(text)
        page.see_declaration(text[start:end])
        page.see_comment(text[position + 3 : end])
        return end
    if is_xml and text.startswith("![CDATA[", position):
        end = text.find("]]>", position + 8)
        end = len(text) if end < 0 else end
        page.say(text[position + 8 : end])
        return min(end + 3, len(text))
    is_closing = following == "/" and len(text) > position + 1
    if following in ("!", "?") or is_closing:
        end = text.find(">", position)
        end = len(text) if end < 0 else end + 1
        if not is_closing:
            page.see_declaration(text[start:end])
        if is_xml and text.startswith("?xml-stylesheet", position):
            page.see_instruction(text[position:end])
        return end
    page.say("<")
    return position


def _read_attributes(text: str, position: int) -> tuple[Attributes, int]:
    attributes: Attributes = {}
    for found in _ATTRIBUTE.finditer(text, position):
        which = found.lastindex or 1
        if which == 1:
            return attributes, found.end() if found[1] else 0
        attributes.setdefault(found[2].translate(_LOWER), found[which] if which > 2 else "")
    return attributes, 0


class _Page(PureLinks):
    """The facts of one page, as they are gathered tag by tag."""

    def __init__(self, most_links: int, wanted: int, agent: str, is_xml: bool, depth: int) -> None:
        super().__init__(most_links, wanted)
        self._agent = agent
        self._is_xml = is_xml
        self._depth = depth
        self._is_posting = False
        self._robots = {"robots", agent or "robots"}
        self._pieces: list[str] = []
        self._templates = 0
        self._is_in_noscript = False
        self._anchor_start = 0
        self._base: str | None = None
        self._title: str | None = None
        self._description = ""
        self._language = ""
        self._header_language = ""
        self._wishes = 0
        self._has_rdfa = False
        self._has_microdata = False
        self._has_json_ld = False
        self._has_meta = False
        self._has_html = False

    def facts(self) -> Facts:
        self._end_anchor()
        collapsed = _RUN_OF_SPACE.sub(_gap, "".join(self._pieces))
        texts = zip(self._texts, self._alts, strict=True)
        return Facts(
            base=self._base or None,
            hrefs=[href for href, _ in self._links],
            kinds=[kind for _, kind in self._links],
            texts=[text or one_line(resolve_attribute(alt), LONGEST_TEXT) for text, alt in texts],
            rels=self._marked_rels(),
            times=self._times,
            title=self._title or "",
            description=self._description,
            content=collapsed.strip(" \n")[:LONGEST_PAGE].rstrip(" \n").encode("utf-8", "replace"),
            language=self._language or self._header_language,
            is_nofollow=bool(self._wishes & NOFOLLOW),
            is_noindex=bool(self._wishes & NOINDEX),
            is_truncated_links=self._is_truncated,
            has_rdfa=self._has_rdfa,
            has_microdata=self._has_microdata,
            has_json_ld=self._has_json_ld,
            has_meta=self._has_meta,
            is_noarchive=bool(self._wishes & NOARCHIVE),
        )

    def _marked_rels(self) -> list[str]:
        if self._depth:
            return self._rels
        inside = IN_HTML if self._has_html else IN_HTML | BEFORE_HTML
        return [
            rel if places & inside else outside_html(rel)
            for rel, places in zip(self._rels, self._places, strict=True)
        ]

    def say(self, text: str) -> None:
        """Take text between tags, if it is visible."""
        if not self._templates and not self._is_in_noscript:
            self._pieces.append(text)

    def open(self, name: str, attributes: Attributes, content: str | None) -> None:
        """Take a start tag; `content` is its raw text, and None for an empty element."""
        self._space(name)
        self._see_structure(attributes)
        if name in HIDDEN:
            self._hide(name, content is None)
        self._add_anywhere(attributes)
        match name:
            case "a":
                self._open_anchor(attributes)
            case "base" if self._base is None and "href" in attributes:
                self._base = value_in(attributes["href"])
            case "html":
                if self._place == BEFORE_HTML:
                    self._place, self._has_html = IN_HTML, True
                tag = attributes.get("lang") or attributes.get("xml:lang", "")
                if not self._language:
                    self._language = primary_language(resolve_attribute(tag))
                self._add(attributes.get("manifest"), LinkKind.MANIFEST)
            case "link":
                self._read_link(attributes)
            case "meta":
                self._read_meta(attributes)
            case "title" if self._title is None:
                self._title = one_line(resolve_text(content or ""), LONGEST_TITLE)
            case "style":
                self._add_css(content or "")
            case "form":
                self._is_posting = _is_posted(attributes.get("method", ""))
                self._add(
                    attributes.get("action"), LinkKind.POST if self._is_posting else LinkKind.FORM
                )
            case "button":
                self._add_form_action(attributes)
            case "image":
                self._add(href_in(attributes), LinkKind.IMAGE)
                self._add_image(attributes)
            case "img":
                self._add_image(attributes)
            case "input":
                if attributes.get("type", "").strip(SPACES).lower() == "image":
                    self._add_image(attributes)
                self._add_form_action(attributes)
            case "object" | "applet":
                values = {key: resolve_attribute(attributes.get(key, "")) for key in OBJECTS}
                for href, number in object_references(values):
                    self._add_href(href, number)
            case "param":
                named = (attributes.get(key, "") for key in ("name", "value", "valuetype"))
                self._add_href(
                    parameter_reference(*map(resolve_attribute, named)), int(LinkKind.OBJECT)
                )
            case _:
                self._open_other(name, attributes, content)

    def _open_other(self, name: str, attributes: Attributes, content: str | None) -> None:
        for attribute, kind in SOURCES.get(name, ()):
            alt = attributes.get("alt", "") if name == "area" else ""
            is_href = attribute == "href"
            value = href_in(attributes) if is_href else attributes.get(attribute)
            self._add(value, kind, attributes.get("rel", ""), alt)
        if name == "script":
            if is_json_ld(attributes.get("type", "")):
                self._has_json_ld = True
            if self._wants(LinkKind.MENTION):
                for href in mentioned_in_script(content or ""):
                    self._add_href(href, int(LinkKind.MENTION))
        elif name == "source":
            self._add_srcset(attributes.get("srcset"))
        elif name == "iframe":
            if attributes.get("srcdoc"):
                self._add_nested(resolve_attribute(attributes["srcdoc"]), is_xml=False)
        elif name in FALLBACKS:
            self._add_nested(content or "", is_xml=self._is_xml)

    def mention(self, tag: str) -> None:
        """Look for URLs in the attributes that scripts read, if they are wanted."""
        if self._wants(LinkKind.MENTION):
            for href in mentioned_in_tag(tag):
                self._add_href(href, int(LinkKind.MENTION))

    def see_declaration(self, declaration: str) -> None:
        """Look for URLs in a comment or a declaration, if they are wanted."""
        if self._wants(LinkKind.MENTION):
            for href in mentioned_in_declaration(declaration):
                self._add_href(href, int(LinkKind.MENTION))

    def see_comment(self, comment: str) -> None:
        """Read the markup of a conditional comment, `[if IE]> … <![endif]-->`."""
        start = comment.find("]>")
        if comment[:3].lower() == "[if" and start >= 0:
            self._add_nested(comment[start + 2 :], is_xml=self._is_xml)

    def see_instruction(self, instruction: str) -> None:
        """Read the style sheet of an XML document."""
        self._add_href(stylesheet_target(instruction), int(LinkKind.STYLE))

    def close(self, name: str) -> None:
        """Take an end tag."""
        self._space(name)
        if name == "a":
            self._end_anchor()
        elif name == "form":
            self._is_posting = False
        elif name == "html":
            self._place = AFTER_HTML
        elif name == "noscript":
            self._is_in_noscript = False
        elif name == "template":
            self._templates -= self._templates > 0

    def _see_structure(self, attributes: Attributes) -> None:
        relations = (attributes.get("rel", ""), attributes.get("rev", ""))
        if not RDFA.isdisjoint(attributes) or any(map(is_rdfa_relation, relations)):
            self._has_rdfa = True
        if "itemscope" in attributes:
            self._has_microdata = True

    def _space(self, name: str) -> None:
        # Also in hidden text: two gaps in a row count as one.
        if name in BLOCKS:
            self._pieces.append(_BREAK)
        elif name in CELLS:
            self._pieces.append(" ")

    def _hide(self, name: str, is_empty: bool) -> None:
        if is_empty:
            return
        if name == "template":
            self._templates += 1
        else:
            self._is_in_noscript = True

    def _open_anchor(self, attributes: Attributes) -> None:
        self._end_anchor()
        self._anchor = self._add(href_in(attributes), LinkKind.ANCHOR, attributes.get("rel", ""))
        self._anchor_start = len(self._pieces)

    def _end_anchor(self) -> None:
        if self._anchor is not None and not self._texts[self._anchor]:
            said = "".join(self._pieces[self._anchor_start :])
            self._texts[self._anchor] = one_line(said, LONGEST_TEXT)
        self._anchor = None

    def _add_form_action(self, attributes: Attributes) -> None:
        method = attributes.get("formmethod", "")
        # Which form a `form` attribute means is not known here, nor how that is sent.
        is_posting = _is_posted(method) if method else self._is_posting or "form" in attributes
        self._add(attributes.get("formaction"), LinkKind.POST if is_posting else LinkKind.FORM)

    def _add_nested(self, markup: str, *, is_xml: bool) -> None:
        """Add the links of a document within this one; nothing else of it counts."""
        if self._depth >= DEEPEST_NESTING:
            return
        page = _Page(self._most_links, self._wanted, self._agent, is_xml, self._depth + 1)
        _read(markup, page, is_xml)
        self._add_found(page.facts())

    def _read_link(self, attributes: Attributes) -> None:
        rel = attributes.get("rel", "")
        kind = LinkKind(kind_of_relation(resolve_attribute(rel), attributes.get("as", "")))
        self._add(attributes.get("href"), kind, rel)
        self._add_srcset(attributes.get("imagesrcset"))

    def _read_meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content:
            return
        name = attributes.get("name", "").strip(SPACES).translate(_LOWER)
        header = attributes.get("http-equiv", "").strip(SPACES).translate(_LOWER)
        self._has_meta |= ":" in name or "." in name
        if name in self._robots:
            self._wishes |= wishes(resolve_attribute(content))
        elif name == "description":
            if not self._description:
                self._description = one_line(resolve_attribute(content), LONGEST_TITLE)
        elif header == "refresh":
            self._add_href(refresh_target(resolve_attribute(content)), int(LinkKind.REFRESH))
        elif header == "content-language" and not self._header_language:
            self._header_language = primary_language(resolve_attribute(content))


def _is_posted(method: str) -> bool:
    """Return whether a form of this method is sent by anything but GET."""
    return method.strip(SPACES).lower() in ("post", "dialog")


def _gap(match: re.Match[str]) -> str:
    return "\n" if _BREAK in match[0] else " "
