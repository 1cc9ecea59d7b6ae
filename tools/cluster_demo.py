"""`make cluster-demo`: three members share a crawl, one is killed, another joins.

The test web is served on loopback, and knows which pages a crawl must hold. At the end the log is
compared with that truth and so is the store, the referee says how the hosts were treated, and
anything wrong gives an exit code other than 0.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import click

from lycosa.cli.amounts import counted
from lycosa.cli.main import main as run_command
from lycosa.cli.trial.figures import Moment, look
from lycosa.cli.trial.members import TrialMember
from lycosa.cli.trial.trial import Trial
from lycosa.cli.trial.web import DELAY_SECONDS, TrialWeb, served_web
from lycosa.errors import LycosaError
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import table

MEMBERS = 3
HOSTS, LEVELS = 48, 4
KILLED_AT = 0.4
"""The share of the web's pages after which a member is killed."""
_LOOK_SECONDS = 0.5
_LONGEST_SECONDS = 600.0


class Story:
    """Prints events, with the seconds since the beginning."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.mistakes: list[str] = []

    def tell(self, text: str) -> None:
        """Print one sentence."""
        click.echo(f"{time.monotonic() - self.began:5.1f} s  {text}")

    def check(self, is_right: bool, text: str) -> None:
        """Print a fact, and record a mistake if it is false."""
        if not is_right:
            self.mistakes.append(text)
        self.tell(f"{'' if is_right else 'WRONG: '}{text}")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-o",
    "path",
    type=Path,
    default=Path("cluster-demo"),
    help="The folder for members, store and report (default: cluster-demo).",
)
@click.option("--hosts", default=HOSTS, help=f"Hosts of the test web (default: {HOSTS}).")
def demo(path: Path, hosts: int) -> int:
    """Crawl a test web with three members, and kill one on the way."""
    if (path / "member-1").exists():
        shutil.rmtree(path)
    story = Story()
    with served_web(hosts, LEVELS) as web:
        wanted = web.pages()
        story.tell(
            f"A test web of {hosts} hosts and {len(wanted):,} pages is served on loopback;"
            f" a crawler must pause {DELAY_SECONDS:g} s between requests to a host."
        )
        with Trial(path.absolute(), "nats") as trial:
            story.tell(f"Three NATS servers hold the log: {trial.url}")
            _crawl(trial, web, len(wanted), story)
            _compare(trial, wanted, story)
            _bring_back(trial, story)
            crawl = trial.fetch()
            story.tell("`lycosa fetch` has made an ordinary crawl directory of the store.")
        story.tell("The servers are stopped, and their data removed.")
        _look_into(crawl, wanted, story)
        _judge(web, story)
    if story.mistakes:
        story.tell(f"{counted(len(story.mistakes), 'thing')} went wrong; see {path}")
        return 1
    story.tell("A report is made from that directory:")
    code = run_command(["report", str(path / "crawl")])
    story.tell(f"Done. Open {path / 'crawl' / 'report' / 'index.html'} in a browser.")
    return code


def _crawl(trial: Trial, web: TrialWeb, wanted: int, story: Story) -> None:
    first = trial.begin(web.job)
    others = [trial.join() for _ in range(1, MEMBERS)]
    everybody = ", ".join(f"{one.name} is process {one.pid}" for one in (first, *others))
    story.tell(f"Three members crawl together, each with a directory of its own: {everybody}.")
    partitions = trial.job.frontier.partitions
    found = _wait(trial, lambda now: len(now.members) == MEMBERS and _is_shared(now, partitions))
    story.tell(f"They share {partitions} partitions: {_shares(found)}.")
    found = _wait(trial, lambda now: now.total.pages >= KILLED_AT * wanted)
    victim = others[0]
    victim.kill()
    web.member_killed()
    killed_at = time.monotonic()
    story.tell(f"{found.total.pages:,} pages are kept. {victim.name} is killed (SIGKILL).")
    new = trial.join()
    story.tell(f"{new.name} joins, process {new.pid}.")
    found = _wait(trial, lambda now: now.ended > 0 and _is_shared(now, partitions))
    story.tell(
        f"The others have noticed the silence and taken over, {time.monotonic() - killed_at:.1f} s"
        f" after the kill: {_shares(found)}. Its hosts rest for a full pause first."
    )
    _wait_for_the_end([one for one in trial.members.all if one is not victim])
    why = trial.why_ended()
    story.check(why == "exhausted", f"The members agree that nothing is left to do: {why}.")


def _bring_back(trial: Trial, story: Story) -> None:
    """Start the killed member again: it sends what the store had not got from it."""
    (victim,) = trial.bring_back()
    _wait_for_the_end([victim])
    story.tell(f"{victim.name} came back, and has sent to the store what it alone still had.")


def _wait(trial: Trial, is_so: Callable[[Moment], bool]) -> Moment:
    """Read the board until a condition holds; raise if a member fails or time runs out."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while time.monotonic() < deadline:
        found = look(trial.board)
        if found is not None and is_so(found):
            return found
        _refuse_failures(trial.members.failed)
        if not trial.members.running:
            raise LycosaError("the crawl ended before anything happened to it")
        time.sleep(_LOOK_SECONDS)
    raise LycosaError(f"nothing happened for {_LONGEST_SECONDS:g} s")


