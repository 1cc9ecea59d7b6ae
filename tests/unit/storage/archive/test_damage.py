"""Damaged files: records after damage are found, and digests notice a changed byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lycosa.errors import StoreError
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import cdx_path, digests_path, warc_names, warc_path
from lycosa.storage.archive.quarantine import copy_aside, move_aside
from lycosa.storage.segments.digests import digest, guarded, read_digests
from lycosa.storage.tables.missing_tables import require_index, require_table
from lycosa.storage.warc.record_scan import fits, pieces
from unit.storage.archive.exchanges import capture


def sealed(folder: Path) -> None:
    store = ArchiveStore(folder)
    for number in range(4):
        store.append(capture(number))
    store.flush()
    store.seal(lambda place, key: True)
    store.close()


def test_pieces_are_the_whole_file_also_where_it_is_damaged(tmp_path: Path) -> None:
    sealed(tmp_path)
    path = warc_path(tmp_path, warc_names(tmp_path)[0])
    before = list(pieces(path))
    assert all(piece.record is not None for piece in before)
    assert before[-1].end == path.stat().st_size
    hurt = before[5]
    content = bytearray(path.read_bytes())
    content[hurt.offset + hurt.length // 2] ^= 0xFF
    path.write_bytes(bytes(content))
    after = list(pieces(path))
    damaged = [piece for piece in after if piece.record is None]
    assert [(piece.offset, piece.length) for piece in damaged] == [(hurt.offset, hurt.length)]
    assert [piece.offset for piece in after] == [piece.offset for piece in before]


def test_a_payload_is_held_against_the_digest_beside_it(tmp_path: Path) -> None:
    sealed(tmp_path)
    found = list(pieces(warc_path(tmp_path, warc_names(tmp_path)[0])))
    answers = [n for n, piece in enumerate(found) if piece.type == "response"]
    assert all(fits(found[n], found[n + 1]) for n in answers)
    assert not fits(found[answers[0]], found[answers[1] + 1])


def test_digests_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    sealed(tmp_path)
    name = warc_names(tmp_path)[0]
    listed = read_digests(tmp_path, name)
    assert listed is not None
    for path in guarded(tmp_path, name):
        if path.exists():
            assert listed[str(path.relative_to(tmp_path))] == digest(path)
    command = ["sha256sum", "-c", "--strict", str(digests_path(tmp_path, name))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_list_of_digests_guards_itself(tmp_path: Path) -> None:
    sealed(tmp_path)
    path = digests_path(tmp_path, warc_names(tmp_path)[0])
    path.write_text(path.read_text().replace("a", "b"))
    with pytest.raises(StoreError, match="damaged itself"):
        read_digests(tmp_path, warc_names(tmp_path)[0])


def test_a_table_or_index_that_is_gone_is_named(tmp_path: Path) -> None:
    sealed(tmp_path)
    require_table(tmp_path, "pages")
    next((tmp_path / "links").iterdir()).unlink()
    with pytest.raises(StoreError, match="lycosa verify"):
        require_table(tmp_path, "links")
    cdx_path(tmp_path, warc_names(tmp_path)[0]).unlink()
    with pytest.raises(StoreError, match="lycosa verify"):
        require_index(tmp_path)


def test_what_is_moved_aside_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "warc" / "a"
    path.parent.mkdir()
    path.write_text("1")
    kept = copy_aside(tmp_path, path)
    path.write_text("2")
    (moved,) = move_aside(tmp_path, [path, tmp_path / "nothing"])
    assert (kept.read_text(), moved.read_text()) == ("1", "2")
    assert not path.exists()
