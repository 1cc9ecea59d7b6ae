"""Measures the CPU cost of a request: our transport, bare libcurl, and aiohttp if installed.

A server in a process of its own, on the second core, always sends the same page of
13 kB; the client runs on the first, with 64 hosts and one request in flight for each.
The figure is microseconds of the client's CPU time, user and system, for one request over
a connection that stands; the median of several runs.

    python benchmarks/client.py [REQUESTS]
"""

from __future__ import annotations

import asyncio
import importlib.util
import multiprocessing
import os
import select
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection

import pycurl

from lycosa.fetch.client import HttpTransport
from lycosa.model.clock import RealClock
from lycosa.model.job import Fetch
from lycosa.model.records import Answer, Purpose, Request

HOSTS = 64
RUNS = 5
AGENT = "lycosa (https://example.org/bot)"
BODY = (b"<p>A page of thirteen kilobytes. " * 400)[:13_000]
HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: benchmark\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 13000\r\n"
    b"Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\n"
    b'ETag: "5f3a-1"\r\nAccept-Ranges: bytes\r\n\r\n'
)


class Server(asyncio.Protocol):
    """Answers every request with the same page."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        for _ in range(data.count(b"\r\n\r\n")):
            self.transport.write(HEAD + BODY)


def serve(port_out: Connection, core: int) -> None:
    pin(core)

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(
            Server, "127.0.0.1", 0, backlog=1_000
        )
        port_out.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def pin(core: int) -> None:
    if core in os.sched_getaffinity(0):
        os.sched_setaffinity(0, {core})


def by_transport(port: int, requests: int) -> float:
    """Run the transport as a worker does: the next request from within the callback."""
    loop = asyncio.new_event_loop()
    clock = RealClock(loop)
    transport = HttpTransport(loop, clock, Fetch(allow_private=True), ports={80: port})
    left = 0

    def send(host: int) -> None:
        nonlocal left
        left -= 1
        name = f"host{host}.test"
        url = f"http://{name}/folder/page{left}.html"
        request = Request(url, name, "127.0.0.1", Purpose.PAGE, AGENT, 10_000_000)
        transport.send(request, lambda answer: answered(host, answer))

    def answered(host: int, answer: Answer) -> None:
        if answer.status != 200 or len(answer.body) != len(BODY):
            raise SystemExit(f"a bad answer: {answer.failure}")
        if left > 0:
            send(host)
        elif transport.in_flight == 0:
            loop.stop()

    def run(count: int) -> float:
        nonlocal left
        left = count
        before = time.process_time()
        for host in range(HOSTS):
            send(host)
        loop.run_forever()
        return time.process_time() - before

    run(HOSTS * 4)
    seconds = run(requests)
    transport.close()
    clock.close()
    loop.close()
    return seconds / requests * 1e6


def by_asking_multi(port: int, requests: int) -> float:
    """Run libcurl with the callbacks that the transport needs, all of them idle."""
    return by_bare_multi(port, requests, has_callbacks=True)


def by_bare_multi(port: int, requests: int, has_callbacks: bool = False) -> float:
    """Run libcurl with the least around it: no checks, nothing kept, nothing decoded."""
    multi = pycurl.CurlMulti()
    epoll = select.epoll()
    timeout = -1

    def watch(event: int, descriptor: int, _multi: object, _data: object) -> None:
        if event == pycurl.POLL_REMOVE:
            epoll.unregister(descriptor)
            return
        events = select.EPOLLIN if event == pycurl.POLL_IN else select.EPOLLOUT
        try:
            epoll.register(descriptor, events)
        except FileExistsError:
            epoll.modify(descriptor, events)

    def set_timer(milliseconds: int) -> None:
        nonlocal timeout
        timeout = milliseconds

    multi.setopt(pycurl.M_SOCKETFUNCTION, watch)
    multi.setopt(pycurl.M_TIMERFUNCTION, set_timer)
    multi.setopt(pycurl.M_MAXCONNECTS, HOSTS)
    bodies: dict[pycurl.Curl, list[bytes]] = {}
    for host in range(HOSTS):
        easy = pycurl.Curl()
        bodies[easy] = []
        easy.setopt(pycurl.URL, f"http://host{host}.test/folder/page.html")
        easy.setopt(pycurl.CONNECT_TO, [f"::127.0.0.1:{port}"])
        easy.setopt(pycurl.PROXY, "")
        easy.setopt(pycurl.USERAGENT, AGENT)
        easy.setopt(pycurl.WRITEFUNCTION, bodies[easy].append)
        if has_callbacks:
            easy.setopt(pycurl.HTTPHEADER, [f"Host: host{host}.test", "Accept: */*", "X: y"])
            easy.setopt(pycurl.HEADERFUNCTION, deque[bytes](maxlen=20).append)
            easy.setopt(pycurl.PREREQFUNCTION, lambda *ends: pycurl.PREREQFUNC_OK)

    def run(count: int) -> float:
        before = time.process_time()
        begun = HOSTS
        for easy in bodies:
            multi.add_handle(easy)
        done = 0
        while done < count:
            if timeout == 0:
                multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
            for descriptor, events in epoll.poll(0 if timeout == 0 else 0.05):
                action = pycurl.CSELECT_IN if events & select.EPOLLIN else pycurl.CSELECT_OUT
                multi.socket_action(descriptor, action)
            _, good, bad = multi.info_read()
            assert not bad, bad
            for easy in good:
                multi.remove_handle(easy)
                assert sum(map(len, bodies[easy])) == len(BODY)
                bodies[easy].clear()
                done += 1
                if begun < count:
                    begun += 1
                    multi.add_handle(easy)
        return time.process_time() - before

    run(HOSTS * 4)
    seconds = run(requests)
    multi.close()
    return seconds / requests * 1e6


def by_aiohttp(port: int, requests: int) -> float:
    import aiohttp  # type: ignore[import-not-found, unused-ignore]

    async def run() -> float:
        url = f"http://127.0.0.1:{port}/folder/page.html"
        connector = aiohttp.TCPConnector(limit=HOSTS)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def some(count: int) -> None:
                for _ in range(count):
                    async with session.get(url) as answer:
                        assert len(await answer.read()) == len(BODY)

            await asyncio.gather(*(some(4) for _ in range(HOSTS)))
            before = time.process_time()
            await asyncio.gather(*(some(requests // HOSTS) for _ in range(HOSTS)))
            return time.process_time() - before

    return asyncio.run(run()) / requests * 1e6


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    cores = sorted(os.sched_getaffinity(0))
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, cores[-1]), daemon=True)
    server.start()
    port = here.recv()
    pin(cores[0])
    rivals: dict[str, Callable[[int, int], float]] = {
        "bare pycurl multi": by_bare_multi,
        "multi, our callbacks": by_asking_multi,
        "HttpTransport": by_transport,
    }
    if importlib.util.find_spec("aiohttp"):
        rivals["aiohttp"] = by_aiohttp
    else:
        print("aiohttp is not installed: not measured")
    results = {name: [] for name in rivals}  # type: dict[str, list[float]]
    for _ in range(RUNS):
        for name, rival in rivals.items():
            results[name].append(rival(port, requests))
    base = statistics.median(results["bare pycurl multi"])
    print(f"{'':20} µs CPU a request   of bare multi")
    for name, found in results.items():
        median = statistics.median(found)
        print(
            f"{name:20} {median:14.1f} {median / base:15.2f}   ({min(found):.1f}-{max(found):.1f})"
        )
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
