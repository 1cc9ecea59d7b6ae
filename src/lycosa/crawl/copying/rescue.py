"""Puts open segments of a lost machine together again, seals them and sends them to the store.

Only with `[store] durable = "cluster"` the store has parts of open segments. They are restored in a
scratch folder, where they look like segments of a process that has died, and are sealed as those
are: the log decides which records count. So the machine's partitions must have been taken from it
before.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

from lycosa.config import Job
from lycosa.crawl.copying.family import family, manifest_of, packed, sealed_names
from lycosa.crawl.copying.open_parts import restore_open
from lycosa.crawl.recovery.counting import SealingRules
from lycosa.errors import StoreError
from lycosa.log.protocol import Log
from lycosa.log.snapshot import SnapshotFolder
from lycosa.objects.manifests import manifest_key
from lycosa.objects.protocol import Objects
from lycosa.store.layout import make_folders

log_messages = logging.getLogger(__name__)


def rescue_segment(job: Job, open_log: Callable[[], Log], objects: Objects, segment: int) -> bool:
    """Seal and send a segment that has parts and no manifest; False if it cannot be had.

    A segment without a page that counts has nothing to send, and cannot be had either.
    """
    with tempfile.TemporaryDirectory(prefix="lycosa-rescue-") as name:
        folder = Path(name)
        make_folders(folder)
        if not restore_open(objects, segment, folder):
            return False
        rules = SealingRules(folder, job, open_log, SnapshotFolder(folder / "snapshots"))
        try:
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
