"""Check that segments of other directories of a crawl are in the store.

The files of those directories are not here, which is correct. If the crawl has a store, each
segment that the log names should have a manifest there. If one has none, its machine has not
uploaded it yet, or is lost. Neither is damage to this directory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing

from lycosa.errors import FormatError, LycosaError, ObjectsUnavailable
from lycosa.runtime.verify.report import Report
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import manifest_key, read_manifest
from lycosa.storage.objects.opening import open_objects

MOST_NAMED = 5


def check_uploaded(
    report: Report, segments: Iterable[int], given_up: Collection[int], machines: Mapping[int, str]
) -> None:
    """Find segments that the store lacks; the log no longer names any in `given_up`."""
    assert report.job is not None
    place = report.job.store.place
    missing: dict[int, list[int]] = {}
    lost: dict[int, list[int]] = {}
    try:
        with closing(open_objects(place, report.job.log.name)) as objects:
            for segment in segments:
                if segment in given_up:
                    continue
                try:
                    manifest = read_manifest(objects, segment)
                except FormatError as problem:
                    what = str(problem).partition("\n")[0]
                    report.find(manifest_key(segment), what, "nothing: restore it in the store")
                    continue
                number = segment // MOST_IN_DIRECTORY
                if manifest is None:
                    missing.setdefault(number, []).append(segment)
                elif manifest.lost:
                    lost.setdefault(number, []).append(segment)
    except (ObjectsUnavailable, LycosaError) as problem:
        what = f"other machines' segments were not checked: {str(problem).partition(chr(10))[0]}"
        report.find(place, what, "nothing: try again when the store answers", is_damage=False)
        return
    for number, some in missing.items():
        machine = machines.get(number) or f"the machine of directory {number}"
        what = f"{_segments(some)} of {machine} not in the store yet"
        remedy = f"nothing here: lycosa resume on {machine} uploads its segments"
        report.find(place, what, remedy, is_damage=False)
    for number, some in lost.items():
        machine = machines.get(number) or f"the machine of directory {number}"
        what = f"{_segments(some)} of {machine} given up, but the log still names pages in it"
        report.find(place, what, "nothing here: the next run fetches them again", is_damage=False)


def _segments(some: list[int]) -> str:
    named = ", ".join(map(str, some[:MOST_NAMED]))
    more = f" and {len(some) - MOST_NAMED:,} more" if len(some) > MOST_NAMED else ""
    return f"segments {named}{more}" if len(some) > 1 else f"segment {named}"
