"""Addresses of a web become loopback addresses, one to one."""

import pytest

from lycosa.errors import ConfigError
from lycosa_testweb import GeneratedWeb, GraphWeb
from lycosa_testweb.servers.places import Places


def test_names_that_share_an_address_share_a_loopback_address() -> None:
    web = GeneratedWeb.wide(1, hosts=2000, addresses=700)
    places = Places(web, web.hosts(), 0.0)
    for place, hosts in places.hosts_at.items():
        assert {web.resolve(host, 0.0).address for host in hosts} == {places.web_address[place]}
    assert len(set(places.web_address.values())) == len(places.web_address) == 700
    assert not any(place.endswith((".0", ".255")) for place in places.web_address)


def test_names_without_an_address_are_left_out() -> None:
    web = GeneratedWeb.small()
    text = Places(web, web.hosts(), 0.0).hosts_file({80: 8001})
    assert "www.s12.test" not in text
    assert text.endswith("\nport 80 8001\n")
    assert text.startswith("127.0.0.2 www.s0.test www.s5.test ")


def test_what_loopback_cannot_do_is_said() -> None:
    web = GraphWeb({"http://a.test/": []})
    with pytest.raises(ConfigError, match="no host"):
        Places(web, ["nobody.test"], 0.0)
    two = GraphWeb(
        {"http://a.test/": ["http://b.test/"]},
        addresses={"a.test": "2001:db8::1", "b.test": "2001:db8::2"},
    )
    with pytest.raises(ConfigError, match="only ::1"):
        Places(two, two.hosts(), 0.0)
    with pytest.raises(ConfigError, match="beyond 127"):
        Places(web, web.hosts(), 0.0, "128.0.0.1")


def test_a_web_for_other_namespaces_has_private_addresses() -> None:
    web = GeneratedWeb.wide(1, hosts=20, addresses=7)
    places = Places(web, web.hosts(), 0.0, "10.77.4.1")
    assert list(places.web_address) == [f"10.77.4.{number}" for number in range(1, 8)]
    with pytest.raises(ConfigError, match=r"beyond 10\."):
        Places(web, web.hosts(), 0.0, "10.255.255.250")
