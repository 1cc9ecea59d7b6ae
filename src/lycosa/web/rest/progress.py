"""The frame of a crawl now, and the members of a cluster."""

from __future__ import annotations

from contextlib import closing

from lycosa.runtime.cluster.standstill import reasons_of
from lycosa.runtime.cluster.status import ClusterReader, MemberView
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.records import Frame, MemberRow, Members


def get_progress(call: Call) -> Frame:
    """Return the frame."""
    return call.crawl.frame()


def get_members(call: Call) -> Members:
    """Return the members; figures are those of their records, no page data is moved."""
    crawl = call.crawl
    if not crawl.job().log.server:
        return Members(is_cluster=False)
    with closing(ClusterReader(crawl.directory)) as reader:
        view = reader.look()
        return Members(
            is_cluster=True,
            place=view.place,
            run=view.run,
            ended=view.ended,
            is_paused=view.settings.is_paused,
            is_answering=view.is_answering,
            partitions=view.partitions,
            owned=view.owned,
            orphaned=view.orphaned,
            members=[_row(one) for one in view.members],
            reasons=[" ".join(filter(None, (one.what, one.mend))) for one in reasons_of(view)],
        )


def _row(one: MemberView) -> MemberRow:
    record = one.record
    return MemberRow(
        number=record.number,
        machine=record.machine,
        standing="silent" if one.is_silent else record.standing.value,
        silent_seconds=round(one.silent_seconds, 1),
        partitions=one.partitions,
        pages=record.progress.pages,
        pending=record.progress.waiting,
    )


OPERATIONS = [
    Operation("GET", "/crawls/{name}/progress", get_progress, "The crawl now.", Frame),
    Operation("GET", "/crawls/{name}/members", get_members, "The members of a cluster.", Members),
]
