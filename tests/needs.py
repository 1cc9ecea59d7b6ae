"""What some tests need of the machine, and how to get it.

A test says so by `@pytest.mark.needs("chromium")`. Where that is missing the test is left out, and
the last lines of a run count what was left out and say what to type. Under `CI` such a test is not
left out: it runs, and fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest

from servers.nats import debian_nats_server
from servers.postgres import find_postgres

UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]


class Need(NamedTuple):
    """Something of the machine that a test cannot do without."""

    is_met: Callable[[], bool]
    remedy: str


def _has_chromium() -> bool:
    return shutil.which("chromium") is not None  # reports are shown in it as well


def _can_be_a_user() -> bool:
    """Return whether root can be somebody else, whom Chromium gives its sandbox."""
    probe = [
        "unshare",
        "--user",
        "--map-user=1000",
        "--map-group=1000",
        "unshare",
        "--user",
        "true",
    ]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _has_npm() -> bool:
    return shutil.which("npm") is not None


def _has_strace() -> bool:
    return shutil.which("strace") is not None


def _has_valgrind() -> bool:
    return shutil.which("valgrind") is not None


def _can_mount() -> bool:
    probe = [*UNSHARE, "mount", "-t", "tmpfs", "-o", "size=64k", "lycosa", "/mnt"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _has_postgres() -> bool:
    return find_postgres() is not None


def _has_debian_nats() -> bool:
    return debian_nats_server() is not None


def _can_make_networks() -> bool:
    command = "ip link add name probe0 type bridge && iptables -L"
    probe = ["unshare", "--net", "--mount", "sh", "-c", command]
    tools = all(shutil.which(tool) for tool in ("unshare", "nsenter", "ip", "iptables", "cc"))
    is_possible = os.geteuid() == 0 and tools
    return is_possible and subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _can_have_addresses() -> bool:
    command = "ip link set lo up && ip addr add 10.9.8.7/32 dev lo"
    tools = all(shutil.which(tool) for tool in ("unshare", "ip"))
    probe = ["unshare", "--net", "--pid", "--fork", "sh", "-c", command]
    is_possible = os.geteuid() == 0 and tools
    return is_possible and subprocess.run(probe, capture_output=True, check=False).returncode == 0


NEEDS = {
    "chromium": Need(_has_chromium, "apt-get install chromium fonts-liberation"),
    "user namespaces": Need(
        _can_be_a_user, "apt-get install util-linux; some machines ask for root, or forbid it"
    ),
    "strace": Need(_has_strace, "apt-get install strace"),
    "valgrind": Need(_has_valgrind, "sh tools/prerequisites.sh soak"),
    "npm": Need(_has_npm, "apt-get install npm"),
    "mounts": Need(_can_mount, "apt-get install util-linux mount; some machines ask for root"),
    "postgresql": Need(_has_postgres, "apt-get install postgresql"),
    "network-namespaces": Need(
        _can_make_networks, "as root: apt-get install iproute2 iptables util-linux gcc"
    ),
    "own-addresses": Need(_can_have_addresses, "as root: apt-get install iproute2 util-linux"),
    "debian-nats": Need(_has_debian_nats, "sh tools/prerequisites.sh test-all"),
}


@cache
def _is_met(name: str) -> bool:
    return NEEDS[name].is_met()


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> Counter[str]:
    """Take the tests away that lack something; return how many lack what."""
    counts: Counter[str] = Counter()
    if os.environ.get("CI"):
        return counts
    kept: list[pytest.Item] = []
    gone: list[pytest.Item] = []
    for item in items:
        names = [name for mark in item.iter_markers("needs") for name in mark.args]
        missing = [name for name in names if not _is_met(name)]
        (gone if missing else kept).append(item)
        counts.update(missing[:1])
    if gone:
        items[:] = kept
        config.hook.pytest_deselected(items=gone)
    return counts


def told(counts: Counter[str]) -> list[str]:
    """Return a line for each thing that was missing."""
    return [
        f"left out: {count} test{'s' * (count > 1)} that need{'s' * (count == 1)} {name}"
        f" ({NEEDS[name].remedy})"
        for name, count in sorted(counts.items())
    ]
