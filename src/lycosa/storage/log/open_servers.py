"""Warns of a log server that every machine on its network can read or write.

A server on a loopback address or on a socket in a folder causes no warning: a cluster cannot use
it, and users of one machine are separated by other means. A warning is given once for each server
in a process, before the first read. It goes to the crawl's log file, and the command line shows it.

Cost: nothing on the path of a page; one query to a PostgreSQL that did not ask for a password.
"""

from __future__ import annotations

import ipaddress
import logging

logger = logging.getLogger("lycosa.warnings")

_warned: set[str] = set()


def is_loopback(address: str) -> bool:
    """Return whether an IP address belongs to this machine alone."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def warn_if_open(server: str, *, lacks_credentials: bool, is_in_clear: bool, remedy: str) -> None:
    """Warn of a server on another address than loopback; `remedy` is the command to type."""
    if not (lacks_credentials or is_in_clear) or server in _warned:
        return
    _warned.add(server)
    problems = []
    if lacks_credentials:
        problems.append("accepts everybody who can reach it, and they can change the crawl")
    if is_in_clear:
        problems.append("is not connected by TLS with a checked certificate")
    told = "; it ".join(problems)
    logger.warning("%s: %s\n  make keys and certificates: %s", server, told, remedy)
