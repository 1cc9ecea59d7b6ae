"""Every file of a crawl directory damaged in turn in every way, and what comes of each.

    python tests/damage_cases.py [--few] [WORD …]      # prints the table; of cases with these words

For each case: `sql` over the damaged tables, `verify` (quick and full), `verify --repair`,
`resume`, and then the truth: every page kept once in log, tables and archive, `sql` counts them,
and `verify` has nothing to say. Each runs in a process of its own, with a time limit.

A case is good if it ends like that and no reader was silent: `sql` has answered as before the
damage or named it, and never with an error that is not ours.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from damage import (
    TRUTH,
    complaints,
    cut,
    damage_web,
    finished,
    flip,
    killed,
    overwrite,
    stopped,
    swap,
    with_items,
)
from lycosa_testweb.servers.server import SocketWeb
from own_damage import KINDS_OF_DAMAGE, OF_OPEN

SECONDS = 120
PROCESSES = os.cpu_count() or 1
CUTS = (0.1, 0.6)
FLIPS = (0.02, 0.5, 0.97)
UNINTERESTING = ("lycosa.log",)
HOWS = ("remove", "empty", "cut", "flip", "overwrite", "swap", "own")
QUERY = """select
    (select count(*) from pages where outcome = 'kept') as kept,
    (select count(*) from pages) as pages,
    (select count(*) from links) as links,
    (select count(*) from text) as text,
    (select count(*) from hosts) as hosts,
    (select count(*) from items) as items,
    (select md5(string_agg(url || ordinal || data, ' ' order by url, ordinal, fetched_at))
        from items_history) as values,
    (select md5(string_agg(url || outcome || status || length, ' ' order by url, ended))
        from pages) as what
"""
"""What `sql` is asked of a damaged crawl: how many rows there are, and what is in them."""


class Case(NamedTuple):
    """One kind of damage to one file of one crawl."""

    base: str
    file: str
    how: str
    share: float = 0.0

    def __str__(self) -> str:
        return f"{self.base} {self.file} {self.how} {self.share:g}"


def files_of(folder: Path) -> list[str]:
    """Return all files of a crawl directory, derived ones aside."""
    found = [str(p.relative_to(folder)) for p in sorted(folder.rglob("*")) if p.is_file()]
    return [name for name in found if name not in UNINTERESTING]


def cases(base: str, folder: Path, part: str = "", *, is_few: bool) -> Iterator[Case]:
    """Yield the damage that is done to a crawl, or to its files whose paths begin so."""
    for file in files_of(folder):
        if not file.startswith(part):
            continue
        size = (folder / file).stat().st_size
        yield Case(base, file, "remove")
        if size:
            yield from (Case(base, file, how) for how in ("empty", "overwrite", "swap"))
        for share in (0.5,) if is_few else CUTS:
            if size:
                yield Case(base, file, "cut", share)
        for share in (0.5,) if is_few else FLIPS:
            if size:
                yield Case(base, file, "flip", share)


def item_bases(server: SocketWeb, folder: Path) -> dict[str, Path]:
    """Return crawls whose pages have items; of these, only their tables are damaged."""
    plugins = with_items(folder / "packages")
    return {
        "items, stopped": stopped(server, folder / "items-stopped", plugins=plugins),
        "items, killed": killed(server, folder / "items-killed", plugins=plugins),
    }


def own_cases() -> list[Case]:
    """Return the damage to folders and to several files."""
    found = [Case("stopped", name, "own") for name in KINDS_OF_DAMAGE]
    return found + [Case("killed", name, "own") for name in OF_OPEN]


def damage(case: Case, folder: Path) -> None:
    if case.how == "own":
        (KINDS_OF_DAMAGE | OF_OPEN)[case.file](folder)
        return
    path = folder / case.file
    if case.how == "remove":
        path.unlink()
    elif case.how == "empty":
        cut(path, 0)
    elif case.how == "cut":
        cut(path, case.share)
    elif case.how == "overwrite":
        overwrite(path)
    elif case.how == "swap":
        swap(folder, path)
    else:
        flip(path, case.share)


def answer(folder: Path) -> list[Any]:
    """Return what `sql` answers: the first is the number of pages, or the error that it names."""
    from lycosa.analysis.study.sql import asked
    from lycosa.errors import LycosaError

    try:
        with asked(folder, QUERY) as found:
            return list(found.fetchall()[0])
    except LycosaError as error:
        return [f"error: {error}"]


class Copy(NamedTuple):
    """The places of one case, and the environment of the test that asks for it."""

    base: Path
    folder: Path
    result: Path
    environment: dict[str, str]
    """The process that forks may have been started by another test, with another home."""


def run_case(case: Case, copy: Copy) -> None:
    """Damage a copy, verify, repair, resume and judge; the result goes to a file."""
    os.environ.update(copy.environment)
    base, folder, result, _ = copy
    from lycosa.runtime.directory import CrawlDirectory
    from lycosa.runtime.processes.run import run_crawl
    from lycosa.runtime.verify.inspection import verify
    from lycosa.runtime.verify.repair import repair

    told: dict[str, Any] = {"step": "copy"}
    try:
        shutil.copytree(base, folder)
        before = answer(folder)
        damage(case, folder)
        told["step"] = "sql"
        now = answer(folder)
        told["sql"] = now if now != before else []
        told["step"] = "quick"
        told["quick"] = not verify(folder, is_quick=True).is_clean
        told["step"] = "full"
        report = verify(folder)
        told["full"] = not report.is_clean
        told["said"] = [f"{one.file}: {one.what}" for one in report.findings]
        told["step"] = "repair"
        repaired = repair(folder)
        told["done"] = repaired.done
        told["repaired"] = repaired.after.is_clean
        told["left"] = [f"{one.file}: {one.what}" for one in repaired.after.findings]
        told["step"] = "resume"
        directory = CrawlDirectory.open(folder)
        told["reason"] = run_crawl(directory).reason
        told["step"] = "judge"
        told["complaints"] = complaints(folder)
        if (kept := answer(folder)[0]) != len(TRUTH):
            told["complaints"].append(f"sql: {kept} pages, {len(TRUTH)} are there")
        told["step"] = "again"
        after = verify(folder)
        told["clean"] = after.is_clean
        told["after"] = [f"{one.file}: {one.what}" for one in after.findings]
        told["step"] = "end"
    except BaseException as error:
        told["error"] = f"{type(error).__name__}: {error}"
        told["trace"] = traceback.format_exc()
    result.write_text(json.dumps(told))


def is_good(told: dict[str, Any]) -> bool:
    """Return whether a case ended with the truth, and no reader was silent on the way."""
    if told["step"] != "end" or told["complaints"] or not told["clean"]:
        return False
    return not told["sql"] or str(told["sql"][0]).startswith("error: ")


def run_all(
    wanted: list[Case], bases: dict[str, Path], folder: Path, beside: int = PROCESSES
) -> list[tuple[Case, dict[str, Any]]]:
    """Run cases, some side by side."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [
            "damage",
            "lycosa.runtime.processes.run",
            "lycosa.runtime.verify.repair",
            "lycosa.analysis.study.sql",
        ]
    )

    def run(numbered: tuple[int, Case]) -> tuple[Case, dict[str, Any]]:
        number, case = numbered
        target, result = folder / f"case-{number}", folder / f"case-{number}.json"
        copy = Copy(bases[case.base], target, result, dict(os.environ))
        process = context.Process(target=run_case, args=(case, copy))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
            told = {"step": "hang", "error": f"no end after {SECONDS} s"}
        elif result.exists():
            told = json.loads(result.read_text())
        else:
            told = {"step": "crash", "error": f"exit code {process.exitcode}"}
        if not is_good(told):
            print("BAD", case, {k: v for k, v in told.items() if k != "trace"}, flush=True)
            print(told.get("trace", ""), flush=True)
        else:
            shutil.rmtree(target, ignore_errors=True)
        return case, told

    with ThreadPoolExecutor(beside) as pool:
        return list(pool.map(run, enumerate(wanted)))


