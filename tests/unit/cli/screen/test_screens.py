"""What is drawn fits where it is drawn, and says what it must."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import termios
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from lycosa.cli.main import main
from lycosa.cli.screen.lines import Lines, line_of, reason_text, summary_data
from lycosa.cli.screen.panel import Display, ProgressPanel, pauses_text
from lycosa.cli.screen.summary import print_summary, summary_of
from lycosa.cli.screen.topics import topics_facts, topics_text
from lycosa.crawl.status.progress import Progress
from lycosa.model.job import Job
from unit.cli.screen.moments import BUSY, FIRST, HUGE, JOB, Ended

WIDTHS = (40, 60, 80, 100, 200)


def drawn(renderable: RenderableType, width: int) -> list[str]:
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(renderable)
    return console.export_text().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("progress", [BUSY, FIRST, HUGE], ids=["busy", "first", "huge"])
def test_the_panel_is_a_clean_box_at_every_width(progress: Progress, width: int) -> None:
    lines = drawn(ProgressPanel(progress, JOB, "mycrawl", "Ctrl-C stops cleanly"), width)
    assert {len(line) for line in lines} == {min(width, 96)}
    assert lines[0].startswith("╭") and lines[-1].endswith("╯")
    assert all(line.startswith("│") and line.endswith("│") for line in lines[1:-1])
    assert len(lines) <= 16


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_label_begins_one_line_of_its_own(width: int) -> None:
    lines = drawn(ProgressPanel(BUSY, JOB, "mycrawl"), width)
    inside = [line[2:-2] for line in lines[1:-1]]
    labels = [line.split("  ")[0].strip() for line in inside if not line.startswith(" ")]
    expected = ["pages", "received", "elapsed"]
    expected += [] if width >= 76 else ["queue", "hosts", "in flight"]
    assert labels == [*expected, "limit", "errors", "left out", "waits for", "to go"]


def test_the_panel_says_what_the_crawl_waits_for() -> None:
    now = time.time()
    waits = [
        ["http://a.test", "the usual pause", now + 30.4],
        ["http://b.test:8000", "no connection could be made; it is tried again", now + 58.4],
    ]
    waiting = BUSY._replace(waits=waits, waits_count=14, in_flight=0, seconds_left=0.0, hosts={})
    for progress, left in ((waiting, ""), (waiting._replace(patience_left=500.0), "8 min 20 s")):
        text = "\n".join(drawn(ProgressPanel(progress, JOB, "mycrawl"), 80))
        flat = " ".join(text.replace("│", " ").split())
        assert "http://a.test: the usual pause, 30 s" in flat
        assert "http://b.test:8000: no connection could be made; it is tried again, 58 s" in flat
        assert "and 12 more" in flat
        assert "next request in 30 s" in flat
        assert left in flat


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_panel_says_what_a_user_wants_to_know(width: int) -> None:
    text = "\n".join(drawn(ProgressPanel(BUSY, JOB, "mycrawl"), width))
    for part in ("1,234", "4.9 a second", "45.6 MB", "8,120", "12 ready", "188 waiting", "9"):
        assert part in text
    for part in (
        "not found 41",
        "no answer in time",
        "4 min 10 s",
        "3 h 10 min",
        "25% of 5,000 pages",
    ):
        assert part in text
    flat = " ".join(text.replace("│", " ").split())
    assert "at least 3 h 10 min at these pauses; new links add to it" in flat


def test_long_lists_are_cut_and_not_wrapped() -> None:
    lines = drawn(ProgressPanel(BUSY, JOB, "mycrawl"), 60)
    (line,) = [line for line in lines if "errors" in line]
    assert line.rstrip("│ ").endswith("…")


def test_the_default_pause_is_told_with_what_it_means() -> None:
    assert pauses_text(Job()) == (
        "15 s between requests: 100 pages of a site take 25 min, 1,000 pages 1 h 40 min"
    )


def test_a_line_is_logfmt_or_json() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    line = line_of(BUSY, as_json=False, moment=moment)
    assert line.startswith("time=2026-01-02T03:04:05Z event=progress seconds=250.0 pages=1234 ")
    assert "errors=76 errors.not_found=41 errors.timeout=12" in line
    data = json.loads(line_of(BUSY, as_json=True, moment=moment))
    assert set(data) == {
        "time",
        "event",
        "seconds",
        "pages",
        "bytes",
        "requests",
        "pages_per_second",
        "pending",
        "in_flight",
        "hosts_ready",
        "hosts_waiting",
        "errors",
        "waits",
        "patience_left",
        "put_aside",
        "seconds_left",
        "workers",
    }
    assert (data["hosts_ready"], data["hosts_waiting"]) == (12, 188)


def display(console: Console) -> Display:
    return Display(console, JOB, "mycrawl", resume="lycosa resume mycrawl")


def test_without_a_terminal_there_are_lines() -> None:
    file = io.StringIO()
    with display(Console(file=file, width=60)) as shown:
        shown.show(BUSY)
        shown.show(BUSY)
        shown.finish(BUSY)
    assert len(file.getvalue().splitlines()) == 2
    assert "event=progress" in file.getvalue()


def test_a_quiet_crawl_shows_no_progress_but_answers_ctrl_c(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Lines(as_json=False, is_quiet=True, resume="lycosa resume mycrawl") as shown:
        shown.show(BUSY)
        shown.stopping()
        shown.finish(BUSY)
    assert capsys.readouterr().err == (
        "stopping cleanly (Ctrl-C again stops at once); continue: lycosa resume mycrawl\n"
    )


def test_for_a_program_there_are_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(as_json=True, is_quiet=False, resume="") as shown:
        shown.show(BUSY)
        shown.show(BUSY)
    lines = capsys.readouterr().err.splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["progress"] * 2


def test_who_looks_at_no_panel_does_not_load_what_draws_it() -> None:
    modules = "lycosa.cli.running.crawl, lycosa.runtime.processes.run, sys"
    code = f"import {modules}; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_on_a_terminal_the_panel_stays_with_its_last_moment() -> None:
    file = io.StringIO()
    with display(Console(file=file, force_terminal=True, width=80)) as shown:
        shown.show(FIRST)
        shown.stopping()
        shown.finish(BUSY)
    text = file.getvalue()
    assert "15 s between requests" in text
    assert "continue: lycosa resume mycrawl" in text
    assert text.rindex("1,234") > text.rindex("stopping cleanly")


def summary(ended: Ended, path: str, width: int) -> str:
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    print_summary(console, ended, JOB, Path(path))
    return console.export_text()


def test_a_command_is_never_broken() -> None:
    text = summary(Ended("pages", BUSY, False), "a/rather/long/path/to/a/crawl", 40)
    assert "\n  lycosa cat a/rather/long/path/to/a/crawl https://www.example.org/ --text\n" in text


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("reason", ["exhausted", "pages", "stopped"])
def test_the_summary_fits_and_ends_with_commands(reason: str, width: int) -> None:
    ended = Ended(reason, BUSY, reason == "exhausted")
    text = summary(ended, "mycrawl", width)
    assert all(len(line) <= width for line in text.splitlines())
    for part in ("1,234, 45.6 MB", "203", "8,120", "41   not found", "20,418   outside the scope"):
        assert part in text
    for name in ("explain", "cat", "status"):
        assert f"lycosa {name} mycrawl" in text
    assert ("lycosa resume mycrawl" in text) is (reason != "exhausted")


def test_the_summary_tells_what_guesses_were_worth_and_when_the_disk_is_slow() -> None:
    mined = {"folder": [46, 35], "number": [1, 0]}
    quick = BUSY._replace(mined=mined, commits=100, commit_lock_seconds=0.3)
    for progress, is_slow in ((quick, False), (quick._replace(commit_lock_seconds=20.0), True)):
        text = " ".join(
            " ".join(drawn(summary_of(Ended("exhausted", progress, True), JOB), 100)).split()
        )
        assert "guessed 35 of 47 were pages (folder 35/46, number 0/1)" in text
        assert ("slow disk: each commit waited 200 ms" in text) is is_slow
        assert ("commit" in text) is is_slow


def test_the_summary_offers_the_flag_that_lifts_the_limit() -> None:
    text = summary(Ended("pages", BUSY, False), "my crawl", 120)
    assert "Ended by the limit of 5,000 pages (--max-pages)." in text
    assert "lycosa resume 'my crawl' --max-pages 10000" in text


def test_a_crawl_without_pages_says_why() -> None:
    console = Console(record=True, width=40, file=io.StringIO())
    why = ["1 URL forbidden by the robots file; see: lycosa check robots http://a.example/"]
    print_summary(console, Ended("exhausted", FIRST, True), JOB, Path("c"), why)
    assert f"\nNo page was kept.\n  {why[0]}\n" in console.export_text()
    text = summary(Ended("exhausted", FIRST, True), "c", 80)
    assert "lycosa cat" not in text


@pytest.mark.parametrize(
    "reason", ["exhausted", "pages", "bytes", "seconds", "free disk", "found", "stopped"]
)
def test_every_reason_has_a_sentence(reason: str) -> None:
    text = reason_text(Ended(reason, BUSY, False), JOB)
    assert text.endswith(".") and not text.startswith("Ended: ")


def test_topics_are_shown_with_their_queues_and_the_harvest() -> None:
    topics = {"chess": [30, 12], "cooking": [60, 0], "other": [10, 3]}
    job = Job.of(seeds=["http://a.test/"], topics={"wanted": ["chess"]})
    facts = dict(topics_facts(topics, {}, job))
    assert facts["topics"].startswith("chess 30 (+12), cooking 60, other 10 (+3)")
    assert facts["harvest"] == "30% of the pages are about chess"
    assert "budgets" not in facts
    job = Job.of(seeds=["http://a.test/"], topics={"budgets": ["chess=40", "other=1000"]})
    facts = dict(topics_facts(topics, {"chess": 31, "other": 10}, job))
    assert facts["budgets"] == "chess 31 of 40, other 10 of 1,000 pages"
    many = {f"t{n}": [1, 0] for n in range(20)}
    assert "and 8 more" in topics_text(many)
    assert topics_facts({}, {}, job) == []


def test_the_summary_for_programs_is_plain_data() -> None:
    data = json.loads(json.dumps(summary_data(Ended("pages", BUSY, False), Path("c"))))
    assert {name: type(value).__name__ for name, value in data.items()} == {
        "directory": "str",
        "reason": "str",
        "is_complete": "bool",
        "end": "str",
        "left_out": "dict",
        "pages": "int",
        "bytes": "int",
        "requests": "int",
        "seconds": "float",
        "pending": "int",
        "put_off": "int",
        "unsent_bytes": "int",
        "hosts": "int",
        "workers": "int",
        "commits": "int",
        "commit_queue_seconds": "float",
        "commit_lock_seconds": "float",
        "commit_write_seconds": "float",
        "outcomes": "dict",
        "refusals": "dict",
        "given_up_origins": "int",
        "given_up": "list",
        "put_aside": "int",
        "mined": "dict",
        "topics": "dict",
        "budgets": "dict",
        "structured": "dict",
        "rendered": "dict",
        "parts_refused": "dict",
    }


def test_the_planting_of_a_long_list_is_shown_on_terminals_and_elsewhere() -> None:
    for is_terminal in (True, False):
        file = io.StringIO()
        console = Console(file=file, force_terminal=is_terminal, width=80)
        with Display(console, Job.of(), "mycrawl", resume="lycosa resume mycrawl") as display:
            display.show_planting(5_000, 1_000_000)
        assert "queueing seeds: 5,000 of 1,000,000" in file.getvalue()


def test_a_crawl_that_put_urls_aside_does_not_say_that_it_asked_for_everything() -> None:
    refusals = {"out-of-scope": 3, "trap: nothing new": 1_204, "trap: calendar": 2}
    progress = BUSY._replace(refusals=refusals, pending=0)
    ended = Ended("exhausted", progress, True)
    expected = "Complete, except for 1,206 URLs put aside as traps (nothing new 1,204, calendar 2)."
    assert reason_text(ended, JOB) == expected
    assert summary_data(ended, Path("c"))["put_aside"] == 1_206
    console = Console(record=True, width=100, file=io.StringIO())
    print_summary(console, ended, JOB, Path("c"))
    assert "lycosa retry c --traps" in console.export_text()
    panel = "\n".join(drawn(ProgressPanel(progress, JOB, "c"), 80))
    assert "traps: nothing new 1,204 · calendar 2" in panel
    line = line_of(progress, as_json=False)
    assert "put_aside=1206 put_aside.nothing_new=1204 put_aside.calendar=2" in line
    whole = Ended("exhausted", BUSY, True)
    assert reason_text(whole, JOB).startswith("Complete: no URL")
    assert "put_aside=0" in line_of(BUSY, as_json=False)


def test_a_crawl_whose_last_cycle_has_put_urls_off_is_not_complete() -> None:
    ended = Ended("exhausted", BUSY._replace(pending=0, put_off=1_203), False)
    expected = "Ended after the last cycle: 1,203 URLs wait for the next (--cycles)."
    assert reason_text(ended, JOB) == expected
    assert summary_data(ended, Path("c"))["put_off"] == 1_203
    console = Console(record=True, width=100, file=io.StringIO())
    print_summary(console, ended, JOB, Path("c"))
    printed = console.export_text()
    assert "Complete" not in printed
    assert f"lycosa resume c --cycles {JOB.revisit.cycles + 1}" in printed


ECHO = """
import os, sys, termios
from lycosa.cli.screen.panel import without_echo
undo = without_echo()
during = termios.tcgetattr(0)[3] & termios.ECHOCTL
undo()
print(during, termios.tcgetattr(0)[3] & termios.ECHOCTL, flush=True)
"""


def test_ctrl_c_is_not_written_into_the_panel() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", ECHO])
    told = b""
    while b"\n" not in told:
        told += os.read(terminal, 1000)
    os.waitpid(pid, 0)
    os.close(terminal)
    during, after = map(int, told.split())
    assert (during, after) == (0, termios.ECHOCTL)


def test_a_word_that_is_longer_than_a_line_is_shortened_and_none_is_broken() -> None:
    url = "http://a.example/" + "long-" * 30
    moment = BUSY._replace(waits=[[url, "the usual pause", 0.0]], is_paused=False)
    flat = " ".join("\n".join(drawn(ProgressPanel(moment, JOB, "mycrawl"), 80)).split())
    assert "long-…" in flat or "lo…" in flat or "…" in flat
    assert "the usual pause" in flat


def test_help_breaks_no_flag_at_a_hyphen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 30
    assert [line for line in lines if line.rstrip().endswith("-")] == []
