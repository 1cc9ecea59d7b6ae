"""TLS certificates for a test web: an authority of its own, and faulty certificates.

Good certificates are issued for a hundred host names at a time, when the first of them is
needed, so that a web of thousands of hosts starts at once. Faulty ones are made one by
one, each wrong in a single way, so that a client that refuses it has refused just that.

Needs trustme, which the `dev` extra brings along; nothing else of Lycosa does.
"""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa.errors import ConfigError
from lycosa_testweb.servers.raw import Certificate

if TYPE_CHECKING:
    import trustme

_NAMES_PER_CERTIFICATE = 100
_ELSEWHERE = "elsewhere.invalid"


def _trustme_authority() -> trustme.CA:
    try:
        import trustme
    except ImportError as error:
        raise ConfigError(
            "the test web needs trustme to speak https\n"
            "  install it: pip install '.[testweb]', or serve http alone: --no-tls"
        ) from error
    return trustme.CA(organization_name="Lycosa test web")


class Authority:
    """The certificate authority that the crawler trusts while it crawls the test web."""

    def __init__(self, hosts: Sequence[str], kind: Callable[[str], Certificate]) -> None:
        self._trusted = _trustme_authority()
        self._kind = kind
        good = [host for host in hosts if kind(host) is Certificate.GOOD]
        self._groups = [
            good[start : start + _NAMES_PER_CERTIFICATE]
            for start in range(0, len(good), _NAMES_PER_CERTIFICATE)
        ] or [[_ELSEWHERE]]
        self._group_of = {host: n for n, group in enumerate(self._groups) for host in group}
        self._names = frozenset(hosts)
        self._contexts: dict[int | str, ssl.SSLContext] = {}

    def write(self, file: Path) -> None:
        """Write the certificate that the crawler is to trust."""
        self._trusted.cert_pem.write_to_path(str(file))

    def server_context(self) -> ssl.SSLContext:
        """Return a context that shows every host's own certificate, by the name asked for."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._issue(*self._groups[0]).configure_cert(context)
        context.sni_callback = self._choose
        return context

    def _choose(
        self, connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext
    ) -> int | None:
        if name in self._names:
            connection.context = self._context(name)
        return None

    def _context(self, host: str) -> ssl.SSLContext:
        key = self._group_of.get(host, host)
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._furnish(context, host)
        return context

    def _furnish(self, context: ssl.SSLContext, host: str) -> None:
        kind = self._kind(host)
        now = datetime.datetime.now(datetime.UTC)
        if kind is Certificate.GOOD:
            self._issue(*self._groups[self._group_of[host]]).configure_cert(context)
        elif kind is Certificate.EXPIRED:
            day = datetime.timedelta(days=1)
            leaf = self._trusted.issue_cert(host, not_before=now - 9 * day, not_after=now - day)
            leaf.configure_cert(context)
        elif kind is Certificate.WRONG_HOST:
            self._issue(_ELSEWHERE).configure_cert(context)
        elif kind is Certificate.UNKNOWN_ISSUER:
            _trustme_authority().issue_cert(host).configure_cert(context)
        else:
            _load(context, _self_signed(host, now))

    def _issue(self, *names: str) -> trustme.LeafCert:
        return self._trusted.issue_cert(*names)


def _load(context: ssl.SSLContext, pem: bytes) -> None:
    """Hand a certificate over by a file: the ssl module takes no other way."""
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)


def _self_signed(host: str, now: datetime.datetime) -> bytes:
    """Return key and certificate of a host that vouches for itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)
