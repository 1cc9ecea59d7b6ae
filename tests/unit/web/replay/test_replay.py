"""The replay server: every answer is behind the wall, and nothing but the archive is offered."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from starlette.testclient import TestClient

from lycosa.errors import StoreError
from lycosa.storage.wacz.virtual import VirtualWacz
from lycosa.web.replay.replay import replay_app

BLOCK = 1 << 18


class Archive:
    """An archive of three blocks, of which the last can be forgotten."""

    folder = Path("crawl")
    digest = "0123456789abcdef0123"
    main_page = 'http://a.test/"x'
    content = bytes(range(256)) * (3 * BLOCK // 256)
    size = len(content)
    is_forgotten = False

    def bytes(self, start: int, stop: int) -> bytes:
        if self.is_forgotten and stop > 2 * BLOCK:
            raise StoreError("a host was forgotten")
        assert stop - start <= BLOCK
        return self.content[start:stop]


@pytest.fixture
def archive() -> Archive:
    return Archive()


@pytest.fixture
def client(archive: Archive, tmp_path: Path) -> TestClient:
    for name in ("ui.js", "sw.js", "index.html"):
        (tmp_path / name).write_text(f"// {name}\n")
    app = replay_app(cast(VirtualWacz, archive), tmp_path)
    return TestClient(app, "http://localhost", follow_redirects=False)


REQUESTS: list[tuple[str, str, dict[str, str], int]] = [
    ("GET", "/", {}, 200),
    ("GET", "/replay/", {}, 200),
    ("GET", "/replay/ui.js", {}, 200),
    ("GET", "/replay/sw.js", {}, 200),
    ("GET", "/replay/player-worker.js", {}, 200),
    ("GET", "/crawl.wacz", {}, 200),
    ("HEAD", "/crawl.wacz", {}, 200),
    ("GET", "/crawl.wacz", {"Range": "bytes=5-"}, 206),
    ("GET", "/crawl.wacz", {"Range": f"bytes={Archive.size}-"}, 416),
    ("GET", "/replay/index.html", {}, 404),
    ("GET", "/replay", {}, 404),
    ("GET", "/crawl.wacz/", {}, 404),
    ("GET", "/nothing", {}, 404),
    ("POST", "/", {}, 405),
    ("OPTIONS", "/crawl.wacz", {}, 405),
    ("GET", "/crawl.wacz", {"Host": "evil.test"}, 421),
    ("GET", "/", {"Host": "localhost.evil.test:8891"}, 421),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), REQUESTS)
def test_every_answer_is_behind_the_wall(
    client: TestClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert policy.startswith(("default-src 'self' ", "sandbox allow-downloads"))
    assert answer.headers["connection-allowlist"].startswith("(response-origin)")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/replay/ui.js", "/replay/sw.js", "/replay/player-worker.js"])
def test_a_script_is_sandboxed_in_a_frame_alone(client: TestClient, path: str) -> None:
    for kind in ("document", "embed", "frame", "iframe", "object"):
        framed = client.get(path, headers={"Sec-Fetch-Dest": kind})
        assert framed.headers["content-security-policy"].endswith("; sandbox allow-downloads")
    for kind in ("script", "serviceworker", ""):
        loaded = client.get(path, headers={"Sec-Fetch-Dest": kind})
        assert "sandbox" not in loaded.headers["content-security-policy"]
        assert loaded.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        (f"bytes=9-{2 * BLOCK}", 9, 2 * BLOCK + 1),
        ("bytes=7-", 7, Archive.size),
        ("bytes=-9", Archive.size - 9, Archive.size),
        (f"bytes=0-{2 * Archive.size}", 0, Archive.size),
    ],
)
def test_a_range_is_sent_in_blocks(client: TestClient, asked: str, start: int, stop: int) -> None:
    answer = client.get("/crawl.wacz", headers={"Range": asked})
    assert (answer.status_code, answer.content) == (206, Archive.content[start:stop])
    assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{Archive.size}"
    assert answer.headers["content-type"] == "application/wacz"


def test_bytes_that_were_forgotten_meanwhile_are_not_replaced(
    client: TestClient, archive: Archive
) -> None:
    archive.is_forgotten = True
    whole = client.get("/crawl.wacz")
    assert whole.headers["content-length"] == str(Archive.size)
    assert whole.content == Archive.content[: 2 * BLOCK]


def test_the_name_of_a_page_is_escaped(client: TestClient) -> None:
    assert 'url="http://a.test/&quot;x"' in client.get("/").text
