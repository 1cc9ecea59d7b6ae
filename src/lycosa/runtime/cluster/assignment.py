"""Assigns partitions to workers by rendezvous hashing.

Every pair of a partition and a worker has a score, and pairs are served by falling score as long as
the worker has room. No table is needed, all processes compute the same assignment, and most
partitions stay where they are when the number of workers changes.

Always true:
  * every partition has one worker;
  * no worker has more than one partition more than any other;
  * the result depends on the two numbers alone.

Rendezvous hashing without this bound would be a little steadier and much less even: of 64
partitions over 16 workers it gives one worker eight and another none.
"""

from __future__ import annotations

from lycosa.frontier.partitioners import stable_hash


def assign(partitions: int, workers: int) -> list[list[int]]:
    """Return for every worker the partitions that it owns, in order."""
    scores = sorted(
        (-stable_hash(f"{partition} {worker}"), partition, worker)
        for partition in range(partitions)
        for worker in range(workers)
    )
    room, spare = divmod(partitions, workers)
    owned: list[list[int]] = [[] for _ in range(workers)]
    is_placed = [False] * partitions
    for _, partition, worker in scores:
        if is_placed[partition]:
            continue
        if len(owned[worker]) < room:
            pass
        elif len(owned[worker]) == room and spare:
            spare -= 1
        else:
            continue
        is_placed[partition] = True
        owned[worker].append(partition)
    return [sorted(numbers) for numbers in owned]
