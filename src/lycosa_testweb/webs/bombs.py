"""Pages that are small to send and dear to read: one function for each way to overload a reader.

Each function makes a page of about `size_bytes` bytes, so that twice the size is twice the input
and a test can compare the work. A reader whose work is linear in the bytes takes each of them as it
takes any other page of that size. `BOMBS` lists them all with the size at which they hurt.

Most of them repeat themselves, and a server that packs them sends one or two kilobytes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import NamedTuple

_SCHEMA_WORDS = (
    "archivedAt archivesAt codeRepository contentUrl discussionUrl downloadUrl embedUrl "
    "hasMap image installUrl isBasedOn labelUrl license logo mainEntityOfPage map maps "
    "masthead paymentUrl photo relatedLink replyToUrl sameAs screenshot serviceUrl "
    "significantLink targetUrl thumbnailUrl trackingUrl url usageInfo birthDate datePosted "
    "deathDate dateCreated dateModified datePublished endDate expires startDate uploadDate "
    "validFrom validThrough validUntil"
)


def _page(body: str, attributes: str = "") -> bytes:
    title = "<!doctype html><title>A page</title>"
    return f"{title}<body{attributes}><a href='/next'>next</a>{body}</body>".encode()


def _json_ld(text: str) -> bytes:
    return _page(f'<script type="application/ld+json">{text}</script>')


def _filled(part: str | Callable[[int], str], size_bytes: int) -> str:
    """Return parts up to about that size; a part may depend on its number."""
    size, parts = 0, list[str]()
    while size < size_bytes:
        parts.append(part if isinstance(part, str) else part(len(parts)))
        size += len(parts[-1])
    return "".join(parts)


def one_context(size_bytes: int) -> bytes:
    """Name one well-known context again and again."""
    words = ",".join(f'"{word}":"x"' for word in _SCHEMA_WORDS.split())
    mentions = _filled('"x://schema.org",', size_bytes)
    return _json_ld(f'{{"@context":[{mentions}{{}}],{words}}}')


def contexts_of_nodes(size_bytes: int) -> bytes:
    """Define many terms, then write many nodes, each with a context of its own."""
    terms = _filled(lambda n: f'"t{n:x}":"x:{n:x}",', min(size_bytes // 2, 6_000))
    nodes = _filled(lambda n: f'{{"@context":{{"u":"x:{n:x}"}},"u":1}},', size_bytes // 2)
    return _json_ld(f'{{"@context":{{{terms}"z":"x:z"}},"@graph":[{nodes}{{"z":1}}]}}')


def contexts_in_a_list(size_bytes: int) -> bytes:
    """List contexts of few terms each, then write many nodes with an empty context."""
    contexts = _filled(lambda n: f'{{"t{n:x}":"x:{n:x}"}},', size_bytes // 2)
    nodes = _filled('{"@context":{},"t1":1},', size_bytes // 2)
    return _json_ld(f'{{"@context":[{contexts}{{}}],"@graph":[{nodes}{{"t1":1}}]}}')


def scoped_contexts(size_bytes: int) -> bytes:
    """Give a term a context that is long, and use that term in many nodes."""
    terms = _filled(lambda n: f'"t{n:x}":"x:{n:x}",', min(size_bytes // 2, 6_000))
    nodes = _filled('{"p":{"t1":1}},', size_bytes // 2)
    context = f'{{"p":{{"@id":"x:p","@context":{{{terms}"z":"x:z"}}}}}}'
    return _json_ld(f'{{"@context":{context},"@graph":[{nodes}{{"z":1}}]}}')


def long_vocabulary(size_bytes: int) -> bytes:
    """Put a very long prefix before many short words of JSON-LD."""
    nodes = _filled(lambda n: f'{{"a{n:x}":1}},', size_bytes // 2)
    vocabulary = "x:" + "v" * (size_bytes // 2)
    return _json_ld(f'{{"@context":{{"@vocab":"{vocabulary}"}},"@graph":[{nodes}{{}}]}}')


def waiting_lists(size_bytes: int) -> bytes:
    """Let many RDFa lists wait for many children."""
    words = _filled(lambda n: f"x:{n:x} ", size_bytes // 2)
    children = _filled("<i about=x:a></i>", size_bytes // 2)
    return _page(f'<div about=x:s rel="{words}" inlist>{children}</div>')


def long_prefix(size_bytes: int) -> bytes:
    """Refer to a very long prefix from many elements that say nothing."""
    prefix = "x:" + "v" * (size_bytes // 2)
    elements = _filled("<b about='[p:a]'></b>", size_bytes // 2)
    return _page(elements, f' prefix="p: {prefix}"')


def long_base(size_bytes: int) -> bytes:
    """Resolve many short references against a very long base."""
    elements = _filled("<b about=a></b>", size_bytes // 2)
    return _page(f'<base href="http://a.test/{"v" * (size_bytes // 2)}/">{elements}', " property=a")


def formatting(size_bytes: int) -> bytes:
    """Leave many formatting elements open, which every later paragraph opens again."""
    opened = _filled(lambda n: f"<b x={n:x}>", min(size_bytes // 4, 4_000))
    return _page(f"<p>{opened}{_filled('<p>x', size_bytes - len(opened))}", " property=x:a")


def long_formatting(size_bytes: int) -> bytes:
    """Leave a formatting element open whose attribute is long."""
    opened = f'<b title="{"v" * (size_bytes // 2)}">'
    return _page(f"<p>{opened}{_filled('<p>x', size_bytes // 2)}", " property=x:a")


def formatting_in_cells(size_bytes: int) -> bytes:
    """Close formatting elements in a cell, where an end tag does not count for those outside."""
    opened = _filled(lambda n: f"<b x={n:x}>", min(size_bytes // 4, 4_000))
    closed = "<table><tr><td>" + "</b>" * opened.count("<b") + "</table>"
    return _page(f"<p>{opened}{closed}{_filled('<p>x', size_bytes // 2)}", " property=x:a")


def formatting_in_comments(size_bytes: int) -> bytes:
    """Close formatting elements where there is no end tag: in a comment, script and attribute."""
    opened = _filled(lambda n: f"<b x={n:x}>", min(size_bytes // 4, 4_000))
    closed = "</b>" * (opened.count("<b") // 3 + 1)
    hidden = f"<!--{closed}--><i title='{closed}'></i><script>{closed}</script>"
    return _page(f"<p>{opened}{hidden}{_filled('<p>x', size_bytes // 2)}", " property=x:a")


def namespaces(size_bytes: int) -> bytes:
    """Declare many namespaces around many XML literals."""
    declared = _filled(lambda n: f" xmlns:n{n:x}='x:{n:x}'", size_bytes // 2)
    literals = _filled("<i property=x:a datatype=rdf:XMLLiteral><u>x</u></i>", size_bytes // 2)
    return _page(literals, declared)


def nested_properties(size_bytes: int) -> bytes:
    """Nest elements that each claim the same text as their value, and have no name for it."""
    opened = "<div itemprop>" * min(400, size_bytes // 40)
    return _page(f"<div itemscope>{opened}{'text ' * ((size_bytes - len(opened)) // 5)}")


def referred_properties(size_bytes: int) -> bytes:
    """Let many items refer to one element that holds many properties without a name."""
    properties = _filled("<i itemprop></i>", size_bytes // 2)
    items = _filled("<i itemscope itemref=r></i>", size_bytes // 2)
    return _page(f"<div id=r>{properties}</div>{items}")


def referring_lists(size_bytes: int) -> bytes:
    """Let items refer to many elements each, of which each holds a long value."""
    value = "v" * (size_bytes // 3)
    items = _filled("<i itemscope itemtype=x:t itemref=r></i>", size_bytes // 2)
    return _page(f"<div id=r><i itemprop=x:a content={value}></i></div>{items}")


def words_of_meta(size_bytes: int) -> bytes:
    """Say one long text of many names."""
    words = _filled(lambda n: f"og:a{n:x} ", size_bytes // 2)
    return _page(f'<meta property="{words}" content="{"v" * (size_bytes // 2)}">')


def long_schema(size_bytes: int) -> bytes:
    """Put a very long prefix before many names of Dublin Core."""
    words = _filled(lambda n: f"DC.a{n:x} ", size_bytes // 2)
    schema = f'<link rel=schema.dc href="x:{"v" * (size_bytes // 2)}">'
    return _page(f'{schema}<meta name="{words}" content=a>')


def escaped_quotes(size_bytes: int) -> bytes:
    """Escape quotes in a script of which no string ends."""
    return _page("<script>x = " + '\\"' * (size_bytes // 2) + "\n</script>")


def open_comments(size_bytes: int) -> bytes:
    """Open comments and raw texts of which none ends."""
    return _page(_filled("<!--<script><!--<style><title><textarea>", size_bytes))


def adopted(size_bytes: int) -> bytes:
    """Close formatting elements around blocks, so that the parser copies them."""
    return _page(_filled("<a><b><i><p></a></b></i>", size_bytes), " property=x:a")


def attributes(size_bytes: int) -> bytes:
    """Give one element very many attributes."""
    return _page(f"<i {_filled(lambda n: f'a{n:x}=1 ', size_bytes)} property=x:a>text</i>")


def nested(size_bytes: int) -> bytes:
    """Nest elements that each claim the same text in RDFa."""
    return _page("<i property=x:a>" * (size_bytes // 32) + "text " * (size_bytes // 10))


class Bomb(NamedTuple):
    """A page that overloads a reader."""

    make: Callable[[int], bytes]
    """Makes it of about this size."""
    size_bytes: int
    """The size at which it takes seconds or hundreds of megabytes of a reader without bounds."""
    reader: str
    """Its target: a form of structured data, `main-text` or `mentions`."""


BOMBS: dict[str, Bomb] = {
    "one-context": Bomb(one_context, 33_000, "json-ld"),
    "contexts-of-nodes": Bomb(contexts_of_nodes, 400_000, "json-ld"),
    "contexts-in-a-list": Bomb(contexts_in_a_list, 560_000, "json-ld"),
    "scoped-contexts": Bomb(scoped_contexts, 200_000, "json-ld"),
    "long-vocabulary": Bomb(long_vocabulary, 200_000, "json-ld"),
    "waiting-lists": Bomb(waiting_lists, 131_000, "rdfa"),
    "long-prefix": Bomb(long_prefix, 400_000, "rdfa"),
    "long-base": Bomb(long_base, 400_000, "rdfa"),
    "formatting": Bomb(formatting, 37_000, "rdfa"),
    "long-formatting": Bomb(long_formatting, 100_000, "rdfa"),
    "formatting-in-cells": Bomb(formatting_in_cells, 37_000, "rdfa"),
    "formatting-in-comments": Bomb(formatting_in_comments, 37_000, "rdfa"),
    "namespaces": Bomb(namespaces, 150_000, "rdfa"),
    "nested": Bomb(nested, 400_000, "rdfa"),
    "nested-properties": Bomb(nested_properties, 1_000_000, "microdata"),
    "referred-properties": Bomb(referred_properties, 200_000, "microdata"),
    "referring-lists": Bomb(referring_lists, 400_000, "microdata"),
    "adopted": Bomb(adopted, 400_000, "rdfa"),
    "attributes": Bomb(attributes, 400_000, "rdfa"),
    "words-of-meta": Bomb(words_of_meta, 100_000, "meta"),
    "long-schema": Bomb(long_schema, 400_000, "meta"),
    "escaped-quotes": Bomb(escaped_quotes, 16_000, "mentions"),
    "open-comments": Bomb(open_comments, 200_000, "mentions"),
    "main-text": Bomb(formatting, 37_000, "main-text"),
}
"""By name."""


def marked(reader: str, effect: str) -> bytes:
    """Return a small page that makes a reader misbehave where the fail point `read.bomb` is armed.

    Readers are `links`, `rdfa`, `json-ld`, `microdata` and `meta`; effects `loop`, `allocate`
    and `crash`. Unarmed, it is a good page with structured data in every form.
    """
    return _page(
        f"<!-- read.bomb:{reader}:{effect} --><p property=x:a>text</p>"
        "<p itemscope itemtype=x:t><i itemprop=name>name</i></p>"
        '<meta property="og:title" content="A page">'
        '<script type="application/ld+json">{"@context":"http://schema.org","name":"A"}</script>'
    )


def packed(page: bytes) -> bytes:
    """Return a page as `Content-Encoding: gzip` carries it."""
    return gzip.compress(page, 9, mtime=0)
