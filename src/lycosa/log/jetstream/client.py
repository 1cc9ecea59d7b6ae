"""The client of NATS, which never sends in the clear if TLS is required.

A NATS server greets in the clear and announces there whether it wants TLS. The library trusts that
greeting: if a machine in between removed `tls_required` from it, the library would send the
credentials in the clear. The connection is therefore checked before the first command, at every
attempt.
"""

from __future__ import annotations

import ssl
from typing import Any

from nats.aio.client import Client

from lycosa.log.open_servers import is_loopback, warn_if_open


class NoTls(ssl.SSLError):
    """The server, or a machine in between, does not offer the required TLS."""


class StrictClient(Client):
    """A client that sends nothing before TLS is established, if it was given a TLS context."""

    def _connect_command(self) -> bytes:
        if "tls" in self.options and self._extra("ssl_object") is None:
            raise NoTls("the server does not offer TLS, but the address requires it")
        if self._extra("ssl_object") is not None:
            # nats-py changes to TLS on a stream that asyncio treats as a plain one, and asyncio
            # then complains at its end.
            self._writer.transport.get_protocol()._over_ssl = True
        return super()._connect_command()

    def warn_if_open(self, server: str) -> None:
        """Warn if the server accepted us without credentials, or if the connection is not
        encrypted."""
        peer = self._extra("peername")
        if peer and is_loopback(peer[0]):
            return
        asks = self._server_info.get("auth_required") or self._server_info.get("tls_verify")
        warn_if_open(
            server,
            lacks_credentials=not asks,
            is_in_clear=self._extra("ssl_object") is None,
            remedy="lycosa cluster keys FOLDER --host HOST1 --host HOST2 --host HOST3",
        )

    @property
    def _writer(self) -> Any:
        return getattr(self._transport, "_io_writer", None)

    def _extra(self, name: str) -> Any:
        return self._writer.get_extra_info(name) if self._writer is not None else None
