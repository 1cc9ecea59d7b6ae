"""The points at which features act on a crawl, and what the spine lends them.

The spine is what every page needs: choose, send, judge, scan, charge, resolve, store, rest,
finish, route, commit. A feature is what not every job has: an object that acts at some points, by
the methods that its class defines. `lycosa.features.of_job` makes a job's features, in the
order in which they act. At each point the spine walks a tuple, which is empty in a crawl without
such a feature; it names none of them.

A feature that most jobs have need not be asked about every page. It may name the occasions of a
point (`occasions`), and keep a column of the sites that it still has something to do with
(`watched`); the spine tests a bit before it calls.

Always true: what a feature decides is an event of its partition, so that a kill and a resume lead
to the same. The events and the state of a feature that this job has off stay as they are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntFlag
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.task import Task
from lycosa.model.records import Answer, Outcome, Request

if TYPE_CHECKING:
    from lycosa.crawl.links.router import Router
    from lycosa.crawl.ports import Companion, Ports
    from lycosa.crawl.worker.turns import PartitionTurns
    from lycosa.model.url.posts import Body

Handler = Callable[[Partition, Any, float], None]
"""Decides on a message of one type that came into a partition, at a moment."""


class Occasion(IntFlag):
    """Facts of an answer that the spine knows by itself."""

    KEPT = 1
    """It is a page to keep."""
    FIRST = 2
    """It is kept now and was not before."""
    KNOWN = 4
    """Its URL was asked for before."""
    STRUCTURED = 8
    """The scan has seen structured data."""


class Asked(NamedTuple):
    """A feature's method at a point of a page's way, and when it is called."""

    method: Callable[[PageAnswer], None]
    occasions: int
    """Any of these; 0: always."""
    watched: Callable[[Partition], array[int]] | None
    """Makes the column of sites that matter; None: all do."""


class Spine(NamedTuple):
    """Parts of the spine that features may use."""

    ports: Ports
    partitions: Mapping[int, Partition]
    router: Router
    agenda: Agenda
    look_soon: Callable[[], None]
    """Has inboxes read and decisions committed soon."""
    has_looked: Callable[[], None]
    """Has the end looked for that waited for a busy feature."""
    when_on_disk: Callable[[Callable[[], None]], None]
    """Calls back soon, when a power cut takes nothing that was decided so far."""


class Feature:
    """A part that not every job has; a subclass defines the points at which it acts."""

    content_types: Sequence[str] = ()
    """Types that it reads beside those that the job keeps."""
    topic_names: Sequence[str] = ()
    """The topics of the job's model."""
    companion: Companion | None = None
    occasions: Mapping[str, Occasion] = MappingProxyType({})
    """For `recognised`, `extracted` and `learned`: any of which must be given. Without: always."""

    if TYPE_CHECKING:  # what a class does not define is not looked for

        def watched(self, partition: Partition, /) -> array[int]:
            """Return a column of the partition's sites, of bytes: 0 where nothing is to be done.

            Of such a site `recognised` and `learned` are called only for URLs that were asked for
            before. A site beyond the end of the column is like any other. The spine keeps the
            column; the feature changes it.
            """

        def attached(self, partition: Partition, /) -> None:
            """A partition was taken, and nothing of it was looked at yet."""

        def begun(self, partition: Partition, now: float, /) -> None:
            """It has its turns from now on."""

        def lost(self, partition: int, /) -> None:
            """It is no longer ours."""

        def turns(self, with_work: dict[int, None], /) -> PartitionTurns:
            """Which partition is next? One owner, else the spine's own turns."""

        def excluded(self, partition: Partition, page: int, /) -> bool:
            """May a URL not be asked for in this session? Any yes counts."""

        def permitted(self, state: PartitionState, page: int, /) -> Outcome | None:
            """Return the outcome of a URL that needs no request; the first that has one."""

        def settled(self, partition: Partition, site: int, /) -> None:
            """A URL of the site was settled without a request."""

        def step(self, partition: Partition, page: int, /) -> tuple[str, bytes] | None:
            """Which request takes the place of a page's? The first that has one."""

        def posted(self, partition: Partition, page: int, /) -> Body:
            """A URL that is posted to is about to be asked for: what is sent? One owner.

            The request goes out when everything that was decided is durable.
            """

        def claimed(
            self, partition: Partition, task: Task, request: Request, answer: Answer, /
        ) -> bool:
            """Is an answer no page's, or is the page asked for again? The first yes counts."""

        def judged(self, answered: PageAnswer, /) -> None:
            """The outcome is known, as far as status and headers tell."""

        def read(self, answered: PageAnswer, /) -> None:
            """The page may be kept: who reads it in the spine's place? One owner."""

        def recognised(self, answered: PageAnswer, /) -> None:
            """The text is known: is the page what its status says?"""

        def guess_recognised(self, answered: PageAnswer, /) -> None:
            """The same of a URL that nobody linked to."""

        def shown(self, answered: PageAnswer, /) -> None:
            """It is read, and no soft 404: facts, links and outcome may still change."""

        def charged(self, answered: PageAnswer, /) -> None:
            """It is kept: does it count towards the job's limits?"""

        def extracted(self, answered: PageAnswer, /) -> None:
            """Read more from a page than text and links. It may name more links."""

        def columned(self, answered: PageAnswer, /) -> None:
            """Values of columns beside those of every crawl."""

        def owed(self, partition: Partition, host: int, outcome: Outcome, pause: float, /) -> float:
            """How long does a host rest after a page, if `pause` is what the spine says?"""

        def owed_at_end(self, partition: Partition, host: int, pause: float, /) -> float:
            """The same after another answer, as that of a robots file."""

        def finished(self, answered: PageAnswer, /) -> None:
            """The decision stands: events of a feature's own follow it."""

        def heard(self, answered: PageAnswer, /) -> None:
            """Its links are about to be routed."""

        def taken(self, answered: PageAnswer, /) -> bool:
            """Do the links lead nowhere, or elsewhere? The first that takes them."""

        def guess_taken(self, answered: PageAnswer, /) -> bool:
            """The same of a URL that nobody linked to, before the others are asked."""

        def learned(self, answered: PageAnswer, /) -> None:
            """Its links are routed: what follows from the page?"""

        def messages(self) -> Mapping[type, Handler]:
            """Handlers of messages that other partitions send, by type."""

        def looked(self) -> None:
            """Inboxes are about to be read: is something due?"""

        def working(self) -> bool:
            """Is work left that limits of pages and bytes do not end? Any yes counts."""

        def busy(self) -> bool:
            """Is something looked for that may lead to requests? Any yes puts the end off."""

        def stopped(self) -> None:
            """Nothing more is to be done."""


