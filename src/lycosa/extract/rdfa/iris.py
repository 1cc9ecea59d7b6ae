"""Resolves references, and writes IRIs and literals as N-Triples.

Always true: the result can stand in a line of N-Triples. A character that no IRI may
have (a space, a quote, a bracket) is percent-encoded, as browsers do; an invalid language tag is
left out.
"""

from __future__ import annotations

import re

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?", re.DOTALL)
_FORBIDDEN = re.compile('[\x00-\x20<>"{}|\\\\^`\x7f]')
_LANGUAGE = re.compile(r"[a-z]{1,8}(?:-[a-z0-9]{1,8})*\Z")


def is_absolute(reference: str) -> bool:
    """Tell whether a reference begins with a scheme."""
    return _SCHEME.match(reference) is not None


def without_fragment(iri: str) -> str:
    """Return an IRI without its fragment."""
    return iri.partition("#")[0]


def resolve(base: str, reference: str) -> str:
    """Resolve a reference (RFC 3986, 5.2); an absolute one stays as it is written."""
    if _SCHEME.match(reference):
        return reference
    found = _PARTS.match(base)
    assert found is not None
    scheme, authority, path, query = (part or "" for part in found.groups())
    if reference.startswith("//"):
        return scheme + reference
    if reference.startswith("/"):
        return scheme + authority + _without_dots(reference)
    if reference.startswith("?"):
        return scheme + authority + path + reference
    if not reference or reference.startswith("#"):
        return scheme + authority + path + query + reference
    before = "/" if authority and not path else path[: path.rfind("/") + 1]
    return scheme + authority + _without_dots(before + reference)


def _without_dots(reference: str) -> str:
    """Remove `.` and `..` from the path of a reference (RFC 3986, 5.2.4)."""
    end = min((at for at in (reference.find("?"), reference.find("#")) if at >= 0), default=None)
    path = reference[:end]
    if "./" not in path and not path.endswith("."):
        return reference
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept) + reference[len(path) :]


LONGEST_BASE = 4000
"""Bytes; a longer base is ignored, because every reference of a page would be as long."""


def near_base(base: str, reference: str) -> str:
    """Return the base that a reference names, without its fragment."""
    named = without_fragment(resolve(base, reference))
    return named if len(named) <= LONGEST_BASE else base


def iri_term(iri: str) -> str:
    """Return an absolute IRI as a term."""
    if _FORBIDDEN.search(iri):
        iri = _FORBIDDEN.sub(lambda found: f"%{ord(found[0]):02X}", iri)
    return f"<{iri}>"


def language_tag(value: str) -> str:
    """Return the language tag in `lang` in lower case, or "" if it is none."""
    tag = value.strip().lower().replace("_", "-")
    return tag if _LANGUAGE.match(tag) else ""
