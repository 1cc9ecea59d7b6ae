"""Checks how a PostgreSQL authenticated us: by password, certificate, Kerberos, or not at all."""

from __future__ import annotations

from typing import Any

import psycopg

from lycosa.storage.log.open_servers import is_loopback, warn_if_open

_CHECKED = ("verify-full", "verify-ca")
_CERTIFICATE = b"SELECT client_dn IS NOT NULL FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


def warn_if_open_to_all(connection: psycopg.Connection[Any], server: str) -> None:
    """Warn of a server elsewhere that asks for no credentials, or is not checked by TLS."""
    own = connection.pgconn
    address = own.hostaddr.decode()
    if own.host.startswith(b"/") or is_loopback(address):
        return
    mode = connection.info.get_parameters().get("sslmode", "")
    warn_if_open(
        server,
        lacks_credentials=not own.used_password and not _is_known(connection),
        is_in_clear=not own.ssl_in_use or mode not in _CHECKED,
        remedy=f"lycosa cluster keys FOLDER --postgres {own.host.decode()}",
    )


def _is_known(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the server identifies us by a Kerberos ticket or by our certificate."""
    if connection.pgconn.used_gssapi:
        return True
    found = connection.execute(_CERTIFICATE).fetchone()
    return bool(found and found[0])
