"""Messages between partitions: the entries of their inboxes.

A partition never writes into another partition's log. It posts a message to the other's inbox, and
the owner there decides. Inside a partition a URL is a number; in a message it is a key
(`lycosa.model.url.key`).

Messages are encoded as tagged MessagePack arrays (`lycosa.storage.log.format`): a field may be
added at the end with a default, and nothing else may change without a new version.
"""

from __future__ import annotations

from msgspec import Struct

from lycosa.model.records.batons import BatonCame, BatonDue, BatonWanted
from lycosa.model.records.codes import RobotsState
from lycosa.model.records.exchange import Place
from lycosa.model.records.outcomes import Outcome
from lycosa.model.records.rendering import PartsFound, PartsWanted
from lycosa.model.records.suspicion import ProcessDied
from lycosa.model.records.topics import BudgetAsked, BudgetGiven, Hinted


class Message(Struct, frozen=True, array_like=True, tag_field="t"):
    """An entry of a partition's inbox."""


class Discovered(Message, frozen=True, array_like=True, tag=1):
    """URLs to which one page (or a list of seeds) led, sent to their partition."""

    moment: float
    source: str
    """The key of the page, or "" for seeds."""
    keys: list[str]
    distances: list[int]
    """See `lycosa.frontier.distance`."""
    requisites: list[str] = []
    """Keys of page requisites: images, style sheets, scripts."""
    hops: int = 0
    """Number of redirects in a row that led to the keys; 0 if the last step was not a redirect."""
    said: bytes = b""
    """In a crawl by topic, the page's topics (`lycosa.features.topics.predictor`)."""
    hints: bytes = b""
    """Topics suggested by the text of each link."""
    too_deep: list[str] = []
    """Keys that are farther than the limits of depth: they are counted, unless they are known."""


class RobotsWanted(Message, frozen=True, array_like=True, tag=2):
    """A site's robots file redirects to a URL of this partition: please ask for it."""

    moment: float
    site: str
    """The site to which the rules will apply."""
    key: str
    """URL to ask for."""
    hops: int


class RobotsFound(Message, frozen=True, array_like=True, tag=3):
    """The answer at the end of the redirect of a site's robots file."""

    moment: float
    site: str
    state: RobotsState
    rules: bytes
    crawl_delay_seconds: float
    wants_sitemap: bool = False
    """It names no sitemap (`RobotsLearned`)."""


class BidsWanted(Message, frozen=True, array_like=True, tag=4):
    """A cycle is to begin: this partition is asked for its bid, as of this moment."""

    moment: float
    cycle: int
    round: int = 0


class BidMade(Message, frozen=True, array_like=True, tag=5):
    """The URLs that a partition would fetch, by worth, among which partition 0 chooses."""

    moment: float
    cycle: int
    partition: int
    bins: dict[int, int]
    """Number of URLs by worth (`lycosa.frontier.freshness.bids`)."""
    round: int = 0
    room: int = 0
    """The rest of the partition's room in the present cycle."""


class CycleShare(Message, frozen=True, array_like=True, tag=6):
    """The cycle begins: the share of its bid that the partition may fetch."""

    moment: float
    """Moment for which the bids were made."""
    cycle: int
    bin: int
    of_bin: int
    room: int
    round: int = 0
    left: int = 0
    """The room of all partitions together."""
    reported: int = 0
    """The rest of the partition's room when it made its bid."""


class LinksCounted(Message, frozen=True, array_like=True, tag=7):
    """More links to URLs that were sent before, for a scheduler that depends on their number."""

    links: dict[str, int]
    """Key → number of new pages that link to it."""


class SegmentsLost(Message, frozen=True, array_like=True, tag=8):
    """A machine was given up, and with it records that the log of this partition names.

    Every partition is told, even one without losses. The numbers are those of this partition, and
    the columns those of `RecordsLost`, which its owner writes after reading this.
    """

    moment: float
    loss: int
    """Number of the loss; 0 if more messages about it follow."""
    pages: list[int] = []
    outcomes: list[Outcome] = []
    sizes: list[int] = []
    places: list[Place] = []
    sites: list[int] = []
    robots: list[Place] = []
    names: list[str] = []
    """Sites whose robots files were fetched by another partition, and are lost there."""


AnyMessage = (
    Discovered
    | RobotsWanted
    | RobotsFound
    | BidsWanted
    | BidMade
    | CycleShare
    | LinksCounted
    | SegmentsLost
    | BatonWanted
    | BatonDue
    | BatonCame
    | Hinted
    | BudgetAsked
    | BudgetGiven
    | PartsWanted
    | PartsFound
    | ProcessDied
)
