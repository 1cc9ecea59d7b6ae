"""Every command names a table or index that is damaged or gone, with what mends it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from damage import cut, damage_web, flip, stopped
from damage_cases import Case, damage
from lycosa.analysis.study.build import study
from lycosa.errors import StoreError
from seeds import few_of
from warm import lycosa


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with damage_web() as server:
        yield stopped(server, tmp_path_factory.mktemp("base") / "stopped")


PAGES, INDEX = "pages/lycosa-0-00001.parquet", "cdx/lycosa-0-00001.cdxj"


@pytest.mark.parametrize(
    "words",
    [
        ["sql", "DIR", "select count(distinct title) from pages"],
        ["study", "DIR"],
        ["report", "DIR"],
        ["export", "pages", "DIR", "-o", "out.csv"],
        ["audit", "DIR"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("how", ["flip", "cut", "remove"])
def test_a_damaged_table_is_named_with_what_mends_it(
    base: Path, tmp_path: Path, words: list[str], how: str
) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "crawl"))
    damage(Case("stopped", PAGES, how, 0.3), folder)
    words = [str(folder) if word == "DIR" else word for word in words]
    done = lycosa(*words, cwd=tmp_path)
    assert done.returncode != 70, done.stderr
    if how != "flip":  # a byte may be one that this command does not read
        assert done.returncode in (5, 10), done.stdout
        assert f"lycosa verify {folder}" in done.stdout + done.stderr
        assert "lycosa-0-00001" in done.stdout + done.stderr


@pytest.mark.parametrize("places", few_of([4, 60], 1))
def test_no_flipped_byte_of_a_table_is_taken_for_a_mistake_of_ours(
    base: Path, tmp_path: Path, places: int
) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "crawl"))
    table = folder / PAGES
    sound = table.read_bytes()
    for place in range(0, len(sound), len(sound) // places):
        table.write_bytes(sound)
        flip(table, place / len(sound))
        with suppress(StoreError):  # or it is a byte that only a checksum knows
            study(folder, rebuild=True)
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        table.write_bytes(sound)
        flip(table, share)
        done = lycosa("sql", folder, "select count(distinct title) from pages", cwd=tmp_path)
        assert done.returncode in (0, StoreError.exit_code), done.stderr


@pytest.mark.parametrize("how", ["cut", "remove"])
def test_an_index_that_is_gone_is_named_by_cat(base: Path, tmp_path: Path, how: str) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "crawl"))
    damage(Case("stopped", INDEX, how, 0.3), folder)
    done = lycosa("cat", folder, "http://www.d0.test/", cwd=tmp_path)
    if done.returncode:
        assert done.returncode == 5
        assert f"lycosa verify {folder}" in done.stderr


def test_quads_that_are_gone_are_named_by_index(base: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "crawl"))
    next((folder / "triples").glob("*.zst")).unlink()
    done = lycosa("index", folder)
    assert done.returncode == 5
    assert f"lycosa verify {folder} --repair" in done.stderr


def test_an_audit_of_a_cut_archive_invents_no_breach(base: Path, tmp_path: Path) -> None:
    for number, part in enumerate(("warc/lycosa-0-00001.warc.gz", PAGES, "log/archive")):
        folder = Path(shutil.copytree(base, tmp_path / f"crawl-{number}"))
        for path in [folder / part] if number < 2 else sorted((folder / part).iterdir()):
            cut(path, 0.5)
        done = lycosa("audit", folder)
        assert "breach" not in done.stdout, done.stdout
        assert done.returncode in (0, 10), done.stderr
        if done.returncode:
            assert "not judged" in done.stdout


def test_a_log_that_is_no_database_is_named_with_what_mends_it(base: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(base, tmp_path / "crawl"))
    flip(folder / "log" / "log.sqlite", 0.0)
    for words in (["status", folder], ["resume", folder, "--quiet"], ["audit", folder]):
        done = lycosa(*words)
        assert done.returncode in (3, 4), done.stderr
        assert f"lycosa verify {folder}" in done.stderr
