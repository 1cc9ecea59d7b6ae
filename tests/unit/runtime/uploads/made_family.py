"""Files of a sealed segment for an uploader."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from lycosa.storage.archive.layout import Name

PARTS = ["warc/{}.warc.gz", "links/{}.parquet", "pages/{}.parquet", "digests/{}.sha256"]


def make_family(
    folder: Path, segment: int, chance: random.Random, *, is_sealed: bool = True
) -> Name:
    """Write files with the names of a sealed segment, the index last."""
    name = Name(segment, 0)
    parts = PARTS + (["triples/{}.nq.zst"] if segment % 2 else [])
    for part in [*parts, *(["cdx/{}.cdxj"] if is_sealed else [])]:
        path = folder / part.format(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(chance.randbytes(chance.randrange(2000)))
    return name


def wait_for(is_true: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.002)
