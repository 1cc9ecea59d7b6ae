"""The text index: the newest fetch of every page, once, whatever happens on the way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.analysis.text_index import anchors, current_pages
from lycosa.analysis.text_index import index as index_module
from lycosa.analysis.text_index.index import TextIndex, TextProgress
from lycosa.errors import QueryError, StoreError
from lycosa.model.job import Job
from seeds import few_of
from unit.analysis.text_index.tables import JOB, Fetch, content, indexed, seal, search, urls

WORDS = ["ada", "engine", "number", "card", "loom", "wheel", "table", "proof", "steam", "brass"]


def test_the_newest_fetch_of_a_page_is_found(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "the old engine"), Fetch("a.test/2", 1, "a loom"))
    indexed(tmp_path)
    assert urls(search(tmp_path, "engine")) == ["a.test/1"]
    seal(tmp_path, 2, Fetch("a.test/1", 2, "the new wheel"))
    done = TextIndex(tmp_path, JOB).update()
    assert (done.added, done.removed, done.pages, done.is_anew) == (1, 0, 2, False)
    assert urls(search(tmp_path, "engine")) == []
    assert urls(search(tmp_path, "wheel")) == ["a.test/1"]


@pytest.mark.parametrize(
    "later",
    [
        Fetch("a.test/1", 2, outcome="not_found"),
        Fetch("a.test/1", 2, outcome="redirected", moved_to="a.test/2"),
        Fetch("a.test/1", 2, "engine", noindex=True),
    ],
    ids=["gone", "moved", "noindex"],
)
def test_a_page_that_is_gone_or_asks_for_it_is_taken_out(later: Fetch, tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"), Fetch("a.test/2", 1, "engine"))
    indexed(tmp_path)
    seal(tmp_path, 2, later)
    done = TextIndex(tmp_path, JOB).update()
    assert (done.added, done.removed, done.pages) == (0, 1, 1)
    assert urls(search(tmp_path, "engine")) == ["a.test/2"]


def test_too_little_memory_is_named_and_the_index_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    indexed(tmp_path)
    seal(tmp_path, 2, Fetch("a.test/2", 1, "engine"))
    monkeypatch.setattr(current_pages, "_LEAST_BYTES", 100_000)
    with pytest.raises(StoreError, match=r"cannot be made\n.*Memory(.|\n)*make room"):
        TextIndex(tmp_path, JOB).update()
    assert urls(search(tmp_path, "engine")) == ["a.test/1"]


def test_a_failure_that_may_pass_changes_nothing(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    seal(tmp_path, 2, Fetch("a.test/1", 2, outcome="timeout"))
    seal(tmp_path, 3, Fetch("a.test/1", 3, outcome="not_modified"))
    indexed(tmp_path)
    assert urls(search(tmp_path, "engine")) == ["a.test/1"]


def test_noindex_is_taken_in_where_the_job_says_so(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine", noindex=True))
    job = Job.of(seeds=["http://a.test/"], extract={"obey_noindex": False})
    assert TextIndex(tmp_path, job).update().pages == 1
    assert TextIndex(tmp_path, JOB).update().pages == 0


@pytest.mark.parametrize("part_links", [1, 1_000_000])
def test_a_page_is_found_by_what_others_call_it(
    part_links: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchors, "_PART_LINKS", part_links)
    links = (("a.test/3", "Analytical Engine"), ("a.test/4", "next"), ("a.test/old", "Brass"))
    seal(
        tmp_path,
        1,
        Fetch("a.test/1", 1, "one", links=links),
        Fetch("a.test/3", 1, "three"),
        Fetch("a.test/4", 1, "four"),
        Fetch("a.test/old", 1, outcome="redirected", moved_to="a.test/older"),
        Fetch("a.test/older", 1, outcome="redirected", moved_to="a.test/4"),
    )
    indexed(tmp_path)
    assert urls(search(tmp_path, "analytical engine")) == ["a.test/3"]
    assert urls(search(tmp_path, "brass")) == ["a.test/4"], "through two redirects"
    assert urls(search(tmp_path, "next")) == []
    seal(tmp_path, 2, Fetch("a.test/1", 2, "one", links=(("a.test/3", "Difference Engine"),)))
    done = TextIndex(tmp_path, JOB).update()
    assert urls(search(tmp_path, "analytical")) == []
    assert urls(search(tmp_path, "difference")) == ["a.test/3"]
    assert done.added == 3, "the source, and both whose anchors have changed"


def test_what_a_killed_indexer_had_put_aside_is_removed(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    aside = TextIndex(tmp_path, JOB).store.folder / "lycosa-anchors-x.tmp"
    aside.mkdir(parents=True)
    (aside / "much.data").touch()
    indexed(tmp_path)
    assert not aside.exists()


def test_doing_it_again_changes_nothing(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    index = indexed(tmp_path)
    generation = index.store.current()
    assert index.update() == (0, 0, False, 1, False)
    assert index.store.current() == generation
    assert index.update(anew=True).is_anew
    assert index.store.current() != generation


def test_nothing_of_a_host_that_was_forgotten_is_left_in_the_files(tmp_path: Path) -> None:
    fetches = [Fetch(f"{h}.test/{n}", 1, f"secret{h} {n}") for n in range(50) for h in "ab"]
    seal(tmp_path, 1, *fetches)
    index = indexed(tmp_path)
    seal(tmp_path, 1, *(fetch for fetch in fetches if fetch.page.startswith("a")))
    assert index.update().is_anew
    files = [file.read_bytes() for file in index.store.folder.rglob("*") if file.is_file()]
    assert b"secretb" not in b"".join(files) and b"secreta" in b"".join(files)
    assert search(tmp_path, "secretb").total == 0


def test_a_copied_crawl_keeps_its_index(tmp_path: Path) -> None:
    seal(tmp_path / "a", 1, Fetch("a.test/1", 1, "engine"))
    indexed(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b", copy_function=shutil.copyfile)
    assert TextIndex(tmp_path / "b", JOB).update().added == 0


def test_long_builds_are_put_in_place_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "PUBLISH_SECONDS", 0.0)
    monkeypatch.setattr(index_module, "_BATCH_ROWS", 3)
    for number in range(3):
        fetches = [Fetch(f"a.test/{n}", 1, "engine") for n in range(5 * number, 5 * number + 5)]
        seal(tmp_path, number + 1, *fetches)
    told: list[TextProgress] = []
    index = TextIndex(tmp_path, JOB)
    assert index.update(told.append).pages == 15
    assert told[-1] == (15, 15)
    assert int(index.store.current() or 0) > 1
    assert search(tmp_path, "engine").total == 15


def test_without_an_index_the_text_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=f"no text index\n  build it: lycosa index {tmp_path}"):
        search(tmp_path, "engine")


def test_a_damaged_index_says_what_to_do(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    index = indexed(tmp_path)
    (index.store.folder / (index.store.current() or "") / "store" / "meta.json").write_text("no")
    with pytest.raises(QueryError, match="build it again"):
        search(tmp_path, "engine")


# -- the same, whatever the way -------------------------------------------------------------


def random_fetches(chance: random.Random, moment: int, pages: int) -> list[Fetch]:
    """Return what a day of crawling brings: new pages, changed ones, gone ones, moved ones."""
    found = []
    for _ in range(pages):
        page = f"{chance.choice('abc')}.test/{chance.randrange(3 * pages)}"
        moment += 1
        fate = chance.random()
        if fate < 0.1:
            found.append(Fetch(page, moment, outcome="not_found"))
        elif fate < 0.15:
            target = f"a.test/{chance.randrange(3 * pages)}"
            found.append(Fetch(page, moment, outcome="redirected", moved_to=target))
        else:
            links = tuple(
                (f"{chance.choice('abc')}.test/{chance.randrange(3 * pages)}", chance.choice(WORDS))
                for _ in range(3)
            )
            text = " ".join(chance.choices(WORDS, k=20))
            is_noindex = chance.random() < 0.1
            found.append(Fetch(page, moment, text, chance.choice(WORDS), links, noindex=is_noindex))
    return found


@pytest.mark.parametrize("increments", few_of([4, 10], 1))
def test_increments_give_what_a_build_from_nothing_gives(increments: int, tmp_path: Path) -> None:
    chance = random.Random(7)
    index = TextIndex(tmp_path, JOB)
    for number in range(increments):
        seal(tmp_path, number + 1, *random_fetches(chance, 1000 * number, 30))
        index.update()
    stepwise = content(tmp_path)
    assert index.update(anew=True).is_anew
    assert content(tmp_path) == stepwise
    assert len(stepwise) > 10 * increments


KILLED = """
import os, signal, sys
from pathlib import Path
from lycosa.analysis.text_index import index
from unit.analysis.text_index.tables import JOB
index.PUBLISH_SECONDS = 0.0
index._BATCH_ROWS = 20
name, left = sys.argv[2], int(sys.argv[3])

