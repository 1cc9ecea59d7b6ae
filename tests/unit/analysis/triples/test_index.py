"""The index of triples: the newest fetch of every page, once, whatever happens on the way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.analysis.triples import index as index_module
from lycosa.analysis.triples.index import Index, Progress
from lycosa.errors import QueryError
from lycosa.storage.archive.layout import Name, quads_path
from lycosa.storage.tables.quads import rewrite
from seeds import few_of
from unit.analysis.triples.segments import block, said, seal


def test_pages_are_graphs_and_fetches_replace_each_other(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "old", "same"), block("a.test/2", 10, "two"))
    index = Index(tmp_path)
    done = index.update()
    assert (done.segments, done.pages, done.quads, done.size) == (1, 2, 3, 3)
    seal(tmp_path, 2, block("a.test/1", 20, "new", "same"), block("a.test/2", 20))
    done = index.update()
    assert (done.segments, done.pages, done.size) == (1, 2, 2)
    assert said(index) == {"a.test/1": {"new", "same"}}


def test_what_is_older_never_replaces_what_is_newer(tmp_path: Path) -> None:
    index = Index(tmp_path)
    seal(
        tmp_path, 5, block("a.test/1", 50, "new"), block("a.test/2", 50), block("a.test/3", 1, "x")
    )
    index.update()
    older = [block("a.test/1", 40, "old"), block("a.test/2", 40, "gone"), block("a.test/3", 2, "y")]
    seal(tmp_path, 4, *older)
    index.update()
    assert said(index) == {"a.test/1": {"new"}, "a.test/3": {"y"}}


def test_a_page_may_come_many_times_in_one_loading(tmp_path: Path) -> None:
    chance = random.Random(1)
    fetches = [
        (f"a.test/{page}", moment, [f"{moment}"] * (moment % 3 > 0))
        for page in range(20)
        for moment in chance.sample(range(1000), 10)
    ]
    newest = {page: (moment, texts) for page, moment, texts in sorted(fetches, key=lambda f: f[1])}
    chance.shuffle(fetches)
    for number in range(4):
        made = [block(page, moment, *texts) for page, moment, texts in fetches[number::4]]
        seal(tmp_path, number + 1, *made)
    index = Index(tmp_path)
    index.update()
    assert said(index) == {page: set(texts) for page, (_, texts) in newest.items() if texts}


def test_doing_it_again_changes_nothing(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    index = Index(tmp_path)
    index.update()
    generation = index.generation()
    done = index.update()
    assert (done.segments, done.quads, done.size) == (0, 0, 1)
    assert index.generation() == generation


def test_a_copied_crawl_keeps_its_index(tmp_path: Path) -> None:
    seal(tmp_path / "a", 1, block("a.test/1", 10, "x"))
    Index(tmp_path / "a").update()
    shutil.copytree(tmp_path / "a", tmp_path / "b", copy_function=shutil.copyfile)
    done = Index(tmp_path / "b").update()
    assert (done.segments, done.is_anew) == (0, False)


def test_an_index_that_no_longer_fits_the_segments_is_built_anew(tmp_path: Path) -> None:
    path = seal(tmp_path, 1, block("a.test/1", 10, "x"), block("b.test/1", 10, "y"))
    index = Index(tmp_path)
    index.update()
    rewrite(path, path.with_suffix(".tmp"), lambda block: "b.test" in block.url)
    path.with_suffix(".tmp").rename(path)
    assert index.update().is_anew
    assert said(index) == {"a.test/1": {"x"}}


@pytest.mark.parametrize("is_bulk", [False, True])
def test_lines_that_are_no_quads_are_left_out_and_counted(
    is_bulk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "SMALL_BYTES", 0 if is_bulk else 10**9)
    good, bad = block("a.test/1", 10, "good"), block("a.test/2", 10, "also good")
    bad = bad._replace(quads=b"<no> <http://p.test/> 5 .\n" + bad.quads + b"junk\n")
    seal(tmp_path, 1, good, bad)
    index = Index(tmp_path)
    done = index.update()
    assert (done.unreadable, done.quads, done.size) == (2, 2, 2)
    assert said(index) == {"a.test/1": {"good"}, "a.test/2": {"also good"}}


def test_bulk_loading_and_transactions_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for small in (0, 10**9):
        monkeypatch.setattr(index_module, "SMALL_BYTES", small)
        folder = tmp_path / str(small)
        seal(folder, 1, *(block(f"a.test/{n}", 10, "a", f"{n}") for n in range(300)))
        index = Index(folder)
        index.update()
        seal(folder, 2, *(block(f"a.test/{n}", 20, "b") for n in range(0, 300, 3)))
        index.update()
        expected = {f"a.test/{n}": {"b"} if n % 3 == 0 else {"a", f"{n}"} for n in range(300)}
        assert said(index) == expected


def test_readers_keep_their_generation_and_the_next_ones_see_the_new(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "old"))
    index = Index(tmp_path)
    index.update()
    with index.reading() as store:
        seal(tmp_path, 2, block("a.test/1", 20, "new"))
        index.update()
        assert [quad.object.value for quad in store] == ["old"]
        assert said(index) == {"a.test/1": {"new"}}
    seal(tmp_path, 3, block("a.test/1", 30, "newest"))
    index.update()
    folders = [path.name for path in index.folder.iterdir() if path.is_dir()]
    assert folders == [index.generation()]


def test_progress_is_told(tmp_path: Path) -> None:
    for number in range(3):
        seal(tmp_path, number + 1, block(f"a.test/{number}", 10, "x"))
    told: list[Progress] = []
    Index(tmp_path).update(told.append)
    assert told[-1] == Progress(3, 3, 3, 3)


def test_long_loadings_are_put_in_place_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "PUBLISH_SECONDS", 0.0)
    monkeypatch.setattr(index_module, "GROUP_BYTES", 1)
    for number in range(4):
        seal(tmp_path, number + 1, block("a.test/1", number, f"{number}"))
    index = Index(tmp_path)
    done = index.update()
    assert (done.segments, done.size) == (4, 1)
    assert index.generation() == "00000004"
    assert said(index) == {"a.test/1": {"3"}}


def test_nothing_of_a_host_that_was_forgotten_is_left_in_the_files(tmp_path: Path) -> None:
    path = seal(tmp_path, 1, *(block(f"{h}.test/{n}", 10, "x") for n in range(50) for h in "ab"))
    index = Index(tmp_path)
    index.update()
    rewrite(path, path.with_suffix(".tmp"), lambda block: "//b.test" in block.url)
    path.with_suffix(".tmp").rename(path)
    assert index.update().is_anew
    assert set(said(index)) == {f"a.test/{n}" for n in range(50)}
    assert not index.update().is_anew
    content = b"".join(file.read_bytes() for file in index.folder.rglob("*") if file.is_file())
    assert b"b.test" not in content and b"a.test" in content


def test_without_an_index_the_text_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=f"lycosa index {tmp_path}"), Index(tmp_path).reading():
        pass


def test_two_do_not_index_at_once(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    index = Index(tmp_path)

    def meanwhile(progress: Progress) -> None:
        with pytest.raises(QueryError, match="another process"):
            Index(tmp_path).update()

    index.update(meanwhile)


def test_a_damaged_store_says_what_to_do(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    index = Index(tmp_path)
    index.update()
    for path in (index.folder / (index.generation() or "") / "store").glob("MANIFEST*"):
        path.write_bytes(b"nonsense")
    with pytest.raises(QueryError, match="build it again"), index.reading():
        pass


KILLED = """
import os, signal, sys
from pathlib import Path
from lycosa.analysis.triples import index
index.SMALL_BYTES = int(sys.argv[3])

