from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.errors import StoreError
from lycosa.model.records import Capture, Links, Outcome, Place, Purpose
from lycosa.model.url.key import url_of
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import CDX, KINDS, WARC, warc_names, warc_path
from lycosa.storage.archive.reader import captures, find, find_text, table
from lycosa.storage.segments.removal import Forgotten, forget_host
from lycosa.storage.tables.rows import signed, url_id
from lycosa.storage.warc.record_reader import members
from seeds import few_of, soak
from unit.storage.archive.exchanges import answer, capture, check_archive, links_to

STAYS, GOES = "org.example", "org.bad.www"
EXCHANGES = 40


class Killed(BaseException):
    """What a test kills a forgetting with."""


def exchange(number: int) -> Capture:
    """Pages of two hosts by turns, the one on two sites; each links to the other."""
    host = f"{GOES}:s" if number % 4 == 1 else f"{GOES}:" if number % 2 else f"{STAYS}:"
    made = capture(number, key=f"{host}/page/{number}", links=2)
    other = STAYS if number % 2 else GOES
    abroad = links_to([f"{other}:/page/{number + 1}"], texts=["abroad"])
    columns = [getattr(made.links, n) + getattr(abroad, n) for n in Links.__struct_fields__]
    return Capture(
        **{name: getattr(made, name) for name in made.__struct_fields__}
        | {"links": Links(*columns)}
    )


def robots_file(host: str) -> Capture:
    return capture(900, b"User-agent: *\n", key=f"{host}:/robots.txt", purpose=Purpose.ROBOTS)


def crawled(folder: Path, segments: int = 2) -> list[Place]:
    """Make a sealed archive; returns the places of what is to stay."""
    store = ArchiveStore(folder)
    places: list[Place] = []
    for number in range(EXCHANGES):
        made = exchange(number)
        place = store.append(made)
        if made.key.startswith(STAYS):
            places.append(place)
        if number % (EXCHANGES // segments) == 0:
            store.append(robots_file(GOES))
            places.append(store.append(robots_file(STAYS)))
            # The same bytes under another name: a revisit that refers to a record that goes.
            store.append(capture(number + 500, b"same", key=f"{GOES}:/copy/{number}"))
            store.append(capture(number + 501, b"same", key=f"{GOES}:/copy/{number}a"))
        if number == EXCHANGES // 2:
            store.roll()
    reply = answer(b"gone", 404, 1.7e9 + 700)
    store.append(capture(700, key=f"{GOES}:/gone", reply=reply, outcome=Outcome.NOT_FOUND, links=0))
    store.seal(lambda place, key: True)
    store.close()
    return places


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in (WARC, CDX, *KINDS)
        for path in sorted((folder / part).iterdir())
    }


def check_forgotten(folder: Path, places: list[Place], before: dict[str, bytes]) -> None:
    """Nothing of the one host is left, and everything of the other."""
    for name, content in contents(folder).items():
        if name.startswith(WARC):
            assert len(content) == len(before[name])
    names = {name.segment: warc_path(folder, name) for name in warc_names(folder)}
    for segment, offset, length in places:
        path = names[segment]
        old = before[str(path.relative_to(folder))]
        assert path.read_bytes()[offset : offset + length] == old[offset : offset + length]
    for path in names.values():
        records = list(members(path))
        assert sum(length for _, length, _ in records) == path.stat().st_size
        targets = [record.headers.get("WARC-Target-URI", "") for _, _, record in records]
        assert not [target for target in targets if "bad.org" in target]
    assert b"bad.org" not in b"".join(path.read_bytes() for path in (folder / CDX).glob("*.cdxj"))
    for kind in ("pages", "hosts"):
        assert set(table(folder, kind, ["host"])["host"].to_pylist()) == {"example.org"}
    stays = {signed(url_id(exchange(n).key)) for n in range(0, EXCHANGES, 2)}
    assert set(table(folder, "links", ["source_id"])["source_id"].to_pylist()) == stays
    assert set(table(folder, "text", ["url_id"])["url_id"].to_pylist()) == stays
    targets = table(folder, "links", ["target_url"])["target_url"].to_pylist()
    assert sum("bad.org" in target for target in targets) == EXCHANGES // 2
    for number in range(EXCHANGES):
        url = url_of(exchange(number).key)
        stored = find(folder, url)
        if number % 2:
            assert stored is None
            assert find_text(folder, url) is None
        else:
            assert stored is not None
            assert stored.body == exchange(number).answer.body
            assert find_text(folder, url) == f"The text of page {number}."
    assert len(list(captures(folder))) == EXCHANGES // 2
    left = [path for part in (WARC, CDX, *KINDS) for path in (folder / part).iterdir()]
    assert not [path for path in left if path.suffix in (".tmp", ".forgetting")]


