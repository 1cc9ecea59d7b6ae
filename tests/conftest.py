"""Every process that runs tests has address slots of its own: tests do not wait for each other.

What tests write goes to memory where there is room for it: a crawl asks the disk hundreds of times
whether something is durable, and only a power failure could tell whether that is so.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest

_FOLDER = tempfile.TemporaryDirectory(prefix="lycosa-tests-")
os.environ["LYCOSA_RUNTIME_DIR"] = _FOLDER.name
atexit.register(_FOLDER.cleanup)

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
_IN_MEMORY = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.basetemp or not os.access(_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES:
        config.option.basetemp = tempfile.mkdtemp(prefix="lycosa-tests-", dir=_MEMORY)
        config.stash[_IN_MEMORY] = config.option.basetemp


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the search for garbage need not look at it."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    gc.unfreeze()
    folder = session.config.stash.get(_IN_MEMORY, None)
    if folder is not None and exitstatus == pytest.ExitCode.OK:
        shutil.rmtree(folder, ignore_errors=True)
