"""Every test of graphs runs twice: links in one block, and in blocks of very few."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lycosa.frontier.graph import groups, links


@pytest.fixture(scope="module", autouse=True, params=[links.BLOCK_LINKS, 2])
def block_links(request: pytest.FixtureRequest) -> Iterator[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "BLOCK_LINKS", request.param)
        patch.setattr(groups, "SUMMED_LINKS", request.param)
        yield request.param
