"""The work on a page's links in plain Python: tests compare the compiled columns with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lycosa.model.links import Known, Links, Reach, Target
from lycosa.model.links.escapes import is_spelled_otherwise


def have_parameters(targets: Sequence[Target]) -> bool:
    """Tell whether a link leads to a URL that may be another view of a page."""
    return any(
        "?" in target.key or ";" in target.key or is_spelled_otherwise(target.key)
        for target in targets
    )


def keys_of(targets: Sequence[Target]) -> list[str]:
    """Return the keys of URLs."""
    return [target.key for target in targets]


def pages_among(targets: Sequence[Target], partition: int) -> list[int]:
    """Return the page of each URL that a partition knows, -1 for others."""
    return [target.page if target.partition == partition else -1 for target in targets]


def unfollowed(
    kinds: Sequence[int], rels: Sequence[str], by_kind: Sequence[str], nofollow: str
) -> list[str]:
    """Return why each link is not followed; [] where nothing speaks against any."""
    reasons = [
        nofollow if nofollow and "nofollow" in rel else by_kind[kind]
        for kind, rel in zip(kinds, rels, strict=True)
    ]
    return reasons if any(reasons) else []


def sifted(
    targets: Sequence[Target], raw: Links, excused: str, by: frozenset[int]
) -> tuple[Links, Links, dict[str, int]]:
    """Return the links to follow, each once, the others, and how many of these, by reason."""
    followed: dict[tuple[Target, int], _Said] = {}
    refused: dict[tuple[Target, int], _Said] = {}
    counts: dict[str, int] = {}
    reasons = raw.reasons or [""] * len(targets)
    columns = (targets, raw.kinds, raw.texts, raw.rels, raw.times, reasons)
    for position, (target, kind, text, rel, times, said) in enumerate(zip(*columns, strict=True)):
        reason = said
        if not reason and not (target.refusal == excused and kind in by):
            reason = target.refusal
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
        into = refused if reason else followed
        first = into.get((target, kind), _Said("", "", 0, position, reason))
        into[target, kind] = _Said(
            first.text or text, first.rel or rel, first.times + times, first.position, first.reason
        )
    for pair in followed.keys() & refused.keys():
        first, other = followed[pair], refused.pop(pair)
        followed[pair] = first._replace(times=first.times + other.times)
    return _links(followed), _links(refused), counts


class _Said(NamedTuple):
    text: str
    rel: str
    times: int
    position: int
    reason: str


def _links(some: dict[tuple[Target, int], _Said]) -> Links:
    return Links(
        [target for target, _ in some],
        [kind for _, kind in some],
        [said.text for said in some.values()],
        [said.rel for said in some.values()],
        [said.times for said in some.values()],
        [said.position for said in some.values()],
        [said.reason for said in some.values()],
    )


def unsettled(
    links: Links,
    known: Known,
    reach: Reach,
    free_kinds: frozenset[int],
    requisite_kinds: frozenset[int],
) -> list[int]:
    """Return the positions of the links that tell the frontier something new."""
    places, distances = [], known.distances
    for place, (target, kind) in enumerate(zip(links.targets, links.kinds, strict=True)):
        reached = reach.free if kind in free_kinds else reach.real
        is_known = 0 <= target.page < len(distances) and target.partition == known.partition
        is_new_requisite = kind in requisite_kinds and target.page not in known.requisites
        is_farther = is_known and (
            distances[target.page] > reached or known.hops[target.page] > reach.redirects
        )
        if not is_known or is_farther or is_new_requisite:
            places.append(place)
    return places


def parted(
    links: Links,
    places: Sequence[int],
    reach: Reach,
    number: int,
    own_site: str,
    job: Job,
    lead: Callable[[Target], Target] | None,
) -> tuple[dict[int, list[tuple[Target, int, bool]]], int]:
    """Return what goes to each partition, how far away, and if as a requisite; what is too deep."""
    parts: dict[int, list[tuple[Target, int, bool]]] = {}
    too_deep = 0
    for place in places:
        target, kind = links.targets[place], links.kinds[place]
        if target.has_parameters and lead is not None:
            target = lead(target)
        reached = reach.free if kind in job.free_kinds["?" in target.key] else reach.real
        if reached > job.farthest["?" in target.key]:
            too_deep += 1
            continue
        if target.partition < 0:
            is_near = target.key.startswith(own_site)
            target.partition = number if is_near else job.partition_of(target.key)
        entry = (target, reached, kind in job.requisite_kinds)
        parts.setdefault(target.partition, []).append(entry)
    return parts, too_deep


class Job(NamedTuple):
    """What `Ways` are made of."""

    free_kinds: tuple[frozenset[int], frozenset[int]]
    """To URLs without a query, and with one."""
    requisite_kinds: frozenset[int]
    farthest: tuple[int, int]
    partition_of: Callable[[str], int]


def outlinks(links: Links, names: Sequence[str]) -> bytes:
    """Return a line for each link: `outlink: URL kind`, and its relation if it has one."""
    lines = []
    for target, kind, rel in zip(links.targets, links.kinds, links.rels, strict=True):
        relation = f" {' '.join(rel.split())}" if rel else ""
        lines.append(f"outlink: {target.url} {names[kind]}{relation}\r\n")
    return "".join(lines).encode("utf-8", "replace")
