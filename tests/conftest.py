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
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from needs import leave_out, told
from seeds import SHORT
from tiers import mark_slow
from times import Times

pytest_plugins = ["servers.fixtures"]

_FOLDER = tempfile.TemporaryDirectory(prefix="lycosa-tests-")
os.environ["LYCOSA_RUNTIME_DIR"] = _FOLDER.name
os.environ["LYCOSA_STATE_DIR"] = str(Path(_FOLDER.name) / "state")
os.environ["LYCOSA_WITHOUT_SANDBOX"] = "1"  # tests may be run by root
atexit.register(_FOLDER.cleanup)

settings.load_profile(SHORT)

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
_IN_MEMORY = pytest.StashKey[str]()
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", action="store_true", help="print the seconds of every test file")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.times:
        config.pluginmanager.register(Times())
    if config.option.basetemp or not os.access(_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES:
        config.option.basetemp = tempfile.mkdtemp(prefix="lycosa-tests-", dir=_MEMORY)
        config.stash[_IN_MEMORY] = config.option.basetemp


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    mark_slow(items)
    yield
    # After the choice by markers: what was not asked for is not counted as left out.
    config.stash[_LEFT_OUT] = leave_out(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count of a process that ran tests: each has collected all, so they are the same."""
    counts: dict[str, int] = getattr(node, "workeroutput", {}).get("left out", {})
    node.config.stash[_LEFT_OUT] = Counter(counts)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in told(config.stash.get(_LEFT_OUT, Counter())):
        terminalreporter.write_line(line, yellow=True, bold=True)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the search for garbage need not look at it."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    gc.unfreeze()
    if hasattr(session.config, "workeroutput"):
        counts = session.config.stash.get(_LEFT_OUT, Counter())
        session.config.workeroutput["left out"] = dict(counts.items())
    folder = session.config.stash.get(_IN_MEMORY, None)
    if folder is not None and exitstatus == pytest.ExitCode.OK:
        shutil.rmtree(folder, ignore_errors=True)
