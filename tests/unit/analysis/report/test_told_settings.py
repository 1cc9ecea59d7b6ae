from __future__ import annotations

from lycosa.analysis.report.told_settings import TOLD, job_text
from lycosa.model.job import SECTIONS, Job
from lycosa.model.job.keys import keys_of


def test_every_setting_that_is_told_exists_and_none_names_a_file_or_a_secret() -> None:
    keys = {(name, key.name): key for name in SECTIONS for key in keys_of(SECTIONS[name]).values()}
    assert keys.keys() >= TOLD
    assert not any(keys[told].is_path or keys[told].is_confidential for told in TOLD)


def test_the_server_of_a_log_and_the_store_are_not_told() -> None:
    job = Job.of(
        log={"server": "postgresql://secret.test/x", "name": "secret"},
        store={"place": "s3://secret/x"},
        limits={"pages": 77},
    )
    assert job_text(job) == "[limits]\npages = 77"
