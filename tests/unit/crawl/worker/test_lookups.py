"""Names are asked for while a crawl runs, and not for a hundred thousand hosts when it stops."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from lycosa.crawl.worker.lookups import MOST_LOOKUPS, Lookups
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted, Resolved

HOSTS = 3 * MOST_LOOKUPS


def test_no_more_names_are_asked_for_when_a_crawl_stops() -> None:
    asked: list[Callable[[Resolved], None]] = []
    state = PartitionState()
    state.apply(Admitted(1.0, "", [f"test.h{n}:/" for n in range(HOSTS)], [0] * HOSTS))
    readiness = SimpleNamespace(is_resolving=lambda host: False)
    partition = SimpleNamespace(
        state=state, is_lost=False, is_leaving=False, readiness=readiness, record=lambda event: None
    )
    transport = SimpleNamespace(resolve=lambda name, answered: asked.append(answered))
    parts = SimpleNamespace(transport=transport, clock=SimpleNamespace(now=lambda: 5.0))
    lookups = Lookups(cast(Any, parts), cast(Any, {0: partition}), lambda *_: None, lambda: None)
    for host in range(HOSTS):
        assert lookups.resolve(0, host) is None
    assert len(asked) == MOST_LOOKUPS
    asked[0](Resolved("127.0.0.1", 60.0))
    assert len(asked) == MOST_LOOKUPS + 1
    lookups.stop()
    for answered in asked[1:]:
        answered(Resolved("127.0.0.1", 60.0))
    assert len(asked) == MOST_LOOKUPS + 1
