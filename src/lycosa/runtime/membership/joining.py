"""The settings that all members of a cluster share, and the checks before a worker joins.

The first member writes the agreement; the others compare it. Members may run different versions of
Lycosa, as long as all of them read the format in which the log is written. The format is raised
when the last old member has gone.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa.errors import LogError, LogGoneBack
from lycosa.runtime.membership.offsets import MOST_OFFSET_SECONDS, is_off
from lycosa.runtime.membership.record import Member
from lycosa.storage.log.last_write import RESTORED


class Agreement(msgspec.Struct, frozen=True):
    """Value on the board under `agreement`."""

    crawl: str
    """Id of the crawl: a board belongs to one crawl."""
    partitioner: str
    """Identity of the partitioner, with the number of partitions."""
    plugins: str
    """Names and versions of the plugins, in order; "" without any."""
    format: int
    """Format of the log that all members write."""


class Refused(LogError):
    """The cluster and this worker do not match; the text names the differences."""


def pack(agreement: Agreement) -> bytes:
    """Return an agreement as stored on the board."""
    return msgspec.json.encode(agreement)


def unpack(value: bytes) -> Agreement:
    """Read an agreement."""
    return json_decoder(Agreement).decode(value)


def check(there: Agreement, ours: Agreement, oldest_format: int) -> None:
    """Raise `Refused` with all reasons why a worker may not join.

    `ours.format` is the newest format that this worker writes, `oldest_format` the oldest.
    """
    wrong = []
    if there.crawl != ours.crawl:
        wrong.append(f"the board belongs to the crawl {there.crawl}, but this is {ours.crawl}")
    if not _is_one_division(there.partitioner, ours.partitioner):
        wrong.append(f"the partitioner there is '{there.partitioner}', here '{ours.partitioner}'")
    if there.plugins != ours.plugins:
        wrong.append(
            f"the plugins there are {there.plugins or 'none'}, here {ours.plugins or 'none'}:"
            " install the same plugins"
        )
    if not oldest_format <= there.format <= ours.format:
        wrong.append(
            f"the cluster writes format {there.format} of the log, this Lycosa"
            f" {oldest_format} to {ours.format}: install the Lycosa of the other machines"
        )
    if wrong:
        raise Refused("this machine does not match the cluster\n  " + "\n  ".join(wrong))


def board_gone_back(known: int, last: int) -> LogGoneBack:
    """Return the error for a board that was restored from an older copy."""
    return LogGoneBack(
        "this crawl's board (coordination store) has gone back, as when its server was restored"
        f" from an older copy: it has given {last:,} numbers to members, and member {known:,} has"
        " crawled\n"
        f"  {RESTORED}"
    )


def _is_one_division(there: str, ours: str) -> bool:
    """Return whether two texts name one partitioner.

    An earlier release named the release of the list of public suffixes. The list itself has been
    compared by then: a member reads it in the log before it asks the board.
    """
    _, former, partitions = there.partition("domain by publicsuffixlist ")
    is_former = former and ours.startswith("domain by suffixes ")
    if is_former:
        return partitions.partition(" over ")[2] == ours.partition(" over ")[2]
    return there == ours


def check_clock(offset: float) -> None:
    """Raise `Refused` if the machine's wall clock is wrong."""
    if is_off(offset):
        where = "behind" if offset > 0 else "ahead of"
        raise Refused(
            f"this machine's clock is {abs(offset):.1f} s {where} the server's; at most"
            f" {MOST_OFFSET_SECONDS:.0f} s is allowed\n"
            "  set it, on all machines: timedatectl set-ntp true"
        )


def raised(agreement: Agreement, members: Iterable[Member]) -> Agreement | None:
    """Return the agreement with the newest format that all members write; None if it is that."""
    formats = [member.format for member in members if not member.is_gone]
    newest = min(formats, default=agreement.format)
    if newest <= agreement.format:
        return None
    return msgspec.structs.replace(agreement, format=newest)
