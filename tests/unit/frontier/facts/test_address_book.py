from __future__ import annotations

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.facts.address_book import UNKNOWN, AddressBook
from lycosa.frontier.facts.columns import Hosts
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Configured, HostResolved, Reopened


@given(st.lists(st.ip_addresses().map(str) | st.sampled_from(["www.proxied.test", "1.2", "é"])))
def test_every_address_comes_back_from_its_number(addresses: list[str]) -> None:
    book = AddressBook()
    numbers = [book.number(address) for address in addresses]
    assert [book.address(number) for number in numbers] == addresses
    assert len(set(numbers)) == len(set(addresses))
    again = AddressBook()
    again.restore(list(book.others))
    assert [again.number(address) for address in addresses] == numbers


def test_ipv4_addresses_take_no_room_and_none_is_none() -> None:
    book = AddressBook()
    assert book.number("") == UNKNOWN and book.address(UNKNOWN) == ""
    for number in (0, 1, 2**31, 2**32 - 1):
        assert book.number(str(ipaddress.IPv4Address(number))) != UNKNOWN
    assert book.others == []


def resolved_state() -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(0.0, "", ["test.a:/", "test.b:/"], [0, 0]))
    state.apply(HostResolved(1.0, 0, "10.0.0.1", 100.0))
    state.apply(HostResolved(1.0, 1, "2001:db8::1", 200.0))
    return state


def test_addresses_survive_a_snapshot() -> None:
    state = resolved_state()
    again = PartitionState.unpack(state.pack(3))
    assert [again.address_of(host) for host in (0, 1)] == ["10.0.0.1", "2001:db8::1"]
    assert list(again.hosts.address_expires) == [100.0, 200.0]
    assert again.pack(3) == state.pack(3)


def test_a_snapshot_from_before_there_were_addresses_can_be_read() -> None:
    class OldHosts(Hosts):
        _types = {  # noqa: RUF012
            name: code for name, code in Hosts._types.items() if "address" not in name
        }

    old = OldHosts()
    old.due.extend([1.0, 2.0])
    for column in (old.strikes, old.closed, old.kept, old.first_site):
        column.extend([7, 8])
    new = Hosts()
    new.unpack(old.pack())
    assert list(new.due) == [1.0, 2.0] and list(new.first_site) == [7, 8]
    assert list(new.address) == [0, 0] and list(new.address_expires) == [0.0, 0.0]


def test_another_job_and_another_try_let_addresses_expire() -> None:
    state = resolved_state()
    state.apply(Reopened(2.0, [0], []))
    assert list(state.hosts.address_expires) == [0.0, 200.0]
    state.apply(Configured(3.0, "another"))
    assert list(state.hosts.address_expires) == [0.0, 0.0]
    assert state.address_of(1) == "2001:db8::1"