def reach(reached):
    global left
    if reached == name:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

index.TextIndex(Path(sys.argv[1]), JOB).update(lambda progress: reach("progress"), reach)
"""
POINTS = ("progress", "index.loaded", "index.renamed", "index.published")


def steps_with_kills(folder: Path, kills: int, seed: int) -> int:
    """Index three days of a crawl, killed on the way; return how many kills struck."""
    chance = random.Random(seed)
    struck = 0
    for number in range(3):
        seal(folder, number + 1, *random_fetches(random.Random(number), 1000 * number, 60))
        for _ in range(kills):
            words = [str(folder), chance.choice(POINTS), str(chance.choice([1, 1, 2, 3]))]
            done = subprocess.run(
                [sys.executable, "-c", KILLED, *words],
                check=False,
                env=os.environ | {"PYTHONPATH": "src:tests"},
            )
            assert done.returncode in (-signal.SIGKILL, 0)
            struck += done.returncode != 0
        TextIndex(folder, JOB).update()
        assert not list((folder / "index" / "text").glob("*.building"))
    return struck


def test_kills_at_fail_points_cost_only_time(tmp_path: Path) -> None:
    assert steps_with_kills(tmp_path / "killed", 1, 3) >= 2
    steps_with_kills(tmp_path / "whole", 0, 1)
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


@pytest.mark.soak
def test_a_hundred_kills_at_fail_points_cost_only_time(tmp_path: Path) -> None:
    steps_with_kills(tmp_path / "whole", 0, 1)
    whole = content(tmp_path / "whole")
    struck = seed = 0
    while struck < 100:
        seed += 1
        struck += steps_with_kills(tmp_path / str(seed), 4, seed)
        assert content(tmp_path / str(seed)) == whole
