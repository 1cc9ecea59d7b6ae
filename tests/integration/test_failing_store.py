"""An S3 service fails three requests of ten: everything gets there once, and comes back."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from lycosa.operate import fetching
from lycosa.runtime.uploads import uploader
from lycosa.runtime.uploads.sent import Sent
from lycosa.runtime.uploads.uploader import Uploader
from lycosa.storage.objects.manifests import read_manifest
from lycosa.storage.objects.opening import open_objects
from servers.failing_proxy import failing_proxy
from unit.runtime.uploads.made_family import make_family, wait_for

NAME = "c0ffee"
SHARE = 0.3
PARTS = ("warc", "cdx", "pages", "links", "text", "hosts", "triples", "digests")


def content(folder: Path) -> dict[str, bytes]:
    return {
        f"{part}/{file.name}": file.read_bytes()
        for part in PARTS
        for file in (folder / part).glob("*")
    }


@pytest.mark.parametrize(
    ("segments", "large"), [(6, 1), pytest.param(150, 10, marks=pytest.mark.soak)]
)
def test_a_service_that_fails_a_third_of_its_requests_loses_nothing(
    s3_store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    segments: int,
    large: int,
) -> None:
    monkeypatch.setattr(uploader, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(uploader, "MOST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(fetching, "FIRST_PAUSE_SECONDS", 0.01)
    folder, chance = tmp_path / "crawl", random.Random(segments)
    (folder / "log").mkdir(parents=True)
    for number in range(1, segments + 1):
        name = make_family(folder, number, chance)
        if number <= large:  # in several parts
            (folder / "warc" / f"{name}.warc.gz").write_bytes(chance.randbytes(20_000_000))
    direct = open_objects(s3_store, NAME)
    direct.create("crawl.toml", b'[log]\nname = "c0ffee"\n')
    with failing_proxy(os.environ["AWS_ENDPOINT_URL"], SHARE, seed=segments) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        uploads = Uploader(
            folder, open_objects(s3_store, NAME), Sent(folder / "log" / "sent", "x"), False
        )
        uploads.start()
        uploads.look_now()
        wait_for(lambda: uploads.has_looked and not uploads.left.segments, 500.0)
        uploads.close()
        expected = content(folder)
        keys = {*expected, "crawl.toml", *(f"manifests/{n}.json" for n in range(1, segments + 1))}
        there = {one.key: one.size_bytes for one in direct.list()}
        assert there.keys() == keys, "nothing missing, nothing else"
        assert all(there[key] == len(value) for key, value in expected.items())
        assert all(read_manifest(direct, number) for number in range(1, segments + 1))
        print("upload", dict(proxy.counts))
        assert min(proxy.counts[how] for how in ("before", "middle", "after")) > 0

        copied = fetching.fetch_crawl(s3_store, NAME, tmp_path / "copy")
        print("upload and fetch", dict(proxy.counts), copied.bytes)
    assert copied.segments == segments
    assert not copied.damaged
    assert content(tmp_path / "copy") == expected
