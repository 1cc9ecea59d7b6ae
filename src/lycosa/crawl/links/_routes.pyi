"""Types of the compiled module; what it does is told in `_routes.pyx`."""

from collections.abc import Sequence

from lycosa.crawl.links._link_cache import Targets
from lycosa.crawl.links.known_copies import Ahead, KnownCopies
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.crawl.ports import Companion, Ports
from lycosa.frontier.partition import Partition
from lycosa.model.links import Links, Ways
from lycosa.model.records import Target

TOO_DEEP: str
REQUISITES: int

class Routes:
    companion: Companion | None
    _scope_size: int
    @property
    def _deep_from(self) -> int: ...
    def __init__(
        self,
        ports: Ports,
        targets: Targets,
        ways: Ways,
        copies: KnownCopies | None,
        last_distance: int,
    ) -> None: ...
    def resolve(
        self,
        partition: Partition,
        page: int,
        raw: RawLinks,
        base: str,
        also_out_of_scope: int = ...,
        is_kept: bool = False,
    ) -> tuple[Links, Links, Ahead | None]: ...
    def route(
        self,
        partition: Partition,
        moment: float,
        page: int,
        key: str,
        links: Links,
        *,
        ahead: Ahead | None = None,
    ) -> None: ...
    def _route_one(
        self,
        partition: Partition,
        moment: float,
        page: int,
        targets: Sequence[Target],
        kinds: Sequence[int],
    ) -> list[int]: ...
