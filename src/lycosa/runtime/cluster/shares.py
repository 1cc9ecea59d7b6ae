"""The plan of partitions for each member of a cluster, computed alike by every member.

Live owners keep their partitions. Partitions without an owner go to the members that have the least
for their weight. If a member could have more (it has just joined), the members with the most give
up partitions, one by one, as long as that makes the shares more even. A leaving member gives up all
its partitions; a cordoned member keeps its partitions and gets no more.

A wish gives no right. A partition is taken only when the log says `Released`, or when the board has
the tombstone of its owner. If the plans of two members differ for a moment, the log gives the
partition to one of them.

Always true:
  * with equal weights, no two members that take partitions differ by more than one, once all wishes
    are fulfilled; with weights, no member has more for its weight than another would have with one
    partition more;
  * when a member goes, only its partitions move; when a member joins, only it gets partitions;
  * the result depends on the arguments alone, and a fulfilled plan is its own plan.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lycosa.runtime.membership.record import Member, Standing

Owners = Sequence[int | None]
"""For every partition the life that the log names; None if it was released or never taken."""


def plan(owners: Owners, members: Mapping[int, Member], cordoned: Collection[int]) -> list[int]:
    """Return for every partition the life that should have it; 0 if none can."""
    takers = {number: one.weight for number, one in members.items() if one.takes}
    # An owner without a record keeps its partition, because a list of the members may be stale.
    going = {n for n, one in members.items() if one.is_gone or one.standing is Standing.LEAVING}
    wishes = [0 if owner is None or owner in going else owner for owner in owners]
    load = dict.fromkeys(takers, 0)
    for number in wishes:
        if number in load:
            load[number] += 1
    # Without a taker partitions stay with their owners, and orphans wait.
    if not takers:
        return wishes

    def load_with_one_more(number: int) -> tuple[float, int]:
        return (load[number] + 1) / takers[number], number

    for partition, wish in enumerate(wishes):
        # The owners of a cordoned partition died one after the other; the next one may, too.
        if not wish and partition not in cordoned:
            wishes[partition] = taker = min(takers, key=load_with_one_more)
            load[taker] += 1
    _even_out(wishes, load, takers)
    return wishes


def _even_out(wishes: list[int], load: dict[int, int], takers: Mapping[int, int]) -> None:
    """Move partitions from the fullest to the emptiest member while that helps."""
    held: dict[int, list[int]] = {number: [] for number in load}
    for partition, number in enumerate(wishes):
        if number in held:
            held[number].append(partition)
    while True:
        full = max(load, key=lambda number: (load[number] / takers[number], number))
        empty = min(load, key=lambda number: ((load[number] + 1) / takers[number], number))
        if load[full] / takers[full] <= (load[empty] + 1) / takers[empty]:
            return
        # Take the last one: the owner of partition 0 leads the crawl and should stay the same.
        partition = held[full].pop()
        held[empty].append(partition)
        wishes[partition] = empty
        load[full] -= 1
        load[empty] += 1


def to_release(number: int, wishes: Sequence[int], owners: Owners) -> list[int]:
    """Return the partitions that a life has and should release.

    If a release is undecided, the partition may not be continued, because the release may still
    arrive. It must be taken again first, so that the log has another sequence than it expects.
    """
    return [
        partition
        for partition, (wish, owner) in enumerate(zip(wishes, owners, strict=True))
        if owner == number and wish != number
    ]


def is_free(owner: int | None, members: Mapping[int, Member]) -> bool:
    """Return whether a partition may be taken: released, or its owner's life is over.

    A life without a record is not over, because its record may not have been seen yet.
    """
    return owner is None or (owner in members and members[owner].is_gone)


def forgettable(
    owners: Owners, members: Mapping[int, Member], charged: Collection[int]
) -> set[int]:
    """Return the lives whose tombstones no member needs any more.

    `owners` must be those of the log's leader, and `charged` the lives that the ledger names. A
    partition that a life still owns could not be taken without its tombstone.
    """
    needed = {*owners, *charged}
    return {number for number, one in members.items() if one.is_gone and number not in needed}
