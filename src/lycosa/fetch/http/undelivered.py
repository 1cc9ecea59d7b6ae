"""A request that was given up must not reach its server later.

The kernel sends again what was not acknowledged, for up to a quarter of an hour, also after the
socket was closed and after the process has died. If the network was cut meanwhile, such a request
arrives when the cut is over: without its pause, and perhaps after another machine has asked.

    forget            at closing: the kernel drops what it has not delivered, and resets
    limit_delivery    at opening: it gives up after some seconds, whatever becomes of the process

Ten seconds are less than others wait before they take over from a silent machine
(`lycosa.runtime.membership`).
"""

from __future__ import annotations

import socket
import struct

DELIVERY_SECONDS = 10.0
"""How long the kernel tries to deliver a request."""

_AT_ONCE = struct.pack("ii", 1, 0)


def limit_delivery(connection: socket.socket, seconds: float = DELIVERY_SECONDS) -> None:
    """Let the kernel give up what was not acknowledged for so long (RFC 5482)."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def forget(connection: socket.socket) -> None:
    """Let the next close drop what was not delivered, and reset the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
