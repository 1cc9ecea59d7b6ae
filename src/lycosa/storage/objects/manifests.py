"""The manifest of a segment: its objects, or the note that it is lost for good.

    manifests/1048577.json   {"segment": 1048577, "worker": 0, "directory": 1,
                              "files": {"warc/…": {"bytes": 12345, "sha256": "…"}, …}}
                             {"segment": 1048577, "lost": true, "by": "…"}

A manifest is created once and never changed. The machine that has uploaded all files of a segment
creates it last, so all objects that it names exist. When a machine is given up, the operator's
command creates *tombstones* for the segments that have none: the first of the two is valid.
"""

from __future__ import annotations

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa.errors import FormatError
from lycosa.storage.objects.protocol import Objects

MANIFESTS = "manifests/"


class Content(msgspec.Struct, frozen=True):
    """An object of a segment."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fate of a segment: its objects, or its loss."""

    segment: int
    worker: int = 0
    directory: int = 0
    files: dict[str, Content] = {}
    """By key; the keys are paths in a crawl directory."""
    lost: bool = False
    """Whether it was given up: a machine that returns cannot upload it any more."""
    by: str = ""
    """The operator who gave it up."""

    @property
    def warc(self) -> str:
        """The key of the records; "" if the segment has none."""
        return next((key for key in self.files if key.startswith("warc/")), "")


_decoder = json_decoder(Manifest)


def manifest_key(segment: int) -> str:
    """Return the key of a segment's manifest."""
    return f"{MANIFESTS}{segment}.json"


def read_manifest(objects: Objects, segment: int) -> Manifest | None:
    """Return the manifest of a segment; None while it has none. May raise `ObjectsUnavailable`."""
    content = objects.read(manifest_key(segment))
    if content is None:
        return None
    try:
        return _decoder.decode(content)
    except msgspec.DecodeError as problem:
        raise FormatError(
            f"{objects.place}: {manifest_key(segment)} is not a manifest: {problem}\n"
            "  put it back from a copy of the store"
        ) from None


def bury_segment(objects: Objects, segment: int, by: str) -> Manifest:
    """Create the tombstone of a segment that has no manifest; return the manifest that holds."""
    tombstone = Manifest(segment, lost=True, by=by)
    if objects.create(manifest_key(segment), msgspec.json.encode(tombstone)):
        return tombstone
    return read_manifest(objects, segment) or tombstone