class Points:
    """The methods of a worker's features by point, in the order in which they act."""

    def __init__(self, features: Sequence[Feature]) -> None:
        at = _Acting(features)
        self.attached: tuple[Callable[[Partition], None], ...] = at("attached")
        self.begun: tuple[Callable[[Partition, float], None], ...] = at("begun")
        self.lost: tuple[Callable[[int], None], ...] = at("lost")
        self.turns: tuple[Callable[[dict[int, None]], PartitionTurns], ...] = at.owner("turns")
        self.excluded: tuple[Callable[[Partition, int], bool], ...] = at("excluded")
        self.permitted: tuple[Callable[[PartitionState, int], Outcome | None], ...] = at(
            "permitted"
        )
        self.settled: tuple[Callable[[Partition, int], None], ...] = at("settled")
        self.step: tuple[Callable[[Partition, int], tuple[str, bytes] | None], ...] = at("step")
        self.posted: tuple[Callable[[Partition, int], Body], ...] = at.owner("posted")
        self.claimed: tuple[Callable[[Partition, Task, Request, Answer], bool], ...] = at("claimed")
        self.judged: tuple[Callable[[PageAnswer], None], ...] = at("judged")
        self.read: tuple[Callable[[PageAnswer], None], ...] = at.owner("read")
        self.recognised: tuple[Callable[[PageAnswer], None], ...] = at("recognised")
        self.guess_recognised: tuple[Callable[[PageAnswer], None], ...] = at("guess_recognised")
        self.shown: tuple[Callable[[PageAnswer], None], ...] = at("shown")
        self.charged: tuple[Callable[[PageAnswer], None], ...] = at("charged")
        self.extracted: tuple[Callable[[PageAnswer], None], ...] = at("extracted")
        self.columned: tuple[Callable[[PageAnswer], None], ...] = at("columned")
        self.owed: tuple[Callable[[Partition, int, Outcome, float], float], ...] = at("owed")
        self.owed_at_end: tuple[Callable[[Partition, int, float], float], ...] = at("owed_at_end")
        self.finished: tuple[Callable[[PageAnswer], None], ...] = at("finished")
        self.heard: tuple[Callable[[PageAnswer], None], ...] = at("heard")
        self.taken: tuple[Callable[[PageAnswer], bool], ...] = at("taken")
        self.guess_taken: tuple[Callable[[PageAnswer], bool], ...] = at("guess_taken")
        self.learned: tuple[Callable[[PageAnswer], None], ...] = at("learned")
        self.looked: tuple[Callable[[], None], ...] = at("looked")
        self.working: tuple[Callable[[], bool], ...] = at("working")
        self.busy: tuple[Callable[[], bool], ...] = at("busy")
        self.stopped: tuple[Callable[[], None], ...] = at("stopped")
        self.recognised_when = at.when("recognised", by_site=True)
        self.extracted_when = at.when("extracted")
        self.learned_when = at.when("learned", by_site=True)
        self.messages: dict[type, Handler] = {}
        for handlers in at("messages"):
            self.messages |= handlers()
        self.content_types = [kind for feature in features for kind in feature.content_types]
        self.topic_names = tuple(name for feature in features for name in feature.topic_names)
        companions = [one.companion for one in features if one.companion is not None]
        self.companion = companions[0] if companions else None


class _Acting:
    """Finds the features that act at a point."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._features = list(features)

    def __call__(self, point: str) -> tuple[Any, ...]:
        return tuple(getattr(one, point) for one in self._features if hasattr(one, point))

    def when(self, point: str, *, by_site: bool = False) -> tuple[Asked, ...]:
        """Return the methods of a point with the occasions on which they are called."""
        return tuple(
            Asked(
                getattr(one, point),
                int(one.occasions.get(point, 0)),
                getattr(one, "watched", None) if by_site else None,
            )
            for one in self._features
            if hasattr(one, point)
        )

    def owner(self, point: str) -> tuple[Any, ...]:
        """Return the one that acts, if any does: where two would answer, one is wrong."""
        found = self(point)
        if len(found) > 1:
            names = " and ".join(type(one.__self__).__name__ for one in found)
            raise ValueError(f"{names} both act at the point `{point}`, where one may")
        return found
