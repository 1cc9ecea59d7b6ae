from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.distance import SEED, STEP, depth_of, farthest, through
from lycosa.model.records import LinkKind

KINDS = st.sampled_from(list(LinkKind))
DISTANCES = st.integers(0, 3000 * STEP)


def test_a_link_costs_a_level_and_a_redirect_none() -> None:
    page = through(SEED, LinkKind.ANCHOR)
    assert depth_of(page) == 1
    assert depth_of(through(page, LinkKind.REDIRECT)) == 1
    assert depth_of(through(through(page, LinkKind.REFRESH), LinkKind.ANCHOR)) == 2


def test_redirects_without_end_cost_a_level_after_twenty() -> None:
    distance, depths = SEED, []
    for _ in range(45):
        distance = through(distance, LinkKind.REDIRECT)
        depths.append(depth_of(distance))
    assert depths[19] == 0
    assert depths[20] == 1
    assert depths[-1] == 2


@given(DISTANCES, DISTANCES, KINDS)
def test_a_shorter_distance_never_leads_to_a_longer_one(a: int, b: int, kind: LinkKind) -> None:
    near, far = sorted((a, b))
    assert through(near, kind) <= through(far, kind)
    assert through(near, kind) > near


@given(st.integers(0, 3000))
def test_the_farthest_distance_of_a_depth_is_the_last_before_the_next(depth: int) -> None:
    assert depth_of(farthest(depth)) == depth
    assert depth_of(farthest(depth) + 1) == depth + 1
