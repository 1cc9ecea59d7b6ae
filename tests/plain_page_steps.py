"""A partition whose steps for every page are plain Python: the twin of the compiled `PageSteps`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import PAGE, Task
from lycosa.model.records import Admitted, AnyEvent, Fetched, Outcome


class PlainPartition(Partition):
    """Chooses, finishes and admits as the compiled partition has to."""

    def has_work(self) -> bool:
        return bool(self.scheduler.ready) or self.readiness.has_first()

    def next_task(self) -> Task | None:
        readiness, page = self.readiness, None
        if readiness.has_first():
            task = self._next_first()
            if task is not None:
                return task
        elif readiness.bursts_wanted:
            page = self._next_of_burst()
        if page is None:
            page = self.scheduler.choose()
        return None if page is None else self._task_of(page)

    def _task_of(self, page: int) -> Task:
        self._offered[page] = 0
        return Task(PAGE, page, self.state.sites.host[self.state.pages.site[page]])

    def record(self, event: AnyEvent) -> None:
        self.state.apply(event)
        self.uncommitted.append(event)
        self._changed[self.number] = None

    def finish(self, event: Fetched) -> None:
        self.record(event)
        if not event.due:
            return
        repeats, site = self.readiness.firsts.repeats, self.state.pages.site[event.page]
        if event.outcome is Outcome.STALE_CONNECTION and site not in repeats:
            repeats[site] = event.page
        else:
            self._agenda.note(event.due, self._on_page_due, event.page)

    def admit(
        self,
        moment: float,
        source: str,
        keys: Sequence[str],
        distances: Sequence[int],
        requisites: Iterable[str] = (),
        hops: int = 0,
    ) -> list[int]:
        distance_of, guess_of = self.state.pages.distance, self.state.pages.guess
        new: dict[str, int] = {}
        nearer: dict[int, int] = {}
        linked: dict[int, None] = {}
        fewer: dict[int, None] = {}
        found, hops_of = self.state.table.find_many(keys), self.state.pages.hops
        for key, distance, page in zip(keys, distances, found, strict=True):
            if page < 0:
                if distance < new.get(key, distance + 1):
                    new[key] = distance
                continue
            if distance < nearer.get(page, distance_of[page]):
                nearer[page] = distance
            if hops_of[page] > hops:
                fewer[page] = None
            if guess_of[page] and key != source:
                linked[page] = None
        first = len(distance_of)
        new_requisites = self._new_requisites(requisites, new, first) if requisites else []
        if not new and not nearer and not new_requisites and not linked and not fewer:
            return []
        again = [page for page in linked if self.state.was_tried_in_vain(page)]
        queues = positions = b""
        if new and self.predict is not None:
            queues, positions = self.predict(first, list(new))
        self.record(
            Admitted(
                moment,
                source,
                list(new),
                list(new.values()),
                list(nearer),
                list(nearer.values()),
                new_requisites,
                list(linked),
                self.put_off(self.state, list(new)) if new and self.put_off is not None else [],
                hops,
                list(fewer),
                queues,
                positions,
            )
        )
        self._offer_from(first, moment)
        for page in again:
            self._offer_one(page, moment)
        passed = [page for page in nearer if self._came_nearer(page)]
        if fewer:  # of others than redirects nothing follows from it
            outcome, moved = self.state.pages.outcome, Outcome.REDIRECTED
            passed += [page for page in fewer if page not in nearer and outcome[page] == moved]
        return passed

    def _offer_from(self, first: int, now: float) -> None:
        pages, sites = self.state.pages, self.state.sites
        self._offered.extend(bytes(len(pages.site) - first))
        hosts: dict[int, None] = {}
        for page in range(first, len(pages.site)):
            site = pages.site[page]
            if not sites.closed[site] and pages.status[page] != PUT_OFF:
                self._offer(page, site)
                hosts[sites.host[site]] = None
        for host in hosts:
            self.readiness.work_came(host, now)

    def _offer(self, page: int, site: int) -> None:
        self._offered[page] = 1
        self.scheduler.offer(page, site)
