"""Finds the references of `object`, `applet` and `param`, which old pages use for plug-ins.

`archive`, `classid` and `code` are relative to `codebase` where there is one (HTML 4.01, 13.3 and
13.4); `data` is not, as browsers read it. A `codebase` is a folder, not a file, and is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from lycosa.model.records import LinkKind

_BETWEEN = r"[ \t\n\r\f,]+"
_SPACES = " \t\n\r\f"
_NAMES = frozenset(
    {"data", "filename", "flashvars.src", "href", "image", "movie", "poster", "src", "url"}
)
"""Names of parameters whose value players take for a URL."""

Found = list[tuple[str, int]]


def object_references(attributes: Mapping[str, str]) -> Found:
    """Return the references of an `object` or `applet`, with the kind of each."""
    found: Found = []
    data, base = attributes.get("data", ""), attributes.get("codebase", "").strip(_SPACES)
    if data := data.strip(_SPACES):
        found.append((data, int(LinkKind.OBJECT)))
    for name in ("code", "classid"):
        if value := attributes.get(name, "").strip(_SPACES):
            found.append((joined(base, value), int(LinkKind.OBJECT)))
    archives = re.split(_BETWEEN, attributes.get("archive", ""))
    found += [(joined(base, value), int(LinkKind.OBJECT)) for value in archives if value]
    if base:
        found.append((base, int(LinkKind.IDENTIFIER)))
    return found


def parameter_reference(name: str, value: str, type_of_value: str) -> str:
    """Return the URL that a `param` of an object holds, or ""."""
    is_reference = type_of_value.strip(_SPACES).lower() == "ref"
    value = value.strip(_SPACES)
    return value if is_reference or name.strip(_SPACES).lower() in _NAMES else ""


def joined(base: str, href: str) -> str:
    """Return a reference relative to a base that may itself be relative."""
    try:
        return urljoin(base, href) if base else href
    except ValueError:  # a host in brackets that are never closed
        return href
