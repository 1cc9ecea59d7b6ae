"""Machines as network namespaces: each has one address, and a cable to a bridge in ours.

    net = Network()
    net.add("m1", "10.77.2.1")
    subprocess.run([*net.inside("m1"), "python", ...])
    net.cut("m1", to_it=True); net.heal("m1")

Call it in a network and mount namespace of one's own: the names of namespaces are files, which
other runs on this machine must not see.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

NAMES = Path("/run/netns")
MASK = 16
OWN_ADDRESS = "10.77.0.1"
FIRST_OF_WEB = "10.77.4.1"
"""The web listens in our own namespace, on this address and those after it."""
_TOOLS = {"ip": "iproute2", "iptables": "iptables", "nsenter": "util-linux"}


class NotPossible(Exception):
    """This machine cannot run the soak; says what is missing."""


def check_machine() -> None:
    """Refuse a machine on which no namespaces can be made."""
    if os.geteuid() != 0:
        raise NotPossible("network namespaces, mounts and iptables need root: run it with sudo")
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            raise NotPossible(f"{tool} is missing: apt-get install {package}")


class Network:
    """A bridge, and the namespaces that hang on it."""

    def __init__(self) -> None:
        check_machine()
        NAMES.mkdir(exist_ok=True)
        _run("mount", "-t", "tmpfs", "names", str(NAMES))
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", "bridge", "type", "bridge")
        _run("ip", "address", "add", f"{OWN_ADDRESS}/{MASK}", "dev", "bridge")
        _run("ip", "link", "set", "bridge", "up")

    def listen_on(self, address: str) -> None:
        """Make an address one of our own."""
        _run("ip", "address", "add", f"{address}/32", "dev", "lo")

    def add(self, name: str, address: str) -> None:
        """Make a namespace with an address and a cable."""
        _run("ip", "netns", "add", name)
        _run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
        _run("ip", "link", "set", name, "master", "bridge", "up")
        _run("ip", "-n", name, "address", "add", f"{address}/{MASK}", "dev", "eth0")
        _run("ip", "-n", name, "link", "set", "eth0", "up")
        _run("ip", "-n", name, "link", "set", "lo", "up")

    def inside(self, name: str) -> list[str]:
        """Return the words that run a command in a namespace, in the same process."""
        return ["nsenter", f"--net={NAMES / name}", "--"]

    def unplug(self, name: str) -> None:
        """Pull the cable."""
        _run("ip", "link", "set", name, "down")

    def plug(self, name: str) -> None:
        """Plug the cable in again."""
        _run("ip", "link", "set", name, "up")

    def block(self, name: str, chain: str) -> None:
        """Drop what comes to a machine (INPUT), or what it sends (OUTPUT), without a word."""
        way = "-i" if chain == "INPUT" else "-o"
        _run(*self.inside(name), "iptables", "-A", chain, way, "eth0", "-j", "DROP")

    def unblock(self, name: str) -> None:
        """Let everything through again."""
        _run(*self.inside(name), "iptables", "-F")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPossible(f"{' '.join(command)}: {done.stderr.strip()}")
