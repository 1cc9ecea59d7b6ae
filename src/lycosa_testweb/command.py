"""The command `lycosa testweb`: serves a test web, and judges the crawler that visits it.

It prints what a crawler must be told (hosts file, certificate, seeds), serves until
Ctrl-C or SIGTERM, and then, with `--report`, says how the crawler behaved. If you kill the crawler
on purpose, send SIGUSR1 to this process afterwards, so that the referee knows.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lycosa.errors import LycosaError
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.record import Recorder
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.topics.web import Shape, TopicWeb
from lycosa_testweb.webs.books import LibraryWeb
from lycosa_testweb.webs.deep import DeepWeb
from lycosa_testweb.webs.documents import DocumentWeb
from lycosa_testweb.webs.faulty_site import FaultySite
from lycosa_testweb.webs.maze import MazeWeb
from lycosa_testweb.webs.misbehaviour import MisbehavingWeb
from lycosa_testweb.webs.quotes import QuotesWeb
from lycosa_testweb.webs.script_maze import ScriptMaze

SmallWeb = (
    LibraryWeb | TopicWeb | FaultySite | MazeWeb | ScriptMaze | DocumentWeb | DeepWeb | QuotesWeb
)
AnyWeb = GeneratedWeb | MisbehavingWeb | SmallWeb

KINDS = (
    "small",
    "wide",
    "varied",
    "tree",
    "secretive",
    "endless",
    "lively",
    "library",
    "documents",
    "deep",
    "quotes",
    "faulty",
    "maze",
    "scripts",
    "topics",
    "bad",
)
_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGUSR1}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lycosa testweb",
        description="Serve a made-up web on loopback, and judge the crawler that visits it.",
    )
    add = parser.add_argument
    add("--kind", choices=KINDS, default="small", help="which web")
    add(
        "--seed",
        type=int,
        default=1,
        help="another seed is another web (1); of a faulty site 2 is mended",
    )
    add("--hosts", type=int, default=20, help="hosts of a wide or varied web, or of a forest (20)")
    add(
        "--addresses",
        type=int,
        default=0,
        help="addresses of a wide or varied web (a tenth of the hosts)",
    )
    add(
        "--pages",
        type=int,
        default=0,
        help="pages of a host of a wide web (1000), or of a web with topics (10000)",
    )
    add("--levels", type=int, default=4, help="levels of a tree (4)")
    add("--fanout", type=int, default=3, help="children of a page of a tree (3)")
    add("--port", type=int, default=0, help="port for http (any free one)")
    add("--tls-port", type=int, default=0, help="port for https (any free one)")
    add("--no-tls", action="store_true", help="serve http alone")
    add("--time-scale", type=float, default=0.0, help="latencies are multiplied by this (0)")
    add("--folder", type=Path, help="where hosts file and certificate go (a new folder)")
    add("--report", action="store_true", help="say at the end how the crawler behaved")
    add("--record", type=Path, metavar="FILE", help="write down every request as JSON lines")
    add("--agent", default="lycosa", help="the crawler's product token (lycosa)")
    add("--delay", type=float, default=1.0, help="the pause it promised per host (1)")
    add("--ip-delay", type=float, default=0.5, help="the pause it promised per address (0.5)")
    add("--burst", type=int, default=1, help="requests to a host that may share their pauses (1)")
    add("--burst-parts", type=int, default=1, help="the same for parts of pages (1)")
    _add_topics(parser.add_argument_group("a web with topics"))
    return parser


def _add_topics(group: argparse._ArgumentGroup) -> None:
    usual = Shape()
    add = group.add_argument
    add("--topics", default=",".join(usual.names), help=f"their names ({','.join(usual.names)})")
    shares = {
        "other": "pages of none of the topics",
        "locality": "links that stay in the topic",
        "purity": "pages of a topic on hosts of its own",
        "hubs": "pages that link to many of their topic",
        "tunnels": "pages of a topic that are reached only through pages of none",
        "telling": "anchors with words of the target's topic",
        "several": "pages of two topics",
    }
    for name, meaning in shares.items():
        value = getattr(usual, name)
        add(f"--{name}", type=float, default=value, help=f"share of {meaning} ({value:g})")
    add("--tunnel-length", type=int, default=usual.tunnel_length, help="through how many (2)")
    add("--labels", type=Path, metavar="FILE", help="write topic and URL of every page as CSV")


def _topic_web(options: argparse.Namespace) -> TopicWeb:
    usual = Shape()
    shape = usual._replace(
        names=tuple(options.topics.split(",")),
        pages=options.pages or usual.pages,
        other=options.other,
        locality=options.locality,
        purity=options.purity,
        hubs=options.hubs,
        tunnels=options.tunnels,
        tunnel_length=options.tunnel_length,
        telling=options.telling,
        several=options.several,
    )
    return TopicWeb(shape, options.seed)


def _write_labels(web: TopicWeb, file: Path) -> None:
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("topic", "url"))
        rows.writerows((web.topic_of(url), url) for url in web.all_pages())


def make_web(options: argparse.Namespace) -> AnyWeb:
    """Return the web that the options describe."""
    if options.kind == "small":
        return GeneratedWeb.small(options.seed)
    if options.kind == "wide":
        addresses = options.addresses or max(1, options.hosts // 10)
        return GeneratedWeb.wide(options.seed, options.hosts, addresses, options.pages or 1000)
    if options.kind == "varied":
        addresses = options.addresses or max(1, options.hosts // 10)
        return GeneratedWeb.varied(options.seed, options.hosts, addresses)
    if options.kind == "tree":
        return GeneratedWeb.tree(options.levels, options.fanout, hosts=options.hosts)
    if options.kind == "secretive":
        return GeneratedWeb.secretive(options.seed)
    if options.kind == "endless":
        return GeneratedWeb.endless(options.seed)
    if options.kind == "lively":
        return GeneratedWeb.lively(options.seed)
    if options.kind == "topics":
        return _topic_web(options)
    if options.kind == "maze":
        return MazeWeb()
    if options.kind == "faulty":
        return FaultySite(options.seed)
    if options.kind == "scripts":
        return ScriptMaze()
    if options.kind == "documents":
        return DocumentWeb()
    if options.kind == "quotes":
        return QuotesWeb()
    if options.kind == "deep":
        return DeepWeb(options.pages or 300)
    return LibraryWeb() if options.kind == "library" else MisbehavingWeb()


def seeds_of(web: AnyWeb, *, has_tls: bool) -> list[str]:
    """Return seeds from which all pages can be reached that are served."""
    if not isinstance(web, GeneratedWeb):
        seeds = web.seeds()
    else:
        seeds = [web.home(number) for number in range(min(web.plan.hosts, 20))]
    return [seed for seed in seeds if has_tls or seed.startswith("http://")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a signal comes; the exit code is 1 if the referee found a breach."""
    options = _parser().parse_args(arguments)
    try:
        web = make_web(options)
    except LycosaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if options.labels and isinstance(web, TopicWeb):
        _write_labels(web, options.labels)
    rules = RefereeRules(
        delay_seconds=options.delay,
        ip_delay_seconds=options.ip_delay,
        burst_urls=options.burst,
        burst_parts=options.burst_parts,
        agent=options.agent,
        tolerance_seconds=SOCKET_TOLERANCE_SECONDS,
    )
    referee = Referee(rules, web)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        with contextlib.ExitStack() as stack:
            folder = options.folder or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="lycosa-testweb-"))
            )
            file = stack.enter_context(options.record.open("w")) if options.record else None
            server = SocketWeb(
                web,
                referee=Recorder(file, referee) if file else referee,
                time_scale=options.time_scale,
                tls=not options.no_tls,
                listen=Listen(options.port, options.tls_port, folder=folder),
            )
            has_tls = not options.no_tls
            seeds = seeds_of(web, has_tls=has_tls)
            _serve(stack.enter_context(server), seeds, has_tls=has_tls)
    except LycosaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if options.report:
        print(referee.report(), flush=True)
        return 1 if referee.breaches else 0
    return 0


def _serve(server: SocketWeb, seeds: Sequence[str], *, has_tls: bool) -> None:
    print(f"hosts {server.hosts_file}")
    if has_tls:
        print(f"ca {server.ca_file}")
    for seed in itertools.islice(seeds, 200):
        print(f"seed {seed}")
    print("ready", flush=True)
    while signal.sigwait(_SIGNALS) == signal.SIGUSR1:
        server.client_killed()


if __name__ == "__main__":
    sys.exit(main())
