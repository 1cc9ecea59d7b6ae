"""What `docs/howto/run-a-cluster.md` tells to type works, on three machines that are processes.

Each machine is a folder, which is its home, a host name (a UTS namespace) and a record of what was
accepted there. The names of the NATS servers are in a hosts file that the machines see in place of
the system's (a mount namespace). `# machine 2` at the head of a block says where it is typed; what
crawls there runs on while the next blocks are typed. A machine on which a crawl is started anew is
killed before, if it has not ended: the page speaks of machines that died.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
import pytest

from examples import Block, blocks
from lycosa.cli.main import cli
from lycosa.cli.trial.web import TrialWeb, served_web
from lycosa.storage.archive.reader import table
from servers.keyed import free_addresses, keyed_nats
from servers.seaweed import BUCKET, environment, seaweed_server
from worker_crawls import eventually

PAGE = "docs/howto/run-a-cluster.md"
TYPED = [block for block in blocks(PAGE) if block.language == "sh"]
FIRST = TYPED[0]
MACHINE = re.compile(r"# machine (\d)\n")
CRAWLS = ("crawl", "join", "resume")
ANOTHER_HOST = ["unshare", "-um"] if os.geteuid() == 0 else ["unshare", "-rum"]
NAMES = [f"n{number}.example.org" for number in (1, 2, 3)]
KEYS = {1: "operator", 2: "member-1", 3: "member-2"}
"""Which folder of the keys each machine gets."""


def commands(block: Block) -> list[list[str]]:
    """Return the words of the `lycosa` commands of a block."""
    lines = block.script.replace("\\\n", " ").splitlines()
    found = [shlex.split(line, comments=True) for line in lines]
    return [words[1:] for words in found if words and words[0] == "lycosa"]


@pytest.mark.parametrize("block", TYPED, ids=lambda block: str(block.line))
def test_every_command_of_the_page_is_there(block: Block) -> None:
    for words in commands(block):
        command: click.Command | None = cli
        rest = list(words)
        while isinstance(command, click.Group):
            command = command.get_command(click.Context(cli), rest.pop(0))
        assert command is not None, words
        known = {name for one in command.params for name in one.opts}
        assert {word for word in rest if word.startswith("-")} <= known, words


class Cluster:
    """Three machines, and somebody who types on them."""

    def __init__(self, folder: Path, web: TrialWeb, variables: dict[str, str]) -> None:
        self.folder = folder
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = os.environ | {"PATH": path, "COLUMNS": "100"} | variables
        self._crawls: dict[int, subprocess.Popen[bytes]] = {}
        (folder / "job.toml").write_text(web.job.to_toml("seeds.txt"), encoding="utf-8")
        self._servers = ExitStack()
        self._addresses = dict(zip(NAMES, free_addresses(), strict=True))
        hosts = "".join(f"{address} {name}\n" for name, address in self._addresses.items())
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}", encoding="ascii")
        for number in (1, 2, 3):
            machine = folder / str(number)
            machine.mkdir()
            (machine / "seeds.txt").write_text("\n".join(web.job.seeds), encoding="utf-8")

    def type(self, block: Block) -> None:
        """Type a block on its machine, or on the first."""
        found = MACHINE.match(block.script)
        number = int(found[1]) if found else 1
        print(f"\n[machine {number}] $ {block.script.strip()}", flush=True)
        words = commands(block)[0] if commands(block) else [""]
        if words[0] in CRAWLS:
            self._begin(number, block.script, words[0])
        else:
            if words[:2] == ["cluster", "forget"]:
                self._end(3)
            print(self._run(number, block.script), flush=True)
            if words[:2] == ["cluster", "keys"]:
                self._start_servers(self.folder / str(number) / words[2])
            if words[:2] == ["cluster", "stop"]:
                self.wait()
            elif words[:2] == ["cluster", "drain"]:  # the second machine has one member, the second
                assert self._crawls[int(words[-1])].wait(300) == 0  # it copies the rest first

    def _start_servers(self, keys: Path) -> None:
        """Copy the keys to the machines, and start the servers with theirs."""
        for number, name in KEYS.items():
            shutil.copytree(keys / name, self.folder / str(number) / "keys")
        known = f'mount --bind {self.folder / "hosts"} /etc/hosts && exec "$@"'
        inside = [*ANOTHER_HOST, "sh", "-c", known, "-"]
        self._servers.enter_context(keyed_nats(keys, self._addresses, inside))

    def _begin(self, number: int, script: str, name: str) -> None:
        """Start a crawl and wait until it has joined."""
        self._end(number)
        log = self.folder / str(number) / "mycrawl" / "lycosa.log"
        before = _joined(self.folder / str(number))
        extra = "" if name == "resume" else " --config ../job.toml"  # the test web's hosts
        with (self.folder / f"{number}.txt").open("ab") as said:
            self._crawls[number] = subprocess.Popen(
                self._on(number, script.rstrip() + extra),
                cwd=self.folder / str(number),
                env=self._home(number),
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        process = self._crawls[number]
        eventually(
            lambda: _joined(self.folder / str(number)) > before or process.poll() is not None, 90.0
        )
        assert process.poll() is None, f"{log}\n{self.said(number)}"

    def _end(self, number: int) -> None:
        """Let a machine die, if something runs on it."""
        process = self._crawls.pop(number, None)
        if process is not None and process.poll() is None:
            print(f"[machine {number} dies]", flush=True)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait(self) -> None:
        """Wait until all crawls have ended by themselves, without an error."""
        eventually(lambda: all(p.poll() is not None for p in self._crawls.values()), 900.0)
        for number, process in self._crawls.items():
            assert process.returncode in (0, 130), self.said(number)
        self._crawls.clear()

    def close(self) -> None:
        for number in (1, 2, 3):
            self._end(number)
        self._servers.close()

    def said(self, number: int) -> str:
        return (self.folder / f"{number}.txt").read_text()

    def _run(self, number: int, script: str) -> str:
        done = subprocess.run(
            self._on(number, script),
            cwd=self.folder / str(number),
            env=self._home(number),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}"
        return done.stdout

    def _home(self, number: int) -> dict[str, str]:
        machine = self.folder / str(number)
        return self._environment | {
            "HOME": str(machine),
            "LYCOSA_STATE_DIR": str(machine / "state"),
        }

    def _on(self, number: int, script: str) -> list[str]:
        hosts = f"mount --bind {self.folder / 'hosts'} /etc/hosts"
        log = FIRST.script.splitlines()[0]
        script = f"{hosts}\nhostname machine-{number}\n{log}\n{script}"
        return [*ANOTHER_HOST, "bash", "-e", "-c", script]


def _joined(machine: Path) -> int:
    """Return how many lives the members of a machine have begun, by their log files."""
    return sum(file.read_text().count("joined as life") for file in machine.rglob("lycosa.log"))


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[Cluster, TrialWeb]]:
    with ExitStack() as stack:
        web = stack.enter_context(served_web(12, 5))
        store = stack.enter_context(seaweed_server(in_memory=True))
        variables = {"STORE": f"s3://{BUCKET}/news", **environment(store.endpoint)}
        machines = Cluster(folder, web, variables)
        stack.callback(machines.close)
        yield machines, web


@pytest.mark.soak
@pytest.mark.needs("mounts")
def test_the_page_is_typed_on_three_machines(tmp_path: Path) -> None:
    assert re.fullmatch(r'LOG="tls://\S+"\nSTORE=s3://\S+\n', FIRST.script)
    with cluster(tmp_path) as (machines, web):
        for block in TYPED[1:]:
            if block.script.startswith("lycosa fetch"):
                machines.wait()
            machines.type(block)
        rows = table(tmp_path / "1" / "copy", "pages", ["url", "outcome"]).to_pylist()
        assert {row["url"] for row in rows if row["outcome"] == "kept"} == web.pages()
