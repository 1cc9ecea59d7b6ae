"""Restores open segments of a lost machine, seals them and sends them to the store.

The store has parts of open segments only with `[store] durable = "cluster"`. They are restored in a
temporary folder, where they look like segments of a dead process, and are sealed in the same way:
the log decides which records count. The machine's partitions must therefore be taken from it
before.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lycosa.errors import StoreError
from lycosa.model.job import Job
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.runtime.uploads.family import family, manifest_of, packed, sealed_names
from lycosa.runtime.uploads.open_parts import restore_open
from lycosa.storage.archive.layout import make_folders
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.objects.manifests import manifest_key
from lycosa.storage.objects.protocol import Objects

log_messages = logging.getLogger(__name__)


def rescue_segment(job: Job, open_log: Callable[[], Log], objects: Objects, segment: int) -> bool:
    """Seal and send a segment that has parts and no manifest; return False if that fails.

    It also returns False for a segment without a counted page, of which nothing is sent.
    """
    with tempfile.TemporaryDirectory(prefix="lycosa-rescue-") as name:
        folder = Path(name)
        make_folders(folder)
        if not restore_open(objects, segment, folder):
            return False
        rules = SealingRules(folder, job, open_log, SnapshotFolder(folder / "snapshots"))
        try:
            with closing(rules):
                rules.seal_dead()
        except StoreError as problem:
            log_messages.warning("segment %d cannot be rescued: %s", segment, problem)
            return False
        for sealed in sealed_names(folder):
            files = family(folder, sealed)
            manifest = manifest_of(sealed, files, is_shared=True)
            for key, path in files.items():
                objects.put(key, path)
            return objects.create(manifest_key(segment), packed(manifest))
    return False
