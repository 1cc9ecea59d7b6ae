"""How many members can watch each other on a board?

    python -m benchmarks.board_rates [--only postgres,jetstream] [--members 64 400] [--seconds 5]

Every member writes its record every five seconds and reads all records every second. Eight
connections write and read records of the usual size as fast as they are answered, on servers as in
`benchmarks.logs`.

    writes     writes a second
    records    records read a second, in lists of all members; all readers are in one process, whose
               processor is the limit
    CPU        microseconds of CPU for a record that is read: the member's and the servers'
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.logs import KINDS
from benchmarks.processes import cpu_seconds
from benchmarks.shared_logs import pids_of

from lycosa.runtime.coordination.keys import MEMBERS, member_key
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.record import Member, pack
from servers import fresh_name, nats_cluster, postgres_server

READERS = 8


def together(boards: list[Board], act: Callable[[Board, int, int], int], seconds: float) -> float:
    """Return how much all connections do in a second."""
    done = [0] * len(boards)
    end = time.perf_counter() + seconds

    def work(number: int) -> None:
        turn = 0
        while time.perf_counter() < end:
            done[number] += act(boards[number], number, turn)
            turn += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(boards))]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - began)


def measure(url: str, pids: list[int], members: int, seconds: float) -> list[float]:
    """Return writes and records read in a second, and the CPU of a record here and there."""
    crawl = fresh_name()
    boards = [open_board(url, crawl) for _ in range(READERS)]
    revisions = {
        number: boards[0].put(member_key(number), _record(number, 0), 0).revision
        for number in range(1, members + 1)
    }

    def write(board: Board, connection: int, turn: int) -> int:
        number = 1 + connection + READERS * (turn % (members // READERS))
        answer = board.put(member_key(number), _record(number, turn + 1), revisions[number])
        revisions[number] = answer.revision
        return int(answer.is_written)

    writes = together(boards, write, seconds)
    here, there = time.process_time(), sum(map(cpu_seconds, pids))
    records = together(boards, lambda board, *_: len(board.list(MEMBERS) or ()), seconds)
    here, there = time.process_time() - here, sum(map(cpu_seconds, pids)) - there
    for board in boards:
        board.close()
    count = records * seconds
    return [writes, records, 1e6 * here / count, 1e6 * there / count]


def _record(number: int, beat: int) -> bytes:
    return pack(Member(number, f"machine-{number}.example.org", "1.0", 2, beat=beat))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(KINDS[1:]))
    parser.add_argument("--members", type=int, nargs="+", default=[64, 400])
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    print("| board | members | writes a second | records read a second | CPU a record, µs |")
    print("|---|---|---|---|---|")
    for kind in given.only.split(","):
        servers = postgres_server if kind == "postgres" else nats_cluster
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            folder.chmod(0o755)
            own = folder / "servers"
            own.mkdir()
            with servers(folder=own) as server:
                for members in given.members:
                    found = measure(server.url, pids_of(server), members, given.seconds)
                    writes, records, here, there = found
                    print(
                        f"| {kind} | {members} | {writes:,.0f} | {records:,.0f}"
                        f" | {here:.1f} + {there:.1f} |"
                    )


if __name__ == "__main__":
    main()
