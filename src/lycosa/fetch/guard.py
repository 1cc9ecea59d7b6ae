"""Judges IP addresses: private networks and metadata services are not asked.

A page can link to any host, and the owner of a name chooses its address. So before anything
is sent the address itself is judged: first the one that was resolved, then, when the
connection stands, the one at its other end.

Addresses of local networks (private, loopback, link-local, shared, unique
local) and those reserved for tests and documentation are refused unless the job allows
private addresses, all of them or those of the networks that it names. Addresses that cannot be a
web server (unspecified, multicast, broadcast, reserved) are always refused, and so are the
metadata services of clouds, which hand out credentials, whatever the job allows or names. An IPv6
address that carries an IPv4 address (RFC 4291 2.5.5, 3056, 4380, 6052) is at most as good as the
address it carries.

The networks are listed here: those that Python's `ipaddress` calls private differ from one version
to the next, and a crawl must not reach further with one interpreter than with another.

Through a proxy a host is judged by its name: names of the proxy's own machine and of local networks
are refused like private addresses, names of metadata services always. The address that the proxy
finds for any other name is not known here, and no promise is made about it.

A job may instead name servers of this machine (`loopback_origins`). Then these pairs of host and
port are all that is asked: every other port of this machine is refused, and every address that is
not loopback, whether a link, a redirect, a robots file or a name leads there.

Not here: odd spellings of addresses (`0x7f.1`), which URL parsing has normalised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

_METADATA_4 = {
    "Amazon, Azure, Google, OpenStack and most others; GKE": ("169.254.169.0/24",),
    "Amazon ECS and EKS": ("169.254.170.0/24",),
    "Azure, the host's own server": ("168.63.129.16/32",),
    "Alibaba": ("100.100.100.200/32",),
    "Oracle": ("192.0.0.192/32",),
    "Scaleway": ("169.254.42.42/32",),
    "Tencent": ("169.254.0.23/32", "169.254.10.10/32"),
}
_METADATA_6 = {
    "Amazon, EC2 and EKS": ("fd00:ec2::/32",),
    "Google": ("fd20:ce::254/128",),
    "OpenStack, Hetzner": ("fe80::a9fe:a9fe/128",),
    "Oracle": ("fd00:c1::a9fe:a9fe/128",),
    "Akamai (Linode)": ("fd00:a9fe:a9fe::1/128",),
    "Alibaba": ("fd00:100::100:200/128",),
    "Scaleway": ("fd00:42::42/128",),
}
"""Metadata services, which answer with the credentials of the machine that asks."""

_NEVER_4 = {
    "unspecified": ("0.0.0.0/8",),
    "multicast": ("224.0.0.0/4",),
    "reserved": ("240.0.0.0/4",),
}
_OWN_4 = {
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "loopback": ("127.0.0.0/8",),
    "link-local": ("169.254.0.0/16",),
    "shared (RFC 6598)": ("100.64.0.0/10",),
    "special purpose (RFC 6890)": ("192.0.0.0/24", "192.88.99.0/24"),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
    "benchmarking": ("198.18.0.0/15",),
}
_NEVER_6 = {"unspecified": ("::/128",), "multicast": ("ff00::/8",)}
_OWN_6 = {
    "loopback": ("::1/128",),
    "link-local": ("fe80::/10",),
    "site-local": ("fec0::/10",),
    "unique local": ("fc00::/7",),
    "local translation (RFC 8215)": ("64:ff9b:1::/48",),
    "documentation": ("2001:db8::/32", "3fff::/20"),
    "6to4, which was given up (RFC 7526)": ("2002::/16",),
    "special purpose (RFC 6890)": ("2001::/23", "100::/64"),
}
_GLOBAL_6 = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_LOCALLY_TRANSLATED = IPv6Network("64:ff9b:1::/48")
_COMPATIBLE = IPv6Network("::/96")

_METADATA_NAMES = frozenset(
    {
        "instance-data",
        "instance-data.ec2.internal",
        "kubernetes.default.svc",
        "metadata",
        "metadata.azure.internal",
        "metadata.google.internal",
        "metadata.internal",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
    }
)
_OWN_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_OWN_DOMAINS = (".localhost", ".internal", ".local", ".localdomain", ".home.arpa")
"""Names that mean a local network wherever they are looked up (RFC 6761, 6762, 8375; ICANN)."""

_Networks4 = tuple[tuple[IPv4Network, str], ...]
_Networks6 = tuple[tuple[IPv6Network, str], ...]


def _networks_4(kinds: Mapping[str, tuple[str, ...]]) -> _Networks4:
    return tuple((IPv4Network(net), kind) for kind, nets in kinds.items() for net in nets)


def _networks_6(kinds: Mapping[str, tuple[str, ...]]) -> _Networks6:
    return tuple((IPv6Network(net), kind) for kind, nets in kinds.items() for net in nets)


_METADATA = (_networks_4(_METADATA_4), _networks_6(_METADATA_6))
_NEVER = (_networks_4(_NEVER_4), _networks_6(_NEVER_6))
_OWN = (_networks_4(_OWN_4), _networks_6(_OWN_6))


class AddressGuard:
    """Judges addresses for one job."""

    def __init__(
        self,
        allow_private: bool,
        private_networks: Iterable[str] = (),
        loopback_origins: Iterable[str] = (),
    ) -> None:
        self._allow_private = allow_private
        self._allowed = tuple(map(ip_network, private_networks))
        self.origins = frozenset(loopback_origins)
        """The only servers that may be asked, as `host:port`; empty when any may be."""
        self._hosts = frozenset(origin.rpartition(":")[0] for origin in self.origins)
        self.refusal = lru_cache(maxsize=65_536)(self._refusal)
        """Return why an address must not be asked; None if it may."""

    def refusal_by_name(self, host: str) -> str | None:
        """Return why a host must not be asked through a proxy, which looks names up itself."""
        refusal = self.refusal(host)
        if refusal != "not an address":
            return refusal
        name = host.lower().rstrip(".")
        if name in _METADATA_NAMES:
            return "metadata service"
        # A network that the job allows is not enough: only the proxy knows the address of the name.
        is_own = name in _OWN_NAMES or name.endswith(_OWN_DOMAINS)
        return "local name" if is_own and not self._allow_private else None

    def opens(self, host: str, port: int) -> bool:
        """Return whether a server may be asked at all, whatever its address is."""
        return not self.origins or f"{host}:{port}" in self.origins

    def opens_host(self, host: str) -> bool:
        """Return whether some port of a host may be asked, so that its name may be looked up."""
        return not self.origins or host in self._hosts

    def _refusal(self, address: str) -> str | None:
        try:
            parsed = ip_address(address.strip("[]").partition("%")[0])
        except ValueError:
            return "not an address"
        if self.origins:
            return None if _is_loopback(parsed) else "not on this machine"
        for one in _meant(parsed):
            kind = self._judge(one)
            if kind is not None:
                return kind if one == parsed else f"{kind}, as {one}"
        return None

    def _judge(self, address: IPv4Address | IPv6Address) -> str | None:
        if any(_kind(one, _METADATA) is not None for one in (address, *_perhaps_meant(address))):
            return "metadata service"
        kind = _kind(address, _NEVER)
        if kind is not None:
            return kind
        own = _kind(address, _OWN)
        if own is not None:
            return None if self._allow_private or self._is_allowed(address) else own
        if isinstance(address, IPv6Address) and address not in _GLOBAL_6:
            return "reserved"
        return None

    def _is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._allowed)


def is_loopback_host(host: str) -> bool:
    """Return whether a host of a canonical URL is `localhost` or a loopback address.

    Other names are not, even if they have a loopback address now: a name can change it.
    """
    if host == "localhost":
        return True
    try:
        return _is_loopback(ip_address(host.strip("[]")))
    except ValueError:
        return False


def _is_loopback(address: IPv4Address | IPv6Address) -> bool:
    """Return whether packets to the address cannot leave this machine."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return _kind(address, _OWN) == "loopback"


