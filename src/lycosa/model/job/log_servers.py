"""Checks the address of a server that keeps a log, without connecting to it.

An address is written to `crawl.toml`, to messages and to the list of processes. So it must not hold
a secret; each kind of server takes its own from files and variables.

A job file may come from a stranger, and libpq hands some of its parameters to loaders of code
(`sslkey=ENGINE:KEY`), or reads further settings from a file (`service`). So an address may use only
the parameters and options that are listed here; libpq and the NATS client never see another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

POSTGRES = ("postgresql", "postgres")
NATS = ("nats", "tls")

POSTGRES_FILES = ("sslcert", "sslkey", "sslrootcert")
POSTGRES_PARAMETERS = (
    *("host", "hostaddr", "port", "dbname", "user", "sslmode", *POSTGRES_FILES),
    *("target_session_attrs", "application_name", "connect_timeout", "keepalives"),
    *("keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"),
    *("channel_binding", "require_auth"),
)
NATS_OPTIONS = ("creds", "nkey", "ca", "cert", "key", "monitoring", "system")

_MONITORING = r"\d+|https?://[^,]+(,https?://[^,]+)*"
"""A port or web addresses; the client would open `file://` and `ftp://`, too."""
_SECRETS = ("password", "sslpassword", "token", "user_password")
_ELSEWHERE = {
    "postgresql": "~/.pgpass (mode 600), the file that PGPASSFILE names, or PGPASSWORD",
    "nats": "LYCOSA_NATS_PASSWORD or LYCOSA_NATS_TOKEN, or name a credentials file: ?creds=FILE",
}


def usual_partitions(address: str) -> int:
    """Return the number of partitions of a new crawl in a server.

    That is enough for a hundred machines. JetStream takes a thousand messages in one write, which
    may have links for every partition.
    """
    return 960 if address.partition("://")[0] in NATS else 1024


def server_problem(address: str) -> str:
    """Return the fault of an address, without its secrets; "" if it has none."""
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in POSTGRES + NATS:
        shown = f"{scheme}://" if mark else "that"
        return (
            f"{shown} is not the address of a log server\n"
            "  write postgresql://HOST/DATABASE or nats://HOST1,HOST2,HOST3, or leave it empty"
        )
    place, _, query = rest.partition("?")
    user, _, hosts = place.rpartition("@")
    named = list(_pairs(query))
    if ":" in user or any(name in _SECRETS for name, _ in named):
        kind = "postgresql" if scheme in POSTGRES else "nats"
        return (
            f"the address of {scheme}://{hosts} has a password or token in it,"
            f" which others could read\n  leave it out, and use {_ELSEWHERE[kind]}"
        )
    if scheme in POSTGRES:
        # libpq reads the JDBC spelling `ssl=true` as `sslmode=require`.
        found = parameter_problem(pair for pair in named if pair != ("ssl", "true"))
    else:
        found = option_problem(named)
    return f"the address of {scheme}://{hosts} {found}" if found else ""


def parameter_problem(named: Iterable[tuple[str, str]]) -> str:
    """Return the fault of parameters of libpq; "" if they have none."""
    for name, value in named:
        if name not in POSTGRES_PARAMETERS:
            return (
                f"has the parameter `{name}`, which is not allowed for a log\n"
                f"  leave it out; allowed are {', '.join(POSTGRES_PARAMETERS)}"
            )
        if name in POSTGRES_FILES and ":" in value:
            # libpq takes the text before the colon for an engine of OpenSSL, and loads it as code.
            return (
                f"has a `:` in `{name}`, by which libpq would load an engine\n"
                "  name a file whose path has no `:`"
            )
        if name == "dbname" and ("=" in value or "://" in value):
            # Some functions of libpq read further parameters from such a name.
            return (
                "has further parameters in the name of its database\n"
                "  write them behind a `?`: postgresql://HOST/DATABASE?sslmode=verify-full"
            )
    return ""


def option_problem(named: Iterable[tuple[str, str]]) -> str:
    """Return the fault of the options of a NATS address; "" if they have none."""
    for name, value in named:
        if name not in NATS_OPTIONS:
            return f"has no option `{name}`; allowed are {', '.join(NATS_OPTIONS)}"
        if name == "monitoring" and not re.fullmatch(_MONITORING, value):
            return (
                "has a value for `monitoring` that is not a port or web address\n"
                "  write monitoring=8222, or monitoring=http://HOST1:8222,http://HOST2:8222"
            )
    return ""


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    """Yield names and values as libpq reads them: split first, decoded afterwards."""
    from urllib.parse import unquote  # imported here: a crawl in a folder does not need it

    for pair in filter(None, re.split(r"[&\s]", query)):
        name, _, value = pair.partition("=")
        yield unquote(name), unquote(value)
