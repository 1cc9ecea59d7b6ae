"""A private certificate authority, and certificates for servers, made by the program `openssl`.

Always true:
  * private keys are readable by their owner alone (mode 600), from the moment they exist;
  * the key of the authority is gone when the block ends, so it can sign nothing more.

`openssl` is on nearly every Linux, because ca-certificates needs it; a Python package for
certificates would be installed on every machine for a single command (decision 51).
"""

from __future__ import annotations

import ipaddress
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lycosa.errors import ConfigError, LycosaError

_SECONDS = 60.0
_CONFIGURATION = """\
[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
# clientAuth: servers of NATS know each other by the same certificate.
extendedKeyUsage = serverAuth, clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
subjectAltName = {alternatives}
"""


class Authority:
    """Signs certificates while its block runs."""

    def __init__(self, folder: Path, days: int) -> None:
        """Make the authority's key and certificate in an empty private folder."""
        self._folder = folder
        self._days = str(days)
        self.certificate = folder / "ca.pem"
        self._key = folder / "ca.key"
        make_key(self._key)
        settings = self._settings("Lycosa cluster", ["cluster"])
        _openssl(
            *("req", "-x509", "-new", "-sha256", "-config", settings, "-extensions", "authority"),
            *("-key", self._key, "-out", self.certificate, "-days", self._days),
        )

    def sign(self, names: Sequence[str], certificate: Path, key: Path) -> None:
        """Make a key and a certificate for a server with these names and addresses."""
        make_key(key)
        settings, request = self._settings(names[0], names), self._folder / "request"
        _openssl("req", "-new", "-config", settings, "-key", key, "-out", request)
        _openssl(
            *("x509", "-req", "-sha256", "-in", request, "-out", certificate),
            *("-CA", self.certificate, "-CAkey", self._key, "-days", self._days),
            *("-set_serial", f"0x{secrets.token_hex(16)}"),
            *("-extfile", settings, "-extensions", "server"),
        )

    def _settings(self, name: str, names: Sequence[str]) -> Path:
        alternatives = ", ".join(
            f"{'IP' if is_address(one) else 'DNS'}:{one.strip('[]')}" for one in names
        )
        path = self._folder / "openssl.cnf"
        text = _CONFIGURATION.format(name=name.strip("[]")[:64], alternatives=alternatives)
        path.write_text(text, encoding="ascii")
        return path


@contextmanager
def private_authority(days: int) -> Iterator[Authority]:
    """Make an authority; its private key is removed when the block ends."""
    if shutil.which("openssl") is None:
        raise ConfigError(
            "the program `openssl`, which makes certificates, is not installed\n"
            "  install it: sudo apt-get install openssl"
        )
    with tempfile.TemporaryDirectory(prefix="lycosa-authority-") as folder:
        yield Authority(Path(folder), days)


def make_key(path: Path) -> None:
    """Make a private key on the curve P-256."""
    _openssl(*("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path))


def is_address(host: str) -> bool:
    """Return whether a host is named by its IP address, with or without brackets."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _openssl(*words: str | Path) -> None:
    done = subprocess.run(
        ["openssl", *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        umask=0o077,
        check=False,
    )
    if done.returncode:
        raise LycosaError(f"openssl {words[0]} failed:\n  {done.stderr.strip()}")
