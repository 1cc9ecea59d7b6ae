"""A partition whose URLs are all offered and whose sites are all awake."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers import Scheduler
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.model.job import Frontier
from lycosa.model.records import Admitted
from lycosa.model.url import key_of, url_of


class AllReady:
    """A scheduler to which URLs are offered as users write them."""

    def __init__(
        self,
        scheduler: str,
        urls: Iterable[str] = (),
        now: Callable[[], float] = lambda: 0.0,
        score: Callable[[str, int], float] | None = None,
        **options: object,
    ) -> None:
        self.state = PartitionState()
        frontier = Frontier(scheduler=scheduler, **options)  # type: ignore[arg-type]
        self.scheduler: Scheduler = make_scheduler(self.state, Order(frontier, now, score))
        self.offer(urls)

    def offer(self, urls: Iterable[str], distance: int = 0) -> None:
        """Take URLs in and let all sites be awake."""
        keys = [key_of(url if "://" in url else f"http://{url}") for url in urls]
        first = len(self.state.table)
        self.state.apply(Admitted(0.0, "", keys, [distance] * len(keys)))
        for page in range(first, len(self.state.table)):
            self.scheduler.offer(page, self.state.pages.site[page])
        self.wake_all()

    def wake_all(self) -> None:
        """Let every site be awake."""
        for site in range(len(self.state.site_names)):
            self.scheduler.wake(site)

    def rest(self, host: str) -> None:
        """Put a host to rest."""
        site = self.state.site_number(key_of(f"http://{host}/")[:-1])
        assert site is not None
        self.scheduler.rest(site)

    def url(self, page: int | None) -> str:
        """Return a URL without its scheme."""
        assert page is not None
        return url_of(self.state.table.key(page)).removeprefix("http://")

    def take(self, count: int) -> list[str]:
        """Choose so many URLs."""
        return [self.url(self.scheduler.choose()) for _ in range(count)]

    def drain(self) -> list[str]:
        """Choose everything that is ready."""
        chosen = self.take(self.scheduler.ready)
        assert self.scheduler.choose() is None
        return chosen
