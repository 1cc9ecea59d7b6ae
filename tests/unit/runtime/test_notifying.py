"""Telling the operator: real programs, and a real HTTP server on loopback."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lycosa.crawl.access import notify_of
from lycosa.crawl.status.progress import Progress
from lycosa.errors import ConfigError
from lycosa.model.job import Job, Notify
from lycosa.runtime import notifying
from lycosa.runtime.notifying import Notifier, post, run_command
from unit.runtime.webhooks import webhook

PROGRESS = Progress(1.0, 2, 3, 4, 5.0, 6, 0, {}, {}, {}, 0.0, free_disk_bytes=10**12)
TOLD = {"event": "end", "crawl": "c", "reason": "exhausted", "pages": 2}


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifying, "RETRY_SECONDS", (0.0, 0.0))


def test_a_webhook_that_fails_is_tried_three_times() -> None:
    with webhook(500, 503) as (url, posted):
        assert post(url, TOLD, 5.0) == ""
        assert posted == [TOLD] * 3
    with webhook(500, 500, 404, 204) as (url, posted):
        assert post(url, TOLD, 5.0) == "it answered 404"
        assert len(posted) == 3
    assert "refused" in post(url, TOLD, 5.0)


def test_a_redirect_of_the_webhook_is_not_followed() -> None:
    with webhook(302, 302, 302) as (url, _):
        assert post(url, TOLD, 5.0) == "it answered 302"


def test_a_command_gets_the_event_by_environment_and_standard_input(tmp_path: Path) -> None:
    program = tmp_path / "told me.py"
    program.write_text(
        "import json, os, sys\n"
        "said = [os.environ['LYCOSA_EVENT'], os.environ['LYCOSA_REASON'], sys.argv[1]]\n"
        f"open({str(tmp_path / 'said')!r}, 'w').write(json.dumps([said, json.load(sys.stdin)]))\n"
    )
    assert run_command(f"{sys.executable} '{program}' '$HOME; x'", TOLD, 30.0) == ""
    said, told = json.loads((tmp_path / "said").read_text())
    assert said == ["end", "exhausted", "$HOME; x"], "no shell runs it"
    assert told == TOLD


def test_a_command_that_fails_or_hangs_is_told_of() -> None:
    assert "No such file" in run_command("/no/such/program", TOLD, 5.0)
    assert "No closing quotation" in run_command("'", TOLD, 5.0)
    failing = f"{sys.executable} -c \"import sys; sys.exit('went wrong')\""
    assert run_command(failing, TOLD, 30.0) == "it ended with code 1 went wrong"
    hanging = f"{sys.executable} -c 'import time; time.sleep(60)'"
    assert "was killed" in run_command(hanging, TOLD, 0.5)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def events(posted: list[dict[str, Any]]) -> list[str]:
    return [one["event"] for one in posted]


def test_each_event_is_told_once_and_again_after_it_was_over() -> None:
    with webhook() as (url, posted):
        clock = Clock()
        notify = Notify(webhook=url, stall_seconds=100.0, disk_bytes=500)
        notifier = Notifier(notify, "c", clock)
        for clock.now in (0.0, 50.0, 99.0):
            notifier.look(PROGRESS)
        assert not notifier._threads
        for clock.now in (100.0, 150.0, 1_000.0):
            notifier.look(PROGRESS)
        notifier.look(PROGRESS._replace(pages=3, requests=5))
        clock.now = 1_100.0
        notifier.look(PROGRESS._replace(pages=3, requests=5))
        for _ in range(3):
            notifier.look(PROGRESS._replace(pages=4, free_disk_bytes=400))
        notifier.end(PROGRESS, "exhausted")
    assert sorted(events(posted)) == ["disk", "end", "stall", "stall"]
    (end,) = [one for one in posted if one["event"] == "end"]
    assert (end["crawl"], end["reason"], end["pages"]) == ("c", "exhausted", 2)


def test_a_pause_is_no_standstill_and_what_is_not_wanted_is_not_told() -> None:
    with webhook() as (url, posted):
        clock = Clock()
        notifier = Notifier(Notify(webhook=url, stall_seconds=100.0), "c", clock)
        for clock.now in (0.0, 200.0, 400.0):
            notifier.look(PROGRESS._replace(is_paused=True))
        notifier = Notifier(Notify(webhook=url, on=("disk",)), "c", clock)
        notifier.end(PROGRESS, "stopped")
    assert posted == []


def test_a_wrong_job_is_refused() -> None:
    for wrong in ({"webhook": "ftp://a"}, {"on": ["begin"]}, {"stall_seconds": 0}):
        with pytest.raises(ConfigError):
            Job.of(["http://a.test/"], notify=wrong)


def test_the_address_of_a_webhook_may_be_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job.of(notify={"webhook": "${HOOK}"})
    with webhook(200) as (url, posted):
        monkeypatch.setenv("HOOK", url)
        notifier = Notifier(notify_of(job), "mycrawl")
        notifier.end(PROGRESS, "exhausted")
        assert [told["event"] for told in posted] == ["end"]
    assert url not in job.to_toml()
    monkeypatch.delenv("HOOK")
    with pytest.raises(ConfigError, match=r"\[notify\] webhook needs the secret HOOK"):
        notify_of(job)
