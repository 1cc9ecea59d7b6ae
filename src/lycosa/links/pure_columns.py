"""The work on a page's links in Python: the oracle that tests compare `_columns` with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lycosa.links import Known, Links, Reach, Target


def sifted(links: Links, excused: str, by: frozenset[int]) -> tuple[Links, dict[str, int]]:
    """Return the links that are wanted, each once, and how many are not, by reason."""
    kept: dict[tuple[Target, int], tuple[str, str, int]] = {}
    refused: dict[str, int] = {}
    for target, kind, text, rel, times in each(links):
        reason = target.refusal
        if reason and not (reason == excused and kind in by):
            refused[reason] = refused.get(reason, 0) + 1
            continue
        before_text, before_rel, before = kept.get((target, kind), ("", "", 0))
        kept[target, kind] = (before_text or text, before_rel or rel, before + times)
    texts, rels, times_of = ([some[n] for some in kept.values()] for n in range(3))
    return (
        Links(
            [target for target, _ in kept],
            [kind for _, kind in kept],
            [str(text) for text in texts],
            [str(rel) for rel in rels],
            [int(times) for times in times_of],
        ),
        refused,
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


def outlinks(links: Links, names: Sequence[str]) -> bytes:
    """Return a line for each link: `outlink: URL kind`, and its relation if it has one."""
    lines = []
    for target, kind, rel in zip(links.targets, links.kinds, links.rels, strict=True):
        relation = f" {' '.join(rel.split())}" if rel else ""
        lines.append(f"outlink: {target.url} {names[kind]}{relation}\r\n")
    return "".join(lines).encode("utf-8", "replace")


Row = tuple[int, int, int, int, str, str, str, str, int]


def rows(fetches: Iterable[tuple[int, int, int, Links]], names: Sequence[str]) -> list[Row]:
    """Return the rows of the links of fetches: source, fetch and moment, and of each link its own.

    What is not Unicode (a lone surrogate) becomes a mark.
    """
    return [
        (
            source,
            fetch,
            moment,
            target.url_id,
            target.url,
            names[kind],
            _unicode(rel),
            _unicode(text),
            times,
        )
        for source, fetch, moment, links in fetches
        for target, kind, text, rel, times in each(links)
    ]


def each(links: Links) -> Iterable[tuple[Target, int, str, str, int]]:
    """Yield the links one by one."""
    columns = (links.targets, links.kinds, links.texts, links.rels, links.times)
    return zip(*columns, strict=True)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