def test_a_host_is_forgotten_and_the_other_untouched(tmp_path: Path) -> None:
    places = crawled(tmp_path)
    before = contents(tmp_path)
    rows = {kind: len(table(tmp_path, kind)) for kind in KINDS}
    done = forget_host(tmp_path, "www.bad.org")
    assert done.records == EXCHANGES // 2 + 2 * 3 + 1
    assert done.rows == sum(rows[kind] - len(table(tmp_path, kind)) for kind in KINDS) > 60
    check_forgotten(tmp_path, places, before)
    check_archive(tmp_path, has_revisits=True)


def test_other_rows_keep_their_order_and_values(tmp_path: Path) -> None:
    crawled(tmp_path)
    before = table(tmp_path, "pages").to_pylist()
    forget_host(tmp_path, "www.bad.org")
    kept = [row for row in before if row["host"] == "example.org"]
    assert table(tmp_path, "pages").to_pylist() == kept


def test_what_was_forgotten_is_not_touched_again(tmp_path: Path) -> None:
    crawled(tmp_path)
    assert forget_host(tmp_path, "nobody.example") == Forgotten(0, 0)
    forget_host(tmp_path, "www.bad.org")
    after = contents(tmp_path)
    assert forget_host(tmp_path, "www.bad.org") == Forgotten(0, 0)
    assert contents(tmp_path) == after


def test_only_the_named_host_is_forgotten_not_those_below_or_above_it(tmp_path: Path) -> None:
    crawled(tmp_path)
    before = contents(tmp_path)
    assert forget_host(tmp_path, "bad.org") == Forgotten(0, 0)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("again", few_of(["nobody.example", "www.bad.org"], 1))
@pytest.mark.parametrize(
    ("point", "time"),
    [
        ("forget.noted", 1),
        ("forget.noted", 2),
        ("forget.blanked", 3),
        ("forget.overwritten", 1),
        ("forget.written", 1),
        ("forget.renamed", 1),
        *(pytest.param("forget.renamed", time, marks=soak) for time in range(2, 7)),
    ],
)
def test_a_forgetting_that_was_killed_is_completed(
    point: str, time: int, again: str, tmp_path: Path
) -> None:
    places = crawled(tmp_path)
    before = contents(tmp_path)
    left = time

    def kill(name: str) -> None:
        nonlocal left
        left -= name == point
        if not left:
            raise Killed

    with pytest.raises(Killed):
        forget_host(tmp_path, "www.bad.org", kill)
    forget_host(tmp_path, again)
    if again != "www.bad.org":  # it completes the segment that was begun, not those behind
        forget_host(tmp_path, "www.bad.org")
    check_forgotten(tmp_path, places, before)


def test_a_record_that_was_half_overwritten_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = crawled(tmp_path)
    before = contents(tmp_path)
    written = 0

    def die_in_the_middle(descriptor: int, content: memoryview, offset: int) -> None:
        nonlocal written
        written += 1
        if written == 3:
            os.pwrite(descriptor, content[:100], offset)
            raise Killed
        os.pwrite(descriptor, content, offset)

    with monkeypatch.context() as patch:
        patch.setattr("lycosa.storage.segments.removal.write_at", die_in_the_middle)
        with pytest.raises(Killed):
            forget_host(tmp_path, "www.bad.org")
    with pytest.raises(AssertionError):
        check_archive(tmp_path, has_revisits=True)
    forget_host(tmp_path, "www.bad.org")
    check_forgotten(tmp_path, places, before)
    check_archive(tmp_path, has_revisits=True)


def test_a_segment_that_is_not_sealed_is_refused(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(exchange(1))
    store.flush()
    with pytest.raises(StoreError, match="not sealed"):
        forget_host(tmp_path, "www.bad.org")
    store.close()


def test_a_damaged_file_is_an_error_and_not_half_forgotten(tmp_path: Path) -> None:
    crawled(tmp_path)
    path = warc_path(tmp_path, warc_names(tmp_path)[0])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be read"):
        forget_host(tmp_path, "www.bad.org")
    assert path.read_bytes() == bytes(content)
