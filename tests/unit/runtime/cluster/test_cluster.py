"""What is said of a crawl of several machines, and why it stands still."""

from __future__ import annotations

import io
import json
import time
from typing import Any

import msgspec
import pytest

from lycosa.cli.screen.cluster import cluster_data, print_cluster
from lycosa.cli.screen.console import Screen
from lycosa.runtime.cluster.figures import add_up
from lycosa.runtime.cluster.settings import Settings
from lycosa.runtime.cluster.standstill import reasons_of
from lycosa.runtime.cluster.status import ClusterView, MemberView
from lycosa.runtime.members.telling import Telling
from lycosa.runtime.membership.record import Member, Progress, Standing

PLACE = "nats://a,b,c#3f2a"
BUSY = Progress(pages=900, waiting=50, in_flight=3, ready=2, pages_per_second=4.5)


def member(number: int = 1, progress: Progress = BUSY, **fields: object) -> MemberView:
    since = time.time() - 20_000.0
    record = Member(number, f"m{number}", "1.0", 1, progress=progress, directory="/d", since=since)
    return MemberView(msgspec.structs.replace(record, **fields), 1.0, 8)


def view(*members: MemberView, **fields: Any) -> ClusterView:
    total = add_up(one.record.progress for one in members)
    given: dict[str, Any] = {"owned": 8 * len(members), "partitions": 8 * len(members)} | fields
    return ClusterView(
        place=PLACE,
        name="3f2a" * 8,
        begun="2026-01-02T03:04:05+00:00",
        run=1,
        ended="",
        moved_to="",
        partitions=0,
        owned=0,
        released=0,
        orphaned=0,
        cordoned={},
        settings=Settings(),
        revision=0,
        behind=[],
        members=list(members),
        gone=[],
        total=total,
    )._replace(**given)


def told(found: ClusterView) -> list[tuple[str, str, bool]]:
    return [tuple(reason) for reason in reasons_of(found)]  # type: ignore[misc]


def test_a_crawl_that_runs_has_no_reason_to_stand_still() -> None:
    assert told(view(member(1), member(2))) == []


RESTING = Progress(waiting=50, resting=4, next_seconds=90.0)


@pytest.mark.parametrize(
    ("found", "what", "mend"),
    [
        (view(), "no member is alive", f"lycosa join '{PLACE}' -o DIR"),
        (view(ended="stopped"), "the operator has stopped it", "lycosa join"),
        (view(ended="pages"), "the limit on pages was reached", "lycosa join"),
        (view(moved_to="sqlite"), "moved to sqlite", ""),
        (view(member(), is_answering=False), "do not answer", ""),
        (view(member()._replace(silent_seconds=40.0)), "renewed its record for 40 s", ""),
        (
            view(member(), settings=Settings(is_paused=True)),
            "has paused the crawl",
            f"lycosa cluster resume '{PLACE}'",
        ),
        (view(member(progress=RESTING)), "all hosts rest; the next is due in 1 min 30 s", ""),
        (view(member(progress=Progress(pages=9))), "nothing is in the queue", ""),
        (view(member(progress=Progress(commit_seconds=8.0))), "waited 8 s for the log", ""),
    ],
)
def test_what_stops_a_crawl_is_told_with_what_mends_it(
    found: ClusterView, what: str, mend: str
) -> None:
    first = reasons_of(found)[0]
    assert first.stops
    assert what in first.what
    assert mend in first.mend


@pytest.mark.parametrize(
    ("found", "what", "mend"),
    [
        (view(member(), cordoned={17: 4}), "1 partition cordoned", f"lift '{PLACE}' 17"),
        (view(member(), released=3), "3 partitions without an owner", ""),
        (view(member(progress=Progress(commit_seconds=4.0, ready=1))), "waiting for the log", ""),
        (view(member(standing=Standing.LEAVING)), "member 1 on m1 is leaving", ""),
        (view(member(clock_offset=7.0)), "clock", "NTP"),
        (view(member(progress=Progress(ready=1, links_owed=2))), "links of 2 pages", ""),
        (view(member(progress=Progress(ready=1, trouble="store down"))), "store down", ""),
        (view(member(), behind=[1], revision=3), "still without revision 3", ""),
        (view(member(), member(2)._replace(silent_seconds=14.0)), "member 2 on m2 is silent", ""),
    ],
)
def test_what_holds_up_a_part_is_told_and_does_not_stop_the_rest(
    found: ClusterView, what: str, mend: str
) -> None:
    reason = next(one for one in reasons_of(found) if what in one.what)
    assert not reason.stops
    assert mend in reason.mend


@pytest.mark.parametrize("count", [3, 16, 100])
def test_the_page_fits_80_columns_and_a_screen_whatever_the_number_of_members(count: int) -> None:
    progress = Progress(
        pages=1_234_567,
        waiting=12_345_678,
        in_flight=128,
        ready=9,
        pages_per_second=123.4,
        unsent_bytes=12_345_678,
        unsent_seconds=61.0,
    )
    members = [member(n, progress) for n in range(1, count)]
    members.append(member(count, progress, standing=Standing.LEAVING))
    page = io.StringIO()
    print_cluster(Screen(file=page, width=80), view(*members))
    lines = page.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 52
    assert "…" not in page.getvalue()
    assert "leaving" in page.getvalue()
    assert f"{count} members on {count} machines" in page.getvalue()
    if count == 100:
        assert "99 99 machines live" in page.getvalue()


def test_the_page_for_programs_has_every_member() -> None:
    data = json.loads(json.dumps(cluster_data(view(*(member(n) for n in range(1, 31))))))
    assert len(data["members"]) == 30
    assert data["members"][0]["directory"] == "/d"
    assert data["total"]["pages"] == 30 * 900
    assert data["settings"] == {"revision": 0, "values": {}, "is_paused": False, "behind": []}


def test_pages_that_came_with_a_partition_are_no_speed() -> None:
    now = 0.0
    telling = Telling(lambda: now)
    assert telling.rate({1: 100}) == 0.0
    now = 10.0
    assert telling.rate({1: 150, 2: 5_000}) == 5.0
    now = 12.0
    assert telling.rate({2: 5_010}) == 5.0
    now = 60.0
    assert telling.rate({2: 5_010}) == 0.0
