"""The client of NATS, which never sends in the clear if TLS is required, and leaves no socket open.

A NATS server greets in the clear and announces there whether it wants TLS. The library trusts that
greeting: if a machine in between removed `tls_required` from it, the library would send the
credentials in the clear. The connection is therefore checked before the first command, at every
attempt.

The library leaves the socket open when an attempt to connect fails or is cancelled, and when its
own `close` comes upon one that is under way: a server that shuts down begins one.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Any

from nats.aio.client import Client, Srv
from nats.errors import Error as NatsError

from lycosa.storage.log.open_servers import is_loopback, warn_if_open

_CLOSING_SECONDS = 2.0


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

    async def end(self) -> None:
        """Close the connection, in whatever state the client is."""
        try:
            with suppress(NatsError, OSError, TimeoutError):
                # A server that is stopped, not dead, takes no bytes: `close` would wait for it.
                await asyncio.wait_for(self.close(), _CLOSING_SECONDS)
        finally:
            self._abort()

    async def _connect_to_server(self, s: Srv) -> None:
        try:
            await super()._connect_to_server(s)
        except BaseException:
            self._abort()
            raise

    async def _process_connect_init(self) -> None:
        try:
            await super()._process_connect_init()
        except BaseException:
            self._abort()
            raise

    def _abort(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()

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
