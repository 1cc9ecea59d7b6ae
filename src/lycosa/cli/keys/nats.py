"""Users of NATS servers, their rights, and the configuration of each server.

A user is a pair of keys (an nkey): the servers know the public half, the seed stays with its
owner and is never sent. There are three kinds:

    operator  begins, moves and removes crawls: all of JetStream, within the account of the crawls
    member    joins crawls: reads and writes the streams of crawls; makes, changes and deletes none
    system    asks the servers whether they sync every write, and nothing else

Servers talk to each other by TLS with certificates on both sides, and to clients by TLS. Nothing
in a configuration is a secret.

Not promised: a member can write anything into a crawl's log, and purge it; JetStream has no finer
rights. A log is not an operator: its settings about programs and files are not trusted.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import NamedTuple

from lycosa.errors import ConfigError

CLIENT_PORT, ROUTE_PORT, MONITORING_PORT = 4222, 6222, 8222
STORE = "/var/lib/nats"

_OPERATOR = ("lycosa.>", "$KV.*.>", "$JS.API.>")
_MEMBER = (
    "lycosa.>",
    "$KV.*.>",
    "$JS.API.INFO",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.MSG.GET.*",
    "$JS.API.STREAM.PURGE.*",
    "$JS.API.DIRECT.GET.>",
    "$JS.API.CONSUMER.>",
)
_SYSTEM = ("$SYS.REQ.SERVER.PING.VARZ",)


class User(NamedTuple):
    """A pair of keys."""

    name: str
    public: str
    seed: str

    def __repr__(self) -> str:
        """Return a text without the seed, so that no message shows it."""
        return f"User({self.name})"


class Users(NamedTuple):
    """The users that the servers let in."""

    operator: User
    members: tuple[User, ...]
    system: User


class Server(NamedTuple):
    """A NATS server: the name by which others find it, and the address on which it listens."""

    host: str
    listen: str
    monitoring: str = "127.0.0.1"
    store: str = STORE


def make_users(members: int) -> Users:
    """Generate keys for an operator, for members, and for monitoring the servers."""
    drawn = tuple(_user(f"member-{number + 1}") for number in range(members))
    return Users(_user("operator"), drawn, _user("system"))


def _user(name: str) -> User:
    try:
        import nkeys  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigError(
            "the package `nkeys`, which makes keys for NATS, is not installed\n"
            "  install it: pip install '.[cluster]'"
        ) from None
    seed = nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER)
    public: bytes = nkeys.from_seed(bytearray(seed)).public_key
    return User(name, public.decode(), seed.decode())


def configuration(server: Server, servers: list[Server], users: Users) -> str:
    """Return the configuration of one server of a cluster; its files lie where it is started."""
    routes = ", ".join(f'"nats://{one.host}:{ROUTE_PORT}"' for one in servers)
    members = "\n".join(f"      {_entry(member, _MEMBER)}" for member in users.members)
    return f"""\
# Start it in this folder: nats-server -c nats.conf
server_name: "{server.host}"
listen: "{server.listen}:{CLIENT_PORT}"
http: "{server.monitoring}:{MONITORING_PORT}"
tls {{ cert_file: "server.pem", key_file: "server.key", ca_file: "ca.pem" }}
# A write is on the disk before it is acknowledged, so a power failure loses nothing.
jetstream {{ store_dir: "{server.store}", sync_interval: always }}
cluster {{
  name: crawls
  listen: "{server.listen}:{ROUTE_PORT}"
  # Clients know all servers; a certificate has the names of its own server alone.
  no_advertise: true
  # Servers let each other in by certificates of the same authority.
  tls {{ cert_file: "server.pem", key_file: "server.key", ca_file: "ca.pem", verify: true }}
  routes: [{routes}]
}}
accounts {{
  CRAWLS {{
    jetstream: enabled
    users: [
      {_entry(users.operator, _OPERATOR)}
{members}
    ]
  }}
  SYS {{
    users: [
      {_entry(users.system, _SYSTEM)}
    ]
  }}
}}
system_account: SYS
"""


def _entry(user: User, subjects: tuple[str, ...]) -> str:
    allowed = ", ".join(f'"{subject}"' for subject in subjects)
    return (
        f"{{ nkey: {user.public}, permissions: {{"
        f' publish: {{ allow: [{allowed}] }}, subscribe: {{ allow: ["_INBOX.>"] }} }} }}'
        f" # {user.name}"
    )


def log_address(hosts: list[str], keys: str | Path, *, system: bool = False) -> str:
    """Return the address of the log, for a machine that has its keys in this folder."""
    more = f"&system={keys}/system.nk" if system else ""
    return f"tls://{','.join(hosts)}?ca={keys}/ca.pem&nkey={keys}/nats.nk{more}"
