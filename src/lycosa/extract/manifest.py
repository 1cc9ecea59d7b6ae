"""Reads the references of a web application's manifest (W3C, Web Application Manifest).

A manifest is JSON that a page names by `<link rel=manifest>`. Its pages (`start_url`, shortcuts,
handlers) are links as of an anchor; its icons and screenshots are pictures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from lycosa.model.records import LinkKind

MANIFEST_TYPE = "application/manifest+json"

_PAGES = (("start_url", LinkKind.ANCHOR), ("scope", LinkKind.IDENTIFIER))
_PICTURES = ("icons", "screenshots")
_LISTS = (
    ("shortcuts", "url", LinkKind.ANCHOR),
    ("file_handlers", "action", LinkKind.ANCHOR),
    ("related_applications", "url", LinkKind.RELATION),
    ("translations", "url", LinkKind.ALTERNATE),
)

Found = list[tuple[str, int]]


def manifest_references(body: bytes) -> Found:
    """Return the references of a manifest in UTF-8; none if it is not a JSON object."""
    try:
        manifest = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return []
    found: Found = []
    if not isinstance(manifest, dict):
        return found
    for name, kind in _PAGES:
        _add(found, manifest.get(name), kind)
    _add_pictures(found, manifest)
    for name, member, kind in _LISTS:
        for entry in _objects(manifest.get(name)):
            _add(found, entry.get(member), kind)
            _add_pictures(found, entry)
    for worker in _objects([manifest.get("serviceworker")]):
        _add(found, worker.get("src"), LinkKind.SCRIPT)
    for target in _objects([manifest.get("share_target")]):
        # a target by POST may change something, so its kind is never followed
        is_posted = str(target.get("method", "")).upper() == "POST"
        _add(found, target.get("action"), LinkKind.POST if is_posted else LinkKind.FORM)
    for note in _objects([manifest.get("note_taking")]):
        _add(found, note.get("new_note_url"), LinkKind.ANCHOR)
    return found


def _objects(values: object) -> Iterable[dict[str, Any]]:
    entries = values if isinstance(values, list) else ()
    return (entry for entry in entries if isinstance(entry, dict))


def _add(found: Found, value: object, kind: LinkKind) -> None:
    if isinstance(value, str) and (href := value.strip()):
        found.append((href, int(kind)))


def _add_pictures(found: Found, entry: dict[str, Any]) -> None:
    for name in _PICTURES:
        for picture in _objects(entry.get(name)):
            _add(found, picture.get("src"), LinkKind.IMAGE)
