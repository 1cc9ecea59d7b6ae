"""Addresses of NATS servers, with TLS and credentials from files or the environment.

    nats://HOST1,HOST2,HOST3          ports default to 4222; tls:// requires TLS
    ?nkey=FILE                        the seed of an nkey (or the variable LYCOSA_NATS_NKEY)
    ?creds=FILE                       a credentials file (or the variable LYCOSA_NATS_CREDS)
    ?ca=FILE&cert=FILE&key=FILE       your own certificate authority (or the variable
    LYCOSA_NATS_CA),
                                      a certificate of the client
    ?monitoring=8222                  the port on which the servers report whether they sync
    ?system=FILE                      nkey or credentials of the system account, which reports the
    same
                                      (or LYCOSA_NATS_SYSTEM_USER and LYCOSA_NATS_SYSTEM_PASSWORD)
    nats://USER@HOST                  with LYCOSA_NATS_PASSWORD; a token is LYCOSA_NATS_TOKEN

A password or token in the address is refused: the list of processes would show it.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from lycosa.errors import ConfigError, LogError
from lycosa.model.job.log_servers import option_problem

_PORT = 4222
_SEED = b"SU"
"""Beginning of a user's nkey seed; a credentials file begins with a line of dashes."""


class Address(NamedTuple):
    """Servers, and the files with our credentials."""

    hosts: tuple[tuple[str, int], ...]
    is_tls: bool = False
    user: str = ""
    creds: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""
    monitoring: str = ""
    system: str = ""
    nkey: str = ""

    def __str__(self) -> str:
        """Return the address for messages, without secrets."""
        scheme = "tls" if self.is_tls else "nats"
        return f"{scheme}://" + ",".join(f"{host}:{port}" for host, port in self.hosts)

    @property
    def monitoring_urls(self) -> list[str]:
        """URLs of the servers' monitoring ports, if the address names a port."""
        if not self.monitoring:
            return []
        if self.monitoring.isdigit():
            hosts = dict.fromkeys(host for host, _ in self.hosts)
            return [f"http://{host}:{self.monitoring}" for host in hosts]
        return self.monitoring.split(",")

    def options(self) -> dict[str, Any]:
        """Return the options of the client's `connect`; secrets are read now, and not kept."""
        scheme = "tls" if self.is_tls else "nats"
        options: dict[str, Any] = {
            "servers": [f"{scheme}://{host}:{port}" for host, port in self.hosts]
        }
        own = self.creds or self.nkey or self.user
        # A credential that the address names wins over those of the environment.
        if nkey := self.nkey or ("" if own else os.environ.get("LYCOSA_NATS_NKEY", "")):
            options["nkeys_seed"] = _there(nkey, "nkey")
        elif creds := self.creds or ("" if own else os.environ.get("LYCOSA_NATS_CREDS", "")):
            options["user_credentials"] = _there(creds, "credentials file")
        elif self.user:
            options["user"] = self.user
            options["password"] = os.environ.get("LYCOSA_NATS_PASSWORD", "")
        elif token := os.environ.get("LYCOSA_NATS_TOKEN"):
            options["token"] = token
        if self.is_tls:
            options["tls"] = self._tls()
        return options

    def system_options(self) -> dict[str, Any] | None:
        """Return the options of a connection to the system account; None if none is named."""
        user = os.environ.get("LYCOSA_NATS_SYSTEM_USER", "")
        if not self.system and not user:
            return None
        if not self.system:
            options = self._replace(creds="", nkey="", user=user).options()
            return options | {"password": os.environ.get("LYCOSA_NATS_SYSTEM_PASSWORD", "")}
        is_nkey = Path(_there(self.system, "system key")).read_bytes().startswith(_SEED)
        nkey, creds = (self.system, "") if is_nkey else ("", self.system)
        return self._replace(creds=creds, nkey=nkey, user="").options()

    def _tls(self) -> ssl.SSLContext:
        ca = self.ca or os.environ.get("LYCOSA_NATS_CA", "")
        try:
            context = ssl.create_default_context(cafile=ca or None)
            if self.cert:
                context.load_cert_chain(self.cert, self.key or None)
        except OSError as problem:
            files = ", ".join(file for file in (ca, self.cert, self.key) if file)
            raise LogError(
                f"{self}: {files} cannot be used for TLS: {problem}\n"
                "  name PEM files: ?ca=FILE&cert=FILE&key=FILE"
            ) from None
        return context


def parse_address(url: str) -> Address:
    """Return what an address names."""
    scheme, _, rest = url.partition("://")
    place, _, query = rest.partition("?")
    user, _, hosts = place.rpartition("@")
    options = dict(parse_qsl(query))
    if ":" in user or options.keys() & {"password", "token", "user_password"}:
        raise ConfigError(
            f"{scheme}://{hosts}: has a password or token in it, which others could read in the"
            " list of processes\n  leave it out and set LYCOSA_NATS_PASSWORD or LYCOSA_NATS_TOKEN,"
            " or name a file: ?nkey=FILE or ?creds=FILE"
        )
    if problem := option_problem(options.items()):
        raise ConfigError(f"{scheme}://{hosts}: {problem}")
    if scheme not in ("nats", "tls") or not hosts:
        raise ConfigError(
            f"{scheme}://{hosts}: is not a NATS address\n"
            "  write it as nats://HOST1:4222,HOST2:4222,HOST3:4222"
        )
    named = [_host(one, url) for one in hosts.strip("/").split(",")]
    is_tls = scheme == "tls" or bool(options.keys() & {"ca", "cert", "key"})
    return Address(tuple(named), is_tls, user, **options)


def _there(file: str, what: str) -> str:
    try:
        with Path(file).open("rb"):
            return file
    except OSError as problem:
        # Not an error in the job: a copy of the crawl may be on a machine without the keys.
        raise LogError(
            f"{file}: the {what} cannot be read: {problem.strerror}\n"
            "  make keys for a cluster: lycosa cluster keys --help"
        ) from None


def _host(text: str, url: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or host.endswith(":") or text.endswith("]"):
        return text, _PORT
    if not port.isdigit():
        raise ConfigError(f"{text}: the port is not a number\n  write HOST:4222")
    return host, int(port)
