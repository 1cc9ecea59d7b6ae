"""Measures what a host costs in a real crawl: made-up hosts on loopback addresses, a page each.

    python -m benchmarks.many_hosts [--hosts 2000 10000] [--lycosa PROGRAM]

nginx serves all hosts from one core; a host has a robots file and a front page, and is found as a
seed. Every size is crawled by a process of its own over real sockets, with log, archive, tables and
the last sealing. The memory of a host is the difference between the peaks of two sizes, so what a
crawl takes in any case is left out. `hosts.py` measures the table of hosts alone.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.broad.__main__ import lycosa_urls
from benchmarks.race.clients import CONNECTIONS, lycosa_program, run_folder
from benchmarks.race.measuring import Usage, measure
from benchmarks.race.server import CORE, free_port, wait_for
from benchmarks.race.table import markdown
from benchmarks.race.trees import program

ADDRESSES = 250
HEADS = ["hosts", "pages", "pages per CPU-second", "wall, s", "peak, MB"]
CONFIGURATION = """\
daemon off;
master_process off;
user root;
worker_rlimit_nofile 65536;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  keepalive_timeout 60;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    {listen}
    types {{ }}
    location = /robots.txt {{ default_type text/plain; return 200 "User-agent: *\\n"; }}
    location / {{
      default_type text/html;
      return 200 "<!DOCTYPE html><html lang=en><title>$host</title><p>The front page of $host.</p>";
    }}
  }}
}}
"""


def name(number: int) -> str:
    return f"www.h{number}.test"


def address(number: int) -> str:
    return f"127.0.8.{number % ADDRESSES + 1}"


@contextlib.contextmanager
def serving() -> Iterator[int]:
    """Serve every host; gives the port."""
    nginx, port = program("nginx", "nginx"), free_port()
    with tempfile.TemporaryDirectory(prefix="many-hosts-") as at:
        folder = Path(at)
        listen = "\n    ".join(f"listen {address(n)}:{port};" for n in range(ADDRESSES))
        file = folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, listen=listen))
        process = subprocess.Popen(
            ["taskset", "-c", str(CORE), nginx.path, "-p", at, "-c", str(file)],
            env={"PATH": "/usr/bin:/bin", **nginx.environment},
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr").open("w"),
        )
        try:
            wait_for(process, (address(0), port), folder)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def crawl(lycosa: str, port: int, hosts: int) -> tuple[Usage, int]:
    """Crawl so many hosts; returns what it took, and how many pages it kept."""
    folder = Path(tempfile.mkdtemp(prefix="many-hosts-", dir=run_folder()))
    try:
        lines = "".join(f"{address(n)} {name(n)}\n" for n in range(hosts))
        (folder / "hosts").write_text(lines)
        (folder / "seeds").write_text("".join(f"http://{name(n)}:{port}/\n" for n in range(hosts)))
        command = [lycosa, "crawl", "--seeds", str(folder / "seeds"), "-o", str(folder / "crawl")]
        command += ["--include", ".test", "--allow-private", "--workers", "1", "--delay", "0"]
        command += ["--ip-delay", "0", "--mining", "off", "--connections", str(CONNECTIONS)]
        for setting in (
            "politeness.answer_time_factor=0",
            "robots.sitemaps=false",
            f"fetch.hosts_file={folder / 'hosts'}",
        ):
            command += ["--set", setting]
        command += ["--quiet", "--json"]
        usage = measure(command, folder=folder, environment={}, most_seconds=1_800)
        return usage, len(lycosa_urls(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.many_hosts", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--hosts", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--lycosa", default="", help="a program to measure; else this working tree")
    asked = parser.parse_args(arguments)
    lycosa = asked.lycosa or lycosa_program()
    peaks: list[tuple[int, float]] = []
    rows = []
    with serving() as port:
        for hosts in sorted(asked.hosts):
            usage, pages = crawl(lycosa, port, hosts)
            peaks.append((hosts, usage.peak_megabytes))
            row = [f"{hosts:,}", f"{pages:,}", f"{pages / usage.cpu_seconds:,.0f}"]
            rows.append([*row, f"{usage.wall_seconds:.1f}", f"{usage.peak_megabytes:.0f}"])
    print(markdown(HEADS, rows))
    for (few, low), (many, high) in pairwise(peaks):
        each = (high - low) * 1e6 / (many - few)
        print(f"\nFrom {few:,} to {many:,} hosts: {each:,.0f} bytes a host.")


if __name__ == "__main__":
    main()
