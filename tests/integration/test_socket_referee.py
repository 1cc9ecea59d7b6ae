"""The referee at the sockets of the test web: it sees what a client really does."""

from __future__ import annotations

import socket
import time

import pytest

from integration.socket_client import NO_PAUSES, PATIENCE, ask, connect, get, shout, wait_for
from lycosa_testweb import BreachKind, GraphWeb, Group, Referee, RefereeRules, Robots, request_for
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb

pytestmark = pytest.mark.quick


def test_the_referee_sees_what_a_polite_client_does() -> None:
    web = GraphWeb({"http://a.test/": ["http://a.test/1", "http://a.test/2"]})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        for path in ("robots.txt", "", "1", "2", "none"):
            get(server, f"http://a.test/{path}")
        server.settle()
        assert (referee.verdict, server.requests) == ("clean", 5)
        assert referee.statistics.statuses == {200: 3, 404: 2}
        get(server, "http://a.test/1")
    assert [breach.kind for breach in referee.breaches] == [BreachKind.ASKED_TWICE]


def test_the_referee_measures_pauses_and_overlaps_by_the_real_clock() -> None:
    web = GraphWeb({f"http://a.test/{number}": [] for number in range(4)}, latency=30.0)
    rules = RefereeRules(0.2, 0.0, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, tls=False, time_scale=0.01) as server:
        get(server, "http://a.test/robots.txt")
        time.sleep(0.2)
        get(server, "http://a.test/0")
        assert referee.verdict == "clean"
        get(server, "http://a.test/1")
        assert [breach.kind for breach in referee.breaches] == [BreachKind.HOST_PAUSE]
    assert referee.statistics.requests == 3


def test_an_answer_ends_when_its_last_byte_is_out() -> None:
    large = Robots((Group("*", ()),), bytes_after=30_000_000)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": large})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        connection = connect(server, "http://a.test/")
        response = ask(connection, "http://a.test/robots.txt")
        response.read(1_000_000)
        server.settle()
        assert referee.in_flight == 1
        assert len(response.read()) > 28_000_000
        server.settle()
        assert referee.in_flight == 0
        assert ask(connection, "http://a.test/").read()
        connection.close()
    assert referee.verdict == "clean"


def test_large_answers_pass_through_tls() -> None:
    large = Robots((Group("*", ()),), bytes_after=10_000_000)
    web = GraphWeb({"https://a.test/": []}, robots={"a.test": large})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee) as server:
        connection = connect(server, "https://a.test/")
        expected = web.answer(request_for(web, "https://a.test/robots.txt"), 0.0).body
        assert ask(connection, "https://a.test/robots.txt").read() == expected
        assert ask(connection, "https://a.test/").read()
        connection.close()
        server.settle()
    assert (referee.verdict, referee.in_flight) == ("clean", 0)


def test_requests_sent_ahead_overlap() -> None:
    web = GraphWeb({"http://a.test/": ["http://a.test/1"]}, latency=10.0)
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False, time_scale=0.01) as server:
        get(server, "http://a.test/robots.txt")
        place = server.endpoint("http://a.test/")
        with socket.create_connection(place, timeout=PATIENCE) as client:
            client.sendall(
                b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\nGET /1 HTTP/1.1\r\nHost: a.test\r\n"
                b"Connection: close\r\n\r\n"
            )
            heard = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert heard.count(b"HTTP/1.1 200 OK") == 2
    assert {breach.kind for breach in referee.breaches} == {
        BreachKind.HOST_OVERLAP,
        BreachKind.ADDRESS_OVERLAP,
    }


def test_redirects_of_robots_files_count_as_robots_files() -> None:
    robots = Robots((Group("*", ()),), hops=2)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": robots})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        url = "http://a.test/robots.txt"
        for _ in range(3):
            _, headers, _ = get(server, url)
            url = dict(headers).get("Location", "")
        get(server, "http://a.test/")
    assert (url, referee.verdict) == ("", "clean")


def test_a_robots_file_may_be_left_after_500_kibibytes() -> None:
    robots = Robots((Group("*", ()),), bytes_after=30_000_000)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": robots})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        assert shout(server, "http://a.test/robots.txt", most=600_000).ending == "enough"
        wait_for(lambda: referee.in_flight == 0)
        get(server, "http://a.test/")
    assert referee.verdict == "clean"


def test_a_kill_ends_what_was_under_way_and_is_forgiven() -> None:
    web = GraphWeb({"http://a.test/": []}, latency=1000.0)
    referee = Referee(NO_PAUSES, web, keep_history=True)
    with SocketWeb(web, referee=referee, tls=False, time_scale=1.0) as server:
        place = server.endpoint("http://a.test/")
        with socket.create_connection(place, timeout=PATIENCE) as client:
            client.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: a.test\r\n\r\n")
            wait_for(lambda: referee.in_flight == 1)
            server.client_killed()
        assert (referee.in_flight, referee.statistics.killed) == (0, 1)
        server.time_scale = 0.0
        get(server, "http://a.test/robots.txt")
        get(server, "http://a.test/")
    assert referee.verdict == "clean"
    assert [entry.was_killed for entry in referee.history] == [True, False, False]
