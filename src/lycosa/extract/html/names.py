"""Names of elements and attributes that the HTML scanners treat specially."""

from __future__ import annotations

from lycosa.model.records import LinkKind

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
    "area": (("href", LinkKind.ANCHOR),),
    "audio": (("src", LinkKind.MEDIA),),
    "bgsound": (("src", LinkKind.MEDIA),),
    "command": (("icon", LinkKind.ICON),),
    "embed": (("src", LinkKind.OBJECT),),
    "fencedframe": (("src", LinkKind.FRAME),),
    "frame": (("src", LinkKind.FRAME),),
    "iframe": (("src", LinkKind.FRAME),),
    "ilayer": (("src", LinkKind.FRAME),),
    "isindex": (("action", LinkKind.FORM),),
    "layer": (("src", LinkKind.FRAME),),
    "menuitem": (("icon", LinkKind.ICON),),
    "portal": (("src", LinkKind.FRAME),),
    "script": (("src", LinkKind.SCRIPT), ("href", LinkKind.SCRIPT)),
    "source": (("src", LinkKind.MEDIA),),
    "track": (("src", LinkKind.MEDIA),),
    "video": (("src", LinkKind.MEDIA), ("poster", LinkKind.IMAGE)),
    "xml": (("src", LinkKind.OBJECT),),
}
"""Elements that link by an attribute of their own; `href` of SVG may be `xlink:href`."""

_SVG = """
animate animatemotion animatetransform color-profile cursor discard feimage filter font-face-uri
glyphref lineargradient mpath pattern radialgradient set textpath tref use
"""
_MATHML = """
maction math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot
mrow ms msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics
"""
SOURCES |= dict.fromkeys(_SVG.split(), (("href", LinkKind.IMAGE),))
SOURCES |= dict.fromkeys(_MATHML.split(), (("href", LinkKind.ANCHOR),))

ANYWHERE = {
    "background": LinkKind.IMAGE,
    "cite": LinkKind.CITE,
    "dynsrc": LinkKind.MEDIA,
    "itemid": LinkKind.IDENTIFIER,
    "longdesc": LinkKind.DESCRIPTION,
    "lowsrc": LinkKind.IMAGE,
    "usemap": LinkKind.RELATION,
}
"""Attributes that hold a URL, whatever element has them."""

LISTS = {
    "itemtype": LinkKind.IDENTIFIER,
    "ping": LinkKind.PING,
    "profile": LinkKind.IDENTIFIER,
}
"""Attributes that hold URLs with white space between them."""

PAINTS = (
    *("clip-path", "cursor", "fill", "filter", "marker-end", "marker-mid", "marker-start"),
    *("mask", "stroke"),
)
"""Attributes of SVG that are CSS and may hold a `url()`."""

FALLBACKS = frozenset({"noembed", "noframes"})
"""Elements with markup for browsers that lack something; what it links to counts."""

OBJECTS = ("archive", "classid", "code", "codebase", "data")
"""The attributes of `object` and `applet` that name parts of a plug-in's content."""

DEEPEST_NESTING = 3
"""How many documents within a document (`srcdoc`, conditional comments) are read."""
