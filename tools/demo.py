"""`make demo`: serves a small web on this machine, crawls it, and judges the crawler.

The test web answers on loopback addresses, under names that exist nowhere
else. The crawl is that of `lycosa crawl`, with its panel and its summary. At the end the
referee says how the crawler behaved as the servers saw it, `lycosa report` writes a report, and
the folder stays for you to look at.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import click

from lycosa.cli.main import main as run_command
from lycosa.cli.screen.summary import command
from lycosa.model.job import SECTIONS, Job
from lycosa.simulation.referee_rules import referee_rules
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb

HOSTS, ADDRESSES = 60, 15
DELAY_SECONDS, IP_DELAY_SECONDS = 0.3, 0.05
_SMALL_BUDGET = ("--set", "traps.budget=2") if "traps" in SECTIONS else ()
"""The page limit of a site: even a short crawl reaches it on an endless site."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-o",
    "path",
    type=Path,
    default=Path("demo-crawl"),
    help="The crawl directory (default: demo-crawl).",
)
@click.option("--pages", default=600, help="Stop after this many kept pages (default: 600).")
def demo(path: Path, pages: int) -> int:
    """Crawl a small web on this machine, and show the results."""
    if (path / "crawl.toml").exists():
        shutil.rmtree(path)
    web = GeneratedWeb.varied(1, HOSTS, ADDRESSES)
    promised = Job.of(
        politeness={"delay_seconds": DELAY_SECONDS, "ip_delay_seconds": IP_DELAY_SECONDS}
    )
    # The server's event loop may record the end of an answer a moment after the client has it.
    rules = replace(referee_rules(promised, 0.1), tolerance_seconds=0.03)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee) as server:
        click.echo(f"serving a web of {HOSTS} hosts on {ADDRESSES} loopback addresses\n")
        code = run_command(
            [
                "crawl",
                *(web.home(number) for number in range(5)),
                *("-o", str(path), "--include", "test", "--requisites", "--max-pages", str(pages)),
                *("--delay", f"{DELAY_SECONDS}s", "--ip-delay", f"{IP_DELAY_SECONDS}s"),
                "--allow-private",
                *_SMALL_BUDGET,
                *("--set", f"fetch.hosts_file={server.hosts_file}"),
                *("--set", f"fetch.ca_file={server.ca_file}"),
                *("--set", "robots.unreachable_retry_seconds=5", "--min-free-disk", "0"),
            ]
        )
        server.settle()
    click.echo(
        f"\nas the servers saw it: {referee.statistics}\nthe referee says: {referee.verdict}\n"
    )
    code = code or run_command(["report", str(path)]) or bool(referee.breaches)
    program = os.path.relpath(Path(sys.executable).with_name("lycosa"))
    click.echo("\nlook at it:\n")
    for typed in (
        command("explain", path, web.home(0)),
        command("audit", path),
        command("sql", path, "select host, count(*) as pages from pages group by host limit 5"),
        command("serve", path, "--open"),
    ):
        click.echo(f"  {shlex.quote(program)}{typed.removeprefix('lycosa')}")
    return code


if __name__ == "__main__":
    sys.exit(demo(standalone_mode=False))
