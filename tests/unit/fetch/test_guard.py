from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.guard import AddressGuard, is_loopback_host

OUTSIDE = AddressGuard(allow_private=False)
INSIDE = AddressGuard(allow_private=True)

PUBLIC = ["8.8.8.8", "93.184.215.14", "172.32.0.1", "100.128.0.1", "198.20.0.1", "2606:4700::1"]


def _words(text: str) -> list[str]:
    return text.split()


OWN = _words("""
10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 127.0.0.1 127.255.255.255 169.254.1.1
100.64.0.1 100.127.255.255 192.0.0.8 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 198.19.255.255
::1 fe80::1 fec0::1 fc00::1 fd12:3456::1 2001:db8::1 3fff::1 2001:2::1 64:ff9b:1::1
""")

NEVER = _words("""
0.0.0.0 0.1.2.3 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ff02::1
169.254.169.254 fd00:ec2::254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe
4000::1 5f00::1 ::ffff:0.0.0.0
""")


METADATA = _words("""
169.254.169.254 169.254.169.253 169.254.169.252 169.254.170.2 169.254.170.23 168.63.129.16
100.100.100.200 192.0.0.192 169.254.42.42 169.254.0.23 169.254.10.10
fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fe80::a9fe:a9fe fd00:c1::a9fe:a9fe fd00:a9fe:a9fe::1
fd00:100::100:200 fd00:42::42
""")


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_refused_whatever_is_allowed_or_named(address: str) -> None:
    networks = [address, "169.254.0.0/16", "168.63.0.0/16", "fd00::/8", "0.0.0.0/0", "::/0"]
    guards = (OUTSIDE, INSIDE, AddressGuard(False, networks), AddressGuard(True, networks))
    for guard in guards:
        assert guard.refusal(address) == "metadata service"
        for carrier in translations(address) if "." in address else [f"{address}%eth0"]:
            assert "metadata service" in str(guard.refusal(carrier)), carrier


def translations(address: str) -> list[str]:
    """Return the IPv6 addresses that may reach an IPv4 address, in networks that translate."""
    number = int(ipaddress.IPv4Address(address))
    prefix = 0x64FF9B0001 << 80
    local = [
        prefix | (number >> 16) << 64 | (number & 0xFFFF) << 40,
        prefix | 0xAB << 72 | (number >> 24) << 64 | (number & 0xFFFFFF) << 32,
        prefix | 0xABCD << 64 | number << 24,
        prefix | 0xFFFE << 64 | number,
    ]
    tunnelled = [(0xFE80 << 112) | kind << 32 | number for kind in (0x5EFE, 0x2005EFE)]
    found = [str(ipaddress.IPv6Address(one)) for one in (*local, *tunnelled)]
    return [*carriers(address), *found]


def test_other_addresses_of_a_translated_network_are_private_as_before() -> None:
    for address in ("64:ff9b:1::a00:1", "64:ff9b:1:ab::1", "fe80::5efe:10.0.0.1"):
        assert OUTSIDE.refusal(address)
        assert INSIDE.refusal(address) is None


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_asked(address: str) -> None:
    assert OUTSIDE.refusal(address) is None
    assert INSIDE.refusal(address) is None


@pytest.mark.parametrize("address", OWN)
def test_an_own_network_may_be_asked_if_the_job_says_so(address: str) -> None:
    assert OUTSIDE.refusal(address)
    assert INSIDE.refusal(address) is None


@pytest.mark.parametrize("address", NEVER)
def test_what_is_no_web_server_may_never_be_asked(address: str) -> None:
    assert OUTSIDE.refusal(address)
    assert INSIDE.refusal(address)


def carriers(address: str) -> list[str]:
    """Return the IPv6 addresses that carry an IPv4 address."""
    number = int(ipaddress.IPv4Address(address))
    teredo = (0x20010000 << 96) | (0x08080808 << 64) | (number ^ 0xFFFFFFFF)
    return [
        f"::ffff:{address}",
        f"::{address}",
        f"64:ff9b::{address}",
        str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80) | 1)),
        str(ipaddress.IPv6Address(teredo)),
    ]


@pytest.mark.parametrize("address", [a for a in OWN + NEVER if ":" not in a and a != "0.0.0.0"])
def test_an_address_within_an_address_is_found(address: str) -> None:
    for carrier in carriers(address):
        assert OUTSIDE.refusal(carrier), carrier


def test_a_public_address_within_an_address_is_as_good_as_itself() -> None:
    mapped, _, translated, _, _ = carriers("8.8.8.8")
    for carrier in (mapped, translated):
        assert OUTSIDE.refusal(carrier) is None, carrier


def test_the_tunnels_of_6to4_are_refused_wherever_they_lead() -> None:
    _, _, _, six_to_four, _ = carriers("8.8.8.8")
    assert OUTSIDE.refusal(six_to_four) == "6to4, which was given up (RFC 7526)"
    assert INSIDE.refusal(six_to_four) is None


