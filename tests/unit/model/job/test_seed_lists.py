"""A long list of seeds stands beside the job, and is the same job as when it stood in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import ConfigError
from lycosa.model.job import Job, SeedList, parse_job
from lycosa.model.job.seeds import INLINE_MOST
from lycosa.runtime.directory import CrawlDirectory
from seeds import examples

MANY = [f"http://www.site.test:81/folder{n % 1000}/page-{n}.html" for n in range(3000)]
FEW = MANY[:INLINE_MOST]


def test_a_short_list_stays_in_the_job_file(tmp_path: Path) -> None:
    directory = CrawlDirectory.create(tmp_path / "c", Job.of(FEW))
    assert not directory.seeds_file.exists()
    assert directory.job().seeds == tuple(FEW)


def test_a_long_list_stands_beside_a_job_file_of_some_kilobytes(tmp_path: Path) -> None:
    job = Job.of(MANY, limits={"pages": 7})
    directory = CrawlDirectory.create(tmp_path / "c", job)
    assert directory.job_file.stat().st_size < 5000
    assert directory.seeds_file.read_text().splitlines() == MANY
    again = directory.job()
    assert again == job and list(again.seeds) == MANY and len(again.seeds) == len(MANY)
    assert again.seeds[:3] == tuple(MANY[:3]) and again.seeds[-1] == MANY[-1]
    assert again.digest() == job.digest() == directory.kept(job).digest()


def test_the_digest_of_a_job_needs_its_long_list_no_more(tmp_path: Path) -> None:
    job = Job.of(MANY)
    directory = CrawlDirectory.create(tmp_path / "c", job)
    directory.seeds_file.unlink()
    assert directory.job().digest() == job.digest() == parse_job(job.to_toml()).digest()


def test_the_digest_covers_every_seed() -> None:
    other = [*MANY[:-1], MANY[-1] + "x"]
    assert Job.of(other).digest() != Job.of(MANY).digest()
    assert Job.of(other) != Job.of(MANY)


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=5))
def test_whatever_stands_in_a_long_list_is_read_back(more: list[str]) -> None:
    job = Job.of(seeds=[*MANY[:1100], *(text for text in more if text.isprintable())])
    assert parse_job(job.to_toml()) == job


def test_a_list_with_a_seed_that_is_no_line_stays_in_the_job_file(tmp_path: Path) -> None:
    odd = [*MANY, "http://a.test/\nx"]
    directory = CrawlDirectory.create(tmp_path / "c", Job.of(odd))
    assert not directory.seeds_file.exists()
    assert list(directory.job().seeds) == odd


def test_the_job_is_read_without_its_seeds(tmp_path: Path) -> None:
    directory = CrawlDirectory.create(tmp_path / "c", Job.of(MANY))
    directory.seeds_file.unlink()
    job = directory.job()
    assert len(job.seeds) == len(MANY)
    with pytest.raises(ConfigError, match=r"seeds\.txt: the seeds cannot be read"):
        list(job.seeds)


def test_a_list_that_was_changed_is_not_taken_for_the_one_of_the_job(tmp_path: Path) -> None:
    directory = CrawlDirectory.create(tmp_path / "c", Job.of(MANY))
    text = directory.seeds_file.read_text()
    for changed in (text[: len(text) // 2], text.replace("page-7.", "page-8."), text + "\nx"):
        directory.seeds_file.write_text(changed)
        with pytest.raises(ConfigError, match="the seeds have changed since the job was written"):
            list(directory.job().seeds)


def test_a_job_file_may_name_a_list_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("# mine\n\n http://a.test/ \r\nhttp://b.test/\n")
    (tmp_path / "job.toml").write_text('seeds = {file = "list.txt"}\n')
    job = Job.read(tmp_path / "job.toml")
    assert list(job.seeds) == ["http://a.test/", "http://b.test/"] and len(job.seeds) == 2
    kept = CrawlDirectory.create(tmp_path / "c", job).job()
    assert isinstance(kept.seeds, SeedList) and kept.seeds.path == tmp_path / "c" / "seeds.txt"
    assert kept == job and kept.digest() == job.digest()


@pytest.mark.parametrize("seeds", ["{file = 7}", "{}", '{file = "a", sort = 1}', '["a", 7]', '""'])
def test_what_is_no_list_of_seeds_is_refused_with_the_remedy(seeds: str) -> None:
    with pytest.raises(ConfigError, match=r'seeds = \{file = "list.txt"\}'):
        parse_job(f"seeds = {seeds}\n")


def test_what_a_kill_left_of_a_new_crawl_does_not_stand_in_the_way(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    for left in ("seeds.writing", "seeds.txt", "crawl.writing"):
        (folder / left).write_text("half")
    assert list(CrawlDirectory.create(folder, Job.of(MANY)).job().seeds) == MANY