def reach(name):
    if name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

def tell(progress):
    if sys.argv[2] == "progress":
        reach("progress")

index.Index(Path(sys.argv[1])).update(tell, reach)
"""


@pytest.mark.parametrize("small", few_of([0, 10**9], 1))
@pytest.mark.parametrize(
    "name", few_of(["index.loaded", "index.renamed", "index.published", "progress"], 2)
)
def test_a_kill_at_any_moment_costs_only_time(name: str, small: int, tmp_path: Path) -> None:
    index = Index(tmp_path)
    seal(tmp_path, 1, *(block(f"a.test/{n}", 10, "old") for n in range(1500)))
    index.update()
    seal(tmp_path, 2, *(block(f"a.test/{n}", 20, "new") for n in range(0, 1500, 2)))
    command = [sys.executable, "-c", KILLED, str(tmp_path), name, str(small)]
    for _ in range(2):
        killed = subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": "src"})
        assert killed.returncode in (-signal.SIGKILL, 0)
        assert len(said(index)) == 1500
    assert index.update().size == 1500
    assert said(index) == {f"a.test/{n}": {"old" if n % 2 else "new"} for n in range(1500)}
    assert not list(index.folder.glob("*.building"))


def test_segments_of_any_name_count(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    quads_path(tmp_path, Name(1, 0)).rename(quads_path(tmp_path, Name(123456, 7)))
    assert Index(tmp_path).update().quads == 1