def _kind(
    address: IPv4Address | IPv6Address, networks: tuple[_Networks4, _Networks6]
) -> str | None:
    if isinstance(address, IPv4Address):
        return next((kind for net, kind in networks[0] if address in net), None)
    return next((kind for net, kind in networks[1] if address in net), None)


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """Return the addresses that packets to this one may reach."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _TRANSLATED:
        return [low]
    if address in _COMPATIBLE and int(address) > 1:
        return [low, address]
    if address.sixtofour is not None:
        return [address.sixtofour, address]
    if address.teredo is not None:
        return [*address.teredo, address]
    return [address]


def _perhaps_meant(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Return the addresses that packets reach if the network has a translator of its own.

    How many bits its prefix has is the network's choice (RFC 6052 2.2), so all readings count;
    and so does a tunnel's (ISATAP, RFC 5214 6.1). Only metadata services are judged by them: each
    is a single address, at which a wrong reading does not arrive by chance.
    """
    if isinstance(address, IPv4Address):
        return []
    number = int(address)
    if address in _LOCALLY_TRANSLATED:
        readings = (
            (number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF,  # a prefix of 48 bits
            (number >> 64 & 0xFF) << 24 | number >> 32 & 0xFFFFFF,  # 56
            number >> 24 & 0xFFFFFFFF,  # 64
            number & 0xFFFFFFFF,  # 96
        )
        return [IPv4Address(reading) for reading in readings]
    if number >> 32 & 0xFDFFFFFF == 0x5EFE:
        return [IPv4Address(number & 0xFFFFFFFF)]
    return []
