"""Names of elements and attributes that the HTML scanners treat specially."""

from __future__ import annotations

from lycosa.records import LinkKind

_BLOCKS = """
address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li
listing main menu nav ol optgroup option p plaintext pre search section select summary table
tbody tfoot thead tr ul
"""

BLOCKS = frozenset(_BLOCKS.split())
"""Elements that begin and end a line of text."""

CELLS = frozenset({"td", "th"})
"""Elements that are a space apart from their neighbours."""

RAW = frozenset({"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"})
"""Elements that hold no others: only their own end tag ends them. Their text is not seen."""

HIDDEN = frozenset({"noscript", "template"})
"""Elements whose text is not seen; what they link to counts."""

RDFA = frozenset({"about", "property", "resource", "typeof", "vocab"})
"""Attributes that only RDFa uses. `prefix` and `content` mean nothing without them."""

RELATIONS = ("describedby", "license", "role")
"""The relations that are RDFa in HTML without a colon in them."""

SOURCES: dict[str, tuple[tuple[str, LinkKind], ...]] = {
    "applet": (("code", LinkKind.OBJECT),),
    "area": (("href", LinkKind.ANCHOR),),
    "audio": (("src", LinkKind.MEDIA),),
    "embed": (("src", LinkKind.OBJECT),),
    "frame": (("src", LinkKind.FRAME),),
    "iframe": (("src", LinkKind.FRAME),),
    "object": (("data", LinkKind.OBJECT),),
    "script": (("src", LinkKind.SCRIPT),),
    "source": (("src", LinkKind.MEDIA),),
    "track": (("src", LinkKind.MEDIA),),
    "video": (("src", LinkKind.MEDIA), ("poster", LinkKind.IMAGE)),
}
"""Elements that link by an attribute and nothing else."""