def main() -> int:
    """Run everything and print the table."""
    is_few = "--few" in sys.argv
    only = [word for word in sys.argv[1:] if not word.startswith("--")]
    given = (int(word[9:]) for word in sys.argv if word.startswith("--beside="))
    beside = next(given, PROCESSES)
    folder = Path(tempfile.mkdtemp(prefix="lycosa-damage-", dir="/dev/shm"))
    began = time.monotonic()
    with damage_web() as server:
        bases = {
            "stopped": stopped(server, folder / "stopped"),
            "killed": killed(server, folder / "killed"),
            "finished": finished(server, folder / "finished"),
        }
        wanted = [c for base, path in bases.items() for c in cases(base, path, is_few=is_few)]
        wanted += own_cases()
        of_items = item_bases(server, folder)
        bases |= of_items
        for base, path in of_items.items():
            wanted += cases(base, path, "items/", is_few=is_few)
        wanted = [c for c in wanted if all(word in str(c) for word in only)]
        results = run_all(wanted, bases, folder, beside)
    bad = [(case, told) for case, told in results if not is_good(told)]
    table: Counter[tuple[str, str, str]] = Counter()
    quiet: Counter[tuple[str, str]] = Counter()
    for case, told in results:
        part = "(own)" if case.how == "own" else case.file.rpartition("/")[0] or case.file
        part = case.file if part == "log" else part
        noticed = "noticed" if told.get("full") else "not noticed"
        table[part, case.how, noticed] += 1
        if not told.get("full"):
            quiet[part, f"{case.how} {case.share:g}"] += 1
    print(f"\n{'file':28}{'damage':10}{'noticed':>9}{'not':>6}")
    for part in sorted({key[0] for key in table}):
        for how in HOWS:
            yes, no = table[part, how, "noticed"], table[part, how, "not noticed"]
            if yes or no:
                print(f"{part:28}{how:10}{yes:9}{no:6}")
    print("\nnot noticed; of rows that are open (links, text) a reader gets another byte:")
    for (part, what), times in sorted(quiet.items()):
        print(f"  {part:28}{what:12}{times:4}")
    seconds = time.monotonic() - began
    print(f"\n{len(results)} cases, {len(bad)} bad, {seconds:.0f} s; {folder if bad else ''}")
    if not bad:
        shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
