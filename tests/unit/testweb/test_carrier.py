"""The in-process carrier delivers in order, in time, and not to the dead."""

from lycosa.model.clock import VirtualClock
from lycosa.model.records import Answer, Outcome, Request, Resolved
from lycosa_testweb import (
    Faults,
    GraphWeb,
    InProcessCarrier,
    Referee,
    RefereeRules,
    request_for,
)

A, B, C = (f"http://{name}.test/" for name in "abc")


def test_answers_come_when_their_latency_has_passed() -> None:
    web = GraphWeb({A: [B, C]}, latency=lambda url: {A: 3.0, B: 1.0}.get(url, 2.0))
    clock = VirtualClock(100.0)
    carrier = InProcessCarrier(web, clock)
    got: list[tuple[str, float, float]] = []

    def ask(url: str) -> None:
        carrier.send(
            request_for(web, url), lambda answer: got.append((url, answer.began, answer.ended))
        )

    for url in (A, B, C):
        ask(url)
    clock.run()
    assert got == [(B, 100.0, 101.0), (C, 100.0, 102.0), (A, 100.0, 103.0)]
    assert carrier.in_flight == 0


def test_a_failure_has_no_status() -> None:
    web, clock = GraphWeb({A: []}, faults=Faults(failures={B: Outcome.CUT_SHORT})), VirtualClock()
    got: list[Answer] = []
    InProcessCarrier(web, clock).send(request_for(web, B), got.append)
    clock.run()
    assert (got[0].status, got[0].failure, got[0].body) == (0, Outcome.CUT_SHORT, b"")


def test_long_bodies_are_cut() -> None:
    web, clock = GraphWeb({A: [B] * 50}), VirtualClock()
    whole = request_for(web, A)
    short = Request(A, whole.host, whole.address, whole.purpose, whole.agent, 100)
    got: list[Answer] = []
    carrier = InProcessCarrier(web, clock)
    carrier.send(whole, got.append)
    carrier.send(short, got.append)
    clock.run()
    assert [(answer.truncated, len(answer.body) == 100) for answer in got] == [
        (False, False),
        (True, True),
    ]


def test_names_are_resolved_after_some_milliseconds() -> None:
    web, clock = GraphWeb({A: []}), VirtualClock(50.0)
    got: list[tuple[Resolved, float]] = []
    carrier = InProcessCarrier(web, clock)
    for host in ("a.test", "nobody.test"):
        carrier.resolve(host, lambda resolved: got.append((resolved, clock.now())))
    clock.run()
    assert {resolved.address for resolved, _ in got} == {"10.0.0.1", None}
    assert all(50.005 <= moment <= 50.050 for _, moment in got)


def test_after_an_abort_nobody_is_called_and_the_referee_knows() -> None:
    web, clock = GraphWeb({A: [B]}, latency=5.0), VirtualClock(100.0)
    referee = Referee(RefereeRules(), web, keep_history=True)
    carrier = InProcessCarrier(web, clock, referee)
    got: list[object] = []
    carrier.send(request_for(web, f"{A}robots.txt"), got.append)
    carrier.resolve("b.test", got.append)
    clock.call_at(100.001, carrier.abort_all)
    clock.run()
    assert got == []
    assert (carrier.in_flight, referee.in_flight) == (0, 0)
    assert [(seen.ended, seen.was_killed) for seen in referee.history] == [(100.001, True)]


def test_an_abort_ends_only_the_requests_of_its_own_client() -> None:
    web, clock = GraphWeb({A: [B]}, latency=5.0), VirtualClock(100.0)
    referee = Referee(RefereeRules(), web)
    one, two = (InProcessCarrier(web, clock, referee, client=name) for name in ("one", "two"))
    got: list[Answer] = []
    one.send(request_for(web, f"{A}robots.txt"), got.append)
    two.send(request_for(web, f"{B}robots.txt"), got.append)
    one.abort_all()
    clock.run()
    assert len(got) == 1
    assert referee.statistics.killed == 1
