"""The certificate authorities that TLS trusts: the system's, and those that the job adds.

libcurl parses a file of certificates once and shares it between connections, but only
if there is exactly one file. So the system's and the job's certificates are joined in a
file in memory, which disappears with the process, however it ends.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from lycosa.errors import ConfigError

_USUAL_PLACES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class Trust:
    """A file of certificates at `path`; `close` ends it if it was made for the purpose."""

    def __init__(self, ca_file: str) -> None:
        self._made = -1
        if ca_file:
            certificates = _joined(_system_file(), Path(ca_file))
            self._made = os.memfd_create("lycosa-authorities")
            Path(self.path).write_bytes(certificates)

    @cached_property
    def path(self) -> str:
        """The file; "" to leave it to libcurl."""
        return f"/proc/self/fd/{self._made}" if self._made >= 0 else _system_file()

    def close(self) -> None:
        """Give the file in memory back."""
        if self._made >= 0:
            os.close(self._made)
            self._made = -1


def _system_file() -> str:
    """Return the system's file of certificates, or "" to leave it to libcurl."""
    import ssl  # takes 8 ms, which plain HTTP need not wait for

    places = (
        os.environ.get("SSL_CERT_FILE"),
        ssl.get_default_verify_paths().cafile,
        *_USUAL_PLACES,
    )
    return next((place for place in places if place and Path(place).is_file()), "")


def _joined(system: str, extra: Path) -> bytes:
    try:
        added = extra.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the certificates in {extra} cannot be read: {error}\n"
            "  check the path in [fetch] ca_file"
        ) from None
    if b"-----BEGIN CERTIFICATE-----" not in added:
        raise ConfigError(
            f"{extra} holds no certificate in PEM form\n  check the path in [fetch] ca_file"
        )
    known = Path(system).read_bytes() if system else b""
    return known + b"\n" + added