def _wait_for_the_end(members: list[TrialMember]) -> None:
    deadline = time.monotonic() + _LONGEST_SECONDS
    while any(member.is_running for member in members):
        if time.monotonic() > deadline:
            raise LycosaError(f"the crawl did not end within {_LONGEST_SECONDS:g} s")
        time.sleep(_LOOK_SECONDS)
    _refuse_failures([one for one in members if one.code != 0])


def _refuse_failures(failed: list[TrialMember]) -> None:
    if failed:
        raise LycosaError(f"{failed[0].name} failed:\n{failed[0].last_words()}")


def _is_shared(now: Moment, partitions: int) -> bool:
    return now.total.partitions == partitions and all(
        one.progress.partitions for one in now.members
    )


def _shares(now: Moment) -> str:
    return ", ".join(f"{one.progress.partitions} with life {one.number}" for one in now.members)


def _compare(trial: Trial, wanted: set[str], story: Story) -> None:
    """Compare the log with the pages of the web."""
    kept: Counter[str] = Counter()
    directory = CrawlDirectory.open(trial.members.all[0].path)
    for state in directory.each_state(trial.job):
        for page in range(len(state.table)):
            if state.outcome_of(page) is Outcome.KEPT:
                kept[url_of(state.table.key(page))] += 1
    lost, more = wanted - kept.keys(), kept.keys() - wanted
    twice = [url for url, times in kept.items() if times > 1]
    story.check(
        not (lost or more or twice),
        f"The log holds {len(kept):,} of {len(wanted):,} pages: {len(lost)} lost, {len(twice)}"
        f" kept twice, {len(more)} that should not be there.",
    )


def _look_into(folder: Path, wanted: set[str], story: Story) -> None:
    """Compare the tables of a crawl with the pages of the web."""
    rows = table(folder, "pages", ["url", "outcome"]).to_pylist()
    kept = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    twice = [url for url, times in kept.items() if times > 1]
    story.check(
        kept.keys() == wanted and not twice,
        f"It holds the records of {len(kept):,} of {len(wanted):,} pages, {len(twice)} of"
        " them twice.",
    )


def _judge(web: TrialWeb, story: Story) -> None:
    web.server.settle()
    referee = web.referee
    story.check(
        not referee.breaches,
        f"As the servers saw it: {referee.statistics}. The referee says: {referee.verdict},"
        f" {len(referee.breaches)} breaches.",
    )


def main() -> int:
    """Run the demo; an error is told in a sentence."""
    try:
        return demo(standalone_mode=False) or 0
    except LycosaError as error:
        click.echo(str(error), err=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
