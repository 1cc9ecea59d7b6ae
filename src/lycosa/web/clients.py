"""Tells clients on this machine from others, and limits the URLs that the others may name.

A client on another machine that has the token may steer crawls, but must not reach services that
only this machine reaches: those on its loopback addresses. So it cannot name seeds there, and it
cannot add seeds or rules that accept URLs to a crawl whose job may ask loopback addresses, because
a name of its own may resolve to one. A crawl that it makes gets no server of this machine opened,
and the address guard refuses these addresses (`lycosa.fetch.guard`).

A client is on this machine if its connection comes from a loopback address, it asks by a loopback
name, and no header says that a proxy passed the request on. In doubt it counts as a client on
another machine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from lycosa.fetch.guard import is_loopback_host
from lycosa.model.job import Job
from lycosa.model.url import canonicalize
from lycosa.web.rest.problems import Refusal

FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
)
"""Headers that proxies add."""
_LOOPBACK = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))


def is_from_here(scope: Scope, headers: Headers, proxies: Collection[str]) -> bool:
    """Return whether a request certainly comes from a client on this machine."""
    address = (scope.get("client") or ("",))[0]
    name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if not is_loopback_host(address) or not is_loopback_host(name):
        return False
    if any(header in headers for header in FORWARDED):
        return False
    return not any(ip_address(address) in ip_network(proxy) for proxy in proxies)


def refuse_loopback_seeds(seeds: Iterable[str]) -> None:
    """Refuse seeds on this machine that a client from elsewhere names."""
    for seed in seeds:
        host = urlsplit(canonicalize(seed.strip()) or "").hostname or ""
        if is_loopback_host(host):
            raise Refusal(
                403,
                f"{seed}: is on the machine that crawls, and the request comes from another one\n"
                "  name it there: lycosa crawl, lycosa add",
            )


def refuse_widening(job: Job) -> None:
    """Refuse more URLs for a crawl that may ask services of this machine.

    Servers that the job names one by one (`loopback_origins`) are all that such a crawl asks, so
    more URLs lead nowhere else.
    """
    networks = map(ip_network, job.fetch.private_networks)
    if job.fetch.allow_private or any(_overlaps_loopback(network) for network in networks):
        raise Refusal(
            403,
            "the crawl may ask services of the machine that crawls ([fetch] allow_private or"
            " private_networks), and the request comes from another one\n"
            "  do it there: lycosa add; or open only the networks that the crawl needs:"
            " --allow-network",
        )


def _overlaps_loopback(network: IPv4Network | IPv6Network) -> bool:
    return any(network.version == own.version and network.overlaps(own) for own in _LOOPBACK)
