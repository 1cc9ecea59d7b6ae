"""A record tells another referee the same story."""

import io
from pathlib import Path

from lycosa.model.records import Outcome
from lycosa_testweb import BreachKind, GraphWeb, Referee, RefereeRules, Reply, request_for
from lycosa_testweb.referee.record import Recorder, judge

A = "http://a.test/"
WEB = GraphWeb({A: [f"{A}{number}" for number in range(5)]})


def story(recorder: Recorder) -> None:
    for number, path in enumerate(["robots.txt", "", "0", "0"]):
        request = request_for(WEB, A + path)
        ticket = recorder.began(request, 100.0 + number)
        recorder.ended(ticket, 100.1 + number, WEB.answer(request, 100.0 + number))
    refused = recorder.began(request_for(WEB, f"{A}1"), 110.0)
    recorder.ended(refused, 110.1, Reply(429, (("Retry-After", "60"), ("X", "y")), b"no"))
    failed = recorder.began(request_for(WEB, f"{A}2"), 120.0)
    recorder.ended(failed, 120.1, Reply(0, failure=Outcome.CUT_SHORT))
    recorder.began(request_for(WEB, f"{A}3"), 200.0)
    recorder.killed(200.5)
    recorder.began(request_for(WEB, f"{A}4"), 210.0)


def referee() -> Referee:
    return Referee(RefereeRules(0.5, 0.5), WEB, keep_history=True)


def test_a_judge_comes_to_the_same_verdict(tmp_path: Path) -> None:
    there, here, file = referee(), referee(), tmp_path / "record.jsonl"
    with file.open("w") as out:
        story(Recorder(out, there))
    judge(file, here)
    assert here.breaches == there.breaches
    assert {breach.kind for breach in here.breaches} == {
        BreachKind.ASKED_TWICE,
        BreachKind.RETRY_AFTER,
    }
    assert here.history == there.history
    assert str(here.statistics) == str(there.statistics)
    assert here.in_flight == there.in_flight == 1


def test_kills_that_only_the_judge_knows_of_are_put_in_at_their_moments(tmp_path: Path) -> None:
    file, here = tmp_path / "record.jsonl", referee()
    with file.open("w") as out:
        recorder = Recorder(out)
        for began in (100.0, 101.2):
            request = request_for(WEB, f"{A}robots.txt")
            ticket = recorder.began(request, began)
            recorder.ended(ticket, began + 0.1, WEB.answer(request, began))
    judge(file, here)
    assert here.verdict != "clean"
    forgiving = referee()
    judge(file, forgiving, kills=[100.6])
    assert forgiving.verdict == "clean"
    assert forgiving.forgiven[BreachKind.ROBOTS_ASKED_TWICE] == 1


def test_a_line_that_is_not_complete_is_left_out(tmp_path: Path) -> None:
    out, file, here = io.StringIO(), tmp_path / "record.jsonl", referee()
    story(Recorder(out))
    file.write_text(out.getvalue()[:-10])
    judge(file, here)
    assert here.in_flight == 0
