"""The tags that matter, in one pass over the bytes of a page.

One compiled expression finds the next tag that matters; another reads its attributes, and
a third, in one step, those of the commonest kind of anchor. All of them follow the
tokeniser of the HTML standard where it shows: quotes count only after `=`, so a `>` or a
`<a` inside a quoted value is no tag; the first of two attributes of one name counts; what
is never closed (a comment, a script) reaches to the end of the page. A tag that the end of
the page cuts is dropped, for half a URL is another URL. A CDATA section that is never
closed is none: HTML does not have them.

Always true: no byte is looked at more than a few times. All repetitions are possessive,
what fails fails before the next `<` or the next quote, and what could run on may end at the
end of the page, so that nothing is tried again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMES = rb"(?i:area|base|iframe|frame|link|meta|script|style|textarea|title|a)(?=[\s/>])"
_OPENINGS = rb"!--|!\[CDATA\["
_REST_OF_TAG = rb"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+(?:>|\Z)"""
_TIDY_REST = rb"""[^<>=]*+(?:=(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=])[^<>=]*+)*+>"""
_PLAIN_ANCHOR = (
    rb"""a(?:\s++(?!(?i:href)[\s=])[A-Za-z-]++="[^"]*+")*+\s++href="([^"]*+)\""""
    rb"""(?:\s++[A-Za-z-]++="[^"]*+")*+>"""
)
# Tags nobody asked for are matched, and so passed over as a whole, only if they may have
# a `<` inside; behind a tidy one it is enough to go on to the next `<`.
_NEXT = re.compile(
    rb"<(?:" + _PLAIN_ANCHOR + rb"|(?=[AaBbFfIiLlMmSsTt!])(" + _NAMES + rb"|" + _OPENINGS + rb")"
    rb"|[A-Za-z](?!" + _TIDY_REST + rb")" + _REST_OF_TAG + rb")"
)
_ATTRIBUTE = re.compile(
    rb"[\s/]*+(?:(>|\Z)|([^\s/>][^\s/>=]*+)"
    rb"""(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|["']?+([^\s>]*+)))?+)"""
)
_COMMENT_END = re.compile(rb"--!?>")
_RAW_ENDS = {
    b"script": re.compile(rb"</[sS][cC][rR][iI][pP][tT](?=[\s/>])"),
    b"style": re.compile(rb"</[sS][tT][yY][lL][eE](?=[\s/>])"),
    b"textarea": re.compile(rb"</[tT][eE][xX][tT][aA][rR][eE][aA](?=[\s/>])"),
    b"title": re.compile(rb"</[tT][iI][tT][lL][eE](?=[\s/>])"),
}


Tag = tuple[bytes, dict[bytes, bytes], bytes]
"""Name and attributes of a start tag, in lower case, and the text that a `title` holds."""


def tags(body: bytes, *, is_xml: bool = False) -> Iterator[Tag]:
    """Yield the tags that say something about other pages, in the order of the page.

    In XML `<script/>` is whole; in HTML the slash says nothing and the script goes on.
    """
    position = 0
    last_closing: int | None = None
    while found := _NEXT.search(body, position):
        position = found.end()
        if found.lastindex == 1:
            yield b"a", {b"href": found[1]}, b""
            continue
        if found.lastindex is None:
            continue
        name = found[2].lower()
        if name == b"!--":
            position = _end_of_comment(body, position)
        elif name == b"![cdata[":
            if last_closing is None:
                last_closing = body.rfind(b"]]>")
            if position <= last_closing:
                position = body.index(b"]]>", position) + 3
        else:
            attributes, position = _read_attributes(body, position)
            if not body.endswith(b">", 0, position):
                return
            text = b""
            if name in _RAW_ENDS and not (is_xml and body.endswith(b"/>", 0, position)):
                end = _RAW_ENDS[name].search(body, position)
                stop = end.start() if end else len(body)
                text, position = body[position:stop], stop
            yield name, attributes, text


def _end_of_comment(body: bytes, start: int) -> int:
    # `<!-->` and `<!--->` are whole comments.
    for short in (b">", b"->"):
        if body.startswith(short, start):
            return start + len(short)
    end = _COMMENT_END.search(body, start)
    return end.end() if end else len(body)


def _read_attributes(body: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    attributes: dict[bytes, bytes] = {}
    for found in _ATTRIBUTE.finditer(body, position):
        which = found.lastindex or 1
        if which == 1:
            return attributes, found.end()
        name = found[2].lower()
        if name not in attributes:
            attributes[name] = found[which] if which > 2 else b""
    return attributes, len(body)
