"""Gives up records that were lost with a machine, so that their pages are fetched again.

The operator gives a machine up (`recovery.lost_machines`), and each partition is told, through its
inbox, which of the records that its log names are gone. The owner writes that down (`RecordsLost`):
the pages are pending again, and the limits on pages and bytes get back what they had taken.

Always true:
  * a loss is decided on while no request of the partition is under way. An answer "not modified"
    to a request that was sent before would say that we still hold what is lost;
  * what was given up before is not given up again, however often it is told;
  * the run cannot be found to have ended before every partition has decided: until then its inbox
    is not read to the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.crawl.links.router import Router
from lycosa.crawl.worker.sending import Sender
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import AnyMessage, Outcome, Place, RecordsLost, SegmentsLost


class Losses:
    """Decides on losses; one per worker."""

    def __init__(self, router: Router, sender: Sender) -> None:
        self._router = router
        self._sender = sender

    def must_wait(self, partition: Partition, messages: Sequence[AnyMessage]) -> bool:
        """Return whether a loss is among messages; then nothing more is asked until it is decided.

        Called while requests of the partition are under way.
        """
        is_loss = any(isinstance(message, SegmentsLost) for message in messages)
        if is_loss:
            partition.is_held_back = True
        return is_loss

    def decide(self, partition: Partition, message: SegmentsLost, now: float) -> None:
        """Write down what is lost, and ask for it again."""
        event = _event(partition.state, message, now)
        if event is not None:
            for site in event.sites:
                self._sender.forget_rules(partition.number, site)
            _lose(partition, event)
            self._router.pay(partition, now)
        if partition.is_held_back:
            partition.is_held_back = False
            partition.with_work[partition.number] = None


def _lose(partition: Partition, event: RecordsLost) -> None:
    """Record a loss, and offer its pages again, and those of hosts that were full before it."""
    state = partition.state
    host_of = state.sites.host
    hosts = {host_of[state.pages.site[page]]: None for page in event.pages}
    full = {
        site
        for host in hosts
        if state.hosts.closed[host] == Outcome.HOST_LIMIT
        for site in state.sites_of(host)
    }
    partition.record(event)
    reopened = {site for site in full if not state.sites.closed[site]}
    if reopened:
        partition.offer_sites(reopened, set())
    others = (page for page in event.pages if state.pages.site[page] not in reopened)
    partition.offer_again(others, event.moment)
    for host in hosts | {host_of[site]: None for site in event.sites}:
        partition.readiness.work_came(host, event.moment)


def _event(state: PartitionState, message: SegmentsLost, now: float) -> RecordsLost | None:
    """Return what is new of a loss, or None."""

    def is_new(place: Place) -> bool:
        return place.offset not in state.lost.get(place.segment, ())

    new = [number for number, place in enumerate(message.places) if is_new(place)]
    robots = [place for place in message.robots if is_new(place)]
    sites = set(message.sites) if robots else set()
    sites.update(site for name in message.names if (site := state.site_number(name)) is not None)
    # Messages may come twice.
    if not new and not robots and not sites and message.loss <= state.losses:
        return None
    return RecordsLost(
        now,
        [message.pages[number] for number in new],
        [message.outcomes[number] for number in new],
        [message.sizes[number] for number in new],
        [message.places[number] for number in new],
        sorted(sites),
        robots,
        message.loss,
    )
