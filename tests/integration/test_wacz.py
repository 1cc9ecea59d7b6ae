"""A crawl as a WACZ file, and the server that shows it: read by zipfile, warcio and plain HTTP."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import os
import random
import zipfile
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from integration.replayed_crawl import crawled, replaying
from lycosa.errors import StoreError
from lycosa.storage.archive.reader import table
from lycosa.storage.wacz import export
from lycosa.storage.wacz.virtual import VirtualWacz
from warc_tools import validate_wacz
from warm import lycosa

__all__ = ["crawled"]


def test_an_export_is_a_wacz_that_leads_to_every_page(crawled: Path, tmp_path: Path) -> None:
    target = tmp_path / "crawl.wacz"
    done = lycosa("export", "wacz", crawled, "-o", target, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["bytes"] == target.stat().st_size and told["resumed_at"] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.wacz"]

    pages = table(crawled, "pages", ["url", "outcome", "content_type"]).to_pylist()
    kept = {row["url"] for row in pages if row["outcome"] == "kept"}
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert {found.compress_type for found in archive.infolist()} == {zipfile.ZIP_STORED}
        package = json.loads(archive.read("datapackage.json"))
        digest = json.loads(archive.read("datapackage-digest.json"))
        assert digest["hash"] == "sha256:" + told["digest"]
        assert hashlib.sha256(archive.read("datapackage.json")).hexdigest() == told["digest"]
        assert package["wacz_version"] == "1.1.1" and package["mainPageUrl"] in kept
        described = {one["path"]: one for one in package["resources"]}
        assert set(described) == set(archive.namelist()) - {digest["path"], *_DIGEST}
        for name, one in described.items():
            content = archive.read(name)
            assert len(content) == one["bytes"]
            assert "sha256:" + hashlib.sha256(content).hexdigest() == one["hash"]

        head, *listed = map(json.loads, archive.read("pages/pages.jsonl").splitlines())
        assert head["format"] == "json-pages-1.0"
        assert {page["url"] for page in listed} == kept and len(listed) == told["pages"]
        assert len({page["id"] for page in listed}) == len(listed)

        lines = archive.read("indexes/index.cdxj").decode().splitlines()
        assert lines == sorted(lines) and lines
        found = set()
        for line in lines:
            entry = json.loads(line.split(" ", 2)[2])
            record = archive.read(f"archive/{entry['filename']}")[int(entry["offset"]) :]
            (first,) = [next(iter(ArchiveIterator(io.BytesIO(record[: int(entry["length"])]))))]
            assert first.rec_headers.get_header("WARC-Target-URI") == entry["url"]
            found.add(entry["url"])
        assert kept <= found


_DIGEST = ("datapackage-digest.json",)


def test_the_virtual_archive_has_the_bytes_of_the_file(crawled: Path, tmp_path: Path) -> None:
    target = tmp_path / "crawl.wacz"
    first = VirtualWacz(crawled)
    export.write_wacz(first, target, lambda done, of: None)
    content = target.read_bytes()
    again = VirtualWacz(crawled)
    assert (again.size, again.digest) == (len(content), first.digest)
    chance = random.Random(1)
    for _ in range(200):
        start, stop = sorted(chance.choices(range(len(content) + 100), k=2))
        assert again.bytes(start, stop) == content[start:stop]
    first.close()
    again.close()


def test_a_stopped_export_goes_on_and_one_of_another_crawl_begins_anew(
    crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_BLOCK_BYTES", 1_000)
    wacz = VirtualWacz(crawled)
    whole = wacz.bytes(0, wacz.size)
    target = tmp_path / "crawl.wacz"

    class Stopped(Exception):
        pass

    def stop(done: int, of: int) -> None:
        if done > 5_000:
            raise Stopped

    with pytest.raises(Stopped):
        export.write_wacz(wacz, target, stop)
    assert not target.exists()
    done = export.write_wacz(wacz, target, lambda done, of: None)
    assert done.resumed_at >= 5_000 and target.read_bytes() == whole

    with pytest.raises(Stopped):
        export.write_wacz(wacz, target, stop)
    (tmp_path / "crawl.wacz.part.digest").write_text("of another one\n")
    done = export.write_wacz(wacz, target, lambda done, of: None)
    assert done.resumed_at == 0 and target.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.wacz"]
    wacz.close()


def test_a_file_that_was_rewritten_is_not_mixed_with_the_old_one(
    crawled: Path, tmp_path: Path
) -> None:
    wacz = VirtualWacz(crawled)
    wacz.bytes(0, 100)
    for warc in (crawled / "warc").glob("*.warc.gz"):
        state = warc.stat()
        os.utime(warc, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    with pytest.raises(StoreError, match="open it again"):
        wacz.bytes(0, wacz.size)
    wacz.close()


def asked(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=named)
    answer = connection.getresponse()
    told = {name.lower(): value for name, value in answer.getheaders()}
    content = answer.read()
    connection.close()
    return answer.status, told, content


def test_the_replay_server_offers_the_archive_and_the_player_and_nothing_else(
    crawled: Path, tmp_path: Path
) -> None:
    player = tmp_path / "player"
    missing = lycosa("replay", crawled, "--player", player)
    assert missing.returncode == 1 and "npm pack replaywebpage" in missing.stderr
    player.mkdir()
    (player / "ui.js").write_text("// player\n")
    (player / "sw.js").write_text("// worker\n")
    (player / "secret.txt").write_text("secret")
    wacz = VirtualWacz(crawled)
    whole = wacz.bytes(0, wacz.size)
    wacz.close()
    with replaying(crawled, player) as port:
        status, headers, page = asked(port, "/")
        assert status == 200 and b"<replay-web-page" in page
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert asked(port, "/replay/ui.js")[2] == b"// player\n"
        _, headers, worker = asked(port, "/replay/sw.js?serveIndex=1")
        assert b'importScripts("./player-worker.js")' in worker
        assert "default-src 'self'" in headers["content-security-policy"]
        assert asked(port, "/replay/player-worker.js")[2] == b"// worker\n"
        assert b"serviceWorker.ready" in asked(port, "/replay/?source=x")[2]

        status, headers, content = asked(port, "/crawl.wacz")
        assert (status, content) == (200, whole) and headers["accept-ranges"] == "bytes"
        status, headers, content = asked(port, "/crawl.wacz", Range="bytes=10-19")
        assert (status, content) == (206, whole[10:20])
        assert headers["content-range"] == f"bytes 10-19/{len(whole)}"
        assert asked(port, "/crawl.wacz", Range="bytes=-22")[2] == whole[-22:]
        assert asked(port, "/crawl.wacz", Range="bytes=100-")[2] == whole[100:]
        status, headers, _ = asked(port, "/crawl.wacz", Range=f"bytes={len(whole)}-")
        assert (status, headers["content-range"]) == (416, f"bytes */{len(whole)}")
        stale = asked(port, "/crawl.wacz", Range="bytes=0-1", If_Range='"another"')
        assert (stale[0], stale[2]) == (200, whole)
        status, headers, content = asked(port, "/crawl.wacz", "HEAD")
        assert (status, headers["content-length"], content) == (200, str(len(whole)), b"")

        for path in ("/secret.txt", "/../crawl.toml", "/replay/..%2fsecret.txt", "/sparql", "/api"):
            assert asked(port, path)[0] == 404, path
        assert asked(port, "/", "POST")[0] == 405
        for name in ("evil.test", "replay.localhost.evil.test", ""):
            assert asked(port, "/crawl.wacz", Host=name)[0] in (400, 421), name
        assert asked(port, "/", Host=f"replay.localhost:{port}")[0] == 200


@pytest.mark.soak
def test_the_validator_of_the_format_finds_no_fault(crawled: Path, tmp_path: Path) -> None:
    target = tmp_path / "crawl.wacz"
    assert lycosa("export", "wacz", crawled, "-o", target).returncode == 0
    validate_wacz(target, tmp_path)
