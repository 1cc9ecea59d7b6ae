"""Names, asked of a name server on the loopback address that the test plays itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from lycosa.errors import ConfigError
from lycosa.fetch import dns as names_module
from lycosa.fetch.dns import Hosts, Names, read_hosts
from lycosa.fetch.guard import AddressGuard
from lycosa.model.records import Resolved
from name_server import AAAA, CANNOT_SAY, A, Found, Question, reply_to


class NameServer(asyncio.DatagramProtocol):
    """Answers from a table of (name, type) to (addresses, seconds)."""

    def __init__(self) -> None:
        self.table: dict[tuple[str, int], tuple[Sequence[str], int]] = {}
        self.asked: list[tuple[str, int]] = []
        self.port = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.DatagramTransport, transport)
        self.port = self.transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self.transport.sendto(reply_to(data, self._find), address)

    def _find(self, question: Question) -> Found | None:
        self.asked.append(question)
        if not any(name == question.name for name, _ in self.table):
            return None
        found = self.table.get(question, ([], 0))
        return CANNOT_SAY if found is CANNOT_SAY else Found(*found)


@asynccontextmanager
async def asking(
    is_accepted: Callable[[str], bool] = lambda address: True,
) -> AsyncIterator[tuple[NameServer, Names]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, ("127.0.0.1", 0))
    names = Names(loop, servers=[f"127.0.0.1:{server.port}"], is_accepted=is_accepted)
    try:
        yield server, names
    finally:
        names.close()
        transport.close()


async def look_up(names: Names, host: str) -> Resolved:
    found: asyncio.Future[Resolved] = asyncio.get_running_loop().create_future()
    names.resolve(host, found.set_result)
    assert not found.done(), "called back from within resolve"
    async with asyncio.timeout(20):
        return await found


def test_those_who_ask_for_a_name_at_the_same_time_share_the_answer() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            server.table["a.example", A] = (["192.0.2.1"], 3_600)
            both = await asyncio.gather(look_up(names, "a.example"), look_up(names, "a.example"))
            assert {found.address for found in both} == {"192.0.2.1"}
            assert both[0].seconds_valid == 3_600.0
            assert server.asked == [("a.example", A)]

    asyncio.run(test())


@pytest.mark.parametrize(("seconds", "valid"), [(0, 60.0), (5, 60.0), (10**7, 86_400.0)])
def test_the_time_of_a_record_has_bounds(seconds: int, valid: float) -> None:
    async def test() -> None:
        async with asking() as (server, names):
            server.table["a.example", A] = (["192.0.2.1"], seconds)
            found = await look_up(names, "a.example")
            assert found.seconds_valid == valid

    asyncio.run(test())


def test_ipv6_is_asked_for_where_there_is_no_ipv4() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            server.table["six.example", AAAA] = (["2001:db8::1"], 600)
            assert (await look_up(names, "six.example")).address == "2001:db8::1"
            assert server.asked == [("six.example", A), ("six.example", AAAA)]

    asyncio.run(test())


def test_a_failure_is_valid_for_a_minute() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            assert await look_up(names, "none.example") == Resolved(None, 60.0, is_missing=True)
            assert len(server.asked) == 2  # IPv4 and IPv6

    asyncio.run(test())


def test_no_such_name_is_an_answer_and_a_server_that_cannot_say_is_a_failure() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            server.table["bare.example", A] = ([], 600)
            server.table["ill.example", A] = CANNOT_SAY
            server.table["ill.example", AAAA] = CANNOT_SAY
            server.table["half.example", A] = ([], 600)
            server.table["half.example", AAAA] = CANNOT_SAY
            hosts = ("none.example", "bare.example", "ill.example", "half.example")
            found = [await look_up(names, host) for host in hosts]
            assert [one.address for one in found] == [None] * 4
            assert [one.is_missing for one in found] == [True, True, False, False]

    asyncio.run(test())


def test_that_a_name_does_not_exist_is_asked_for_again_and_not_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names_module, "FORGET_SECONDS", 0.01)

    async def test() -> None:
        async with asking() as (server, names):
            assert (await look_up(names, "new.example")).is_missing
            server.table["new.example", A] = (["192.0.2.1"], 600)
            for _ in range(100):  # c-ares forgets in a thread of its own
                await asyncio.sleep(0.02)
                if (found := await look_up(names, "new.example")).address:
                    break
            assert found.address == "192.0.2.1"

    asyncio.run(test())


def test_what_a_hosts_file_does_not_name_does_not_exist() -> None:
    async def test() -> None:
        names = Names(asyncio.get_running_loop(), hosts=Hosts({"a.example": ["192.0.2.1"]}, {}))
        assert await look_up(names, "b.example") == Resolved(None, 60.0, is_missing=True)

    asyncio.run(test())


@pytest.mark.parametrize("host", ["x" * 64 + ".example", "a..example", "ä.example", "a b"])
def test_a_name_that_cannot_be_asked_for_has_no_address(host: str) -> None:
    async def test() -> None:
        async with asking() as (_, names):
            assert (await look_up(names, host)).address is None

    asyncio.run(test())


def test_of_several_addresses_the_first_is_given_until_it_fails() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            server.table["a.example", A] = (["192.0.2.1", "192.0.2.2"], 3_600)
            given = [(await look_up(names, "a.example")).address for _ in range(3)]
            assert given == ["192.0.2.1"] * 3
            names.failed("a.example", "192.0.2.77")
            assert (await look_up(names, "a.example")).address == "192.0.2.1"
            names.failed("a.example", "192.0.2.1")
            assert (await look_up(names, "a.example")).address == "192.0.2.2"
            names.failed("a.example", "192.0.2.2")
            assert (await look_up(names, "a.example")).address == "192.0.2.1"

    asyncio.run(test())


def test_an_address_that_the_guard_accepts_goes_first() -> None:
    guard = AddressGuard(allow_private=False)

    async def test() -> None:
        async with asking(lambda address: guard.refusal(address) is None) as (server, names):
            server.table["mixed.example", A] = (["10.0.0.1", "8.8.8.8"], 3_600)
            server.table["own.example", A] = (["10.0.0.1"], 3_600)
            assert (await look_up(names, "mixed.example")).address == "8.8.8.8"
            assert (await look_up(names, "own.example")).address == "10.0.0.1"

    asyncio.run(test())


def test_literals_and_localhost_are_not_asked_for() -> None:
    async def test() -> None:
        async with asking() as (server, names):
            assert (await look_up(names, "127.0.0.1")).address == "127.0.0.1"
            assert (await look_up(names, "[2001:DB8::1]")).address == "2001:db8::1"
            assert (await look_up(names, "localhost")).address == "127.0.0.1"
            assert (await look_up(names, "app.localhost.")).address == "127.0.0.1"
            assert server.asked == []

    asyncio.run(test())


def test_nobody_is_called_back_after_a_cancel() -> None:
    async def test() -> None:
        called: list[Resolved] = []
        async with asking() as (server, names):
            server.table["a.example", A] = (["192.0.2.1"], 3_600)
            names.resolve("a.example", called.append)
            assert names.in_flight == 1
            names.cancel()
            assert names.in_flight == 0
            assert (await look_up(names, "a.example")).address == "192.0.2.1"
        assert called == []

    asyncio.run(test())


def test_the_number_of_failures_that_are_remembered_has_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names_module, "MOST_AVOIDED", 3)

    async def test() -> None:
        async with asking() as (_, names):
            for number in range(10):
                names.failed(f"h{number}.example", "192.0.2.1")
                assert len(names._avoided) <= 3

    asyncio.run(test())


def test_a_hosts_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("# a web\n127.0.0.1 A.test b.test.\n\n::1 b.test # six\nport 80 8080\n")
    addresses = {"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1", "::1"]}
    assert read_hosts(path) == Hosts(addresses, {80: 8080})


@pytest.mark.parametrize("line", ["localhost 127.0.0.1", "127.0.0.1", "port 80", "port 80 99999"])
def test_a_line_that_means_nothing_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("127.0.0.1 a.test\n" + line)
    with pytest.raises(ConfigError, match=r"hosts:2: .*\n  write"):
        read_hosts(path)


def test_a_missing_hosts_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hosts_file"):
        read_hosts(tmp_path / "missing")