def test_a_scope_changes_nothing() -> None:
    assert OUTSIDE.refusal("fe80::1%eth0") == "link-local"


@pytest.mark.parametrize("text", ["", "example.org", "127.1", "1.2.3.4.5", "[::1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    assert OUTSIDE.refusal(text)
    assert INSIDE.refusal(text) or text == "[::1"


def test_a_refusal_says_what_the_address_is() -> None:
    assert OUTSIDE.refusal("10.1.2.3") == "private"
    assert OUTSIDE.refusal("::ffff:10.1.2.3") == "private, as 10.1.2.3"


def test_a_network_that_is_named_may_be_asked_and_no_other() -> None:
    guard = AddressGuard(False, ["10.20.0.0/16", "127.64.0.0/10", "fd99::/16", "192.168.7.7"])
    inside = ["10.20.0.0", "10.20.255.255", "127.64.0.2", "127.127.0.1", "fd99::1", "192.168.7.7"]
    for address in [*inside, *PUBLIC]:
        assert guard.refusal(address) is None, address
    outside = ["10.21.0.1", "10.19.255.255", "127.0.0.1", "127.128.0.1", "fd98::1", "192.168.7.8"]
    for address in [*outside, *(a for a in OWN + NEVER if a not in inside)]:
        assert guard.refusal(address), address


def test_an_address_within_an_address_belongs_to_its_network_too() -> None:
    guard = AddressGuard(False, ["10.20.0.0/16"])
    assert guard.refusal("::ffff:10.20.1.1") is None
    assert guard.refusal("::ffff:10.21.1.1") == "private, as 10.21.1.1"


def test_no_network_lets_in_what_may_never_be_asked() -> None:
    guard = AddressGuard(False, ["0.0.0.0/0", "::/0"])
    assert all(guard.refusal(address) is None for address in OWN)
    for address in NEVER:
        assert guard.refusal(address), address


# What `ipaddress` of Python 3.11, 3.12 or 3.13 calls private, all of it.
PRIVATE_IN_SOME_PYTHON = _words("""
0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
::1/128 ::/128 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20
fc00::/7 fe80::/10
""")


@pytest.mark.parametrize("network", PRIVATE_IN_SOME_PYTHON)
def test_the_verdict_does_not_depend_on_the_interpreter(network: str) -> None:
    addresses = ipaddress.ip_network(network)
    for address in (addresses[0], addresses[addresses.num_addresses // 2], addresses[-1]):
        assert OUTSIDE.refusal(str(address)), address


@given(st.ip_addresses())
def test_nothing_is_let_through_that_the_standard_library_calls_private(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if address.is_private or address.is_multicast or address.is_unspecified:
        assert OUTSIDE.refusal(str(address))


TYPED = AddressGuard(False, (), ["localhost:8000", "127.0.0.1:80", "[::1]:8000"])
LOOPBACK = ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "[::1]"]


def test_of_this_machine_exactly_the_typed_pairs_of_host_and_port_are_open() -> None:
    for host, port in (("localhost", 8000), ("127.0.0.1", 80), ("[::1]", 8000)):
        assert TYPED.opens(host, port) and TYPED.opens_host(host)
    closed = [
        *(("localhost", 80), ("localhost", 8001), ("127.0.0.1", 8000), ("[::1]", 80)),
        *(("127.0.0.2", 80), ("127.1", 80), ("0x7f.1", 80), ("[::ffff:7f00:1]", 80)),
        *(("localhost.", 8000), ("a.localhost", 8000), ("example.org", 80), ("", 80)),
    ]
    assert not [pair for pair in closed if TYPED.opens(*pair)]
    assert not TYPED.opens_host("example.org") and not TYPED.opens_host("127.0.0.2")
    assert OUTSIDE.opens("example.org", 80) and OUTSIDE.opens_host("example.org")


def test_where_servers_of_this_machine_are_named_no_other_address_may_be_asked() -> None:
    for address in LOOPBACK:
        assert TYPED.refusal(address) is None, address
    others = [one for one in OWN if one not in LOOPBACK and not one.startswith("127.")]
    for address in [*PUBLIC, *others, *NEVER, *METADATA, "64:ff9b::7f00:1", "::127.0.0.1"]:
        assert TYPED.refusal(address) == "not on this machine", address
    for carrier in carriers("127.0.0.1")[1:]:
        assert TYPED.refusal(carrier), carrier


@given(st.ip_addresses())
def test_nothing_but_loopback_is_on_this_machine(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    mapped = getattr(address, "ipv4_mapped", None) or address
    assert (TYPED.refusal(str(address)) is None) == mapped.is_loopback


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.3.2.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_a_host_of_this_machine_is_recognised(host: str) -> None:
    assert is_loopback_host(host)


@pytest.mark.parametrize(
    "host",
    ["localhost.example.org", "a.localhost", "10.0.0.1", "0.0.0.0", "[::]", "[64:ff9b::7f00:1]"],
)
def test_a_name_or_an_address_that_only_looks_like_this_machine_is_not(host: str) -> None:
    assert not is_loopback_host(host)
