"""The compact table answers as the pure Python one, after any operations on both."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lycosa.frontier.urltable import CompactUrlTable
from lycosa.frontier.urltable.segments import segment_end
from plain_table import PlainUrlTable
from seeds import examples

HOSTS = ["com.a", "com.a.www", "com.ab", "com.b", "org.example", "[::1]", "127.0.0.1", "localhost"]
sites = st.builds(
    "{}:{}{}".format,
    st.sampled_from(HOSTS),
    st.sampled_from(["", "s"]),
    st.sampled_from(["", "81"]),
)
steps = st.sampled_from(["a", "ab", "b", "page1", "page10", "page2", "x.html", "é", "z" * 150, ""])
paths = st.builds(
    lambda folders, query: "/".join(folders) + query,
    st.lists(steps, max_size=4),
    st.sampled_from(["", "", "", "?", "?a=1", "?a=1&b=/2", "?a=2"]),
)
keys = st.builds("{}/{}".format, sites, paths)
prefixes = st.one_of(
    st.just(""),
    st.sampled_from(["com.", "com.a", "com.a:", "org.example:s/", "[::1]:", "nowhere."]),
    st.builds(lambda key, size: key[: size % (len(key) + 1)], keys, st.integers(0, 200)),
    keys,
)


class SmallParts(CompactUrlTable):
    """Cuts spilled sites and packs places in small parts, so that there are many here."""

    frame_urls = 33
    chunk_frames = 2

    def __init__(self) -> None:
        super().__init__()
        self._set_part(4)


class Twins(RuleBasedStateMachine):
    """Does everything to both, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.compact, self.plain = SmallParts(), PlainUrlTable()

    def both(self, name: str, *arguments: object) -> None:
        answer = getattr(self.compact, name)(*arguments)
        assert answer == getattr(self.plain, name)(*arguments), (name, arguments)

    def url(self, chosen: int) -> int:
        return chosen % len(self.plain)

    def site(self, chosen: int) -> int:
        return chosen % self.plain.site_count()

    @rule(key=keys)
    def add(self, key: str) -> None:
        self.both("add", key)

    @rule(many=st.lists(keys, max_size=80))
    def add_many(self, many: list[str]) -> None:
        self.both("add_many", many)
        self.both("find_many", many)

    @rule(site=sites, first=st.integers(0, 500), count=st.integers(1, 200), step=st.integers(1, 7))
    def add_numbered(self, site: str, first: int, count: int, step: int) -> None:
        numbers = range(first, first + count * step, step)
        self.both("add_many", [f"{site}/p/{number}" for number in numbers])

    @rule(key=keys)
    def find(self, key: str) -> None:
        self.both("find", key)
        self.both("find_site", key.partition("/")[0])

    @rule(prefix=prefixes)
    def walk(self, prefix: str) -> None:
        assert list(self.compact.walk(prefix)) == list(self.plain.walk(prefix))
        assert self.compact.ready_below(prefix) == self.plain.ready_below(prefix)

    @rule(key=keys, cut=st.integers(0, 9))
    def children(self, key: str, cut: int) -> None:
        end = 0
        for _ in range(cut):
            if end < len(key):
                end = segment_end(key, end)
        assert list(self.compact.children(key[:end])) == list(self.plain.children(key[:end]))

    @rule(chosen=st.integers(0, 10_000), many=st.integers(1, 150))
    def mark(self, chosen: int, many: int) -> None:
        if len(self.plain):
            for number in range(chosen, chosen + many):
                self.both("mark", self.url(number))

    @rule(chosen=st.integers(0, 10_000), many=st.integers(1, 50))
    def unmark(self, chosen: int, many: int) -> None:
        if len(self.plain):
            for number in range(chosen, chosen + many):
                self.both("unmark", self.url(number))
                self.both("is_marked", self.url(number))

    @rule(chosen=st.integers(0, 100), action=st.sampled_from(["wake", "wake", "rest", "clear"]))
    def turn(self, chosen: int, action: str) -> None:
        if len(self.plain):
            self.both(action, self.site(chosen))
            self.both("marked", self.site(chosen))
            self.both("is_awake", self.site(chosen))

    @rule(action=st.sampled_from(["wake", "rest"]))
    def turn_all(self, action: str) -> None:
        for site in range(self.plain.site_count()):
            self.both(action, site)

    @rule(prefix=prefixes, is_taken=st.booleans())
    def look_for_ready(self, prefix: str, is_taken: bool) -> None:
        self.both("first_ready", prefix)
        self.both("last_ready", prefix)
        self.both("first_ready_leaf", prefix)
        number = self.plain.first_ready_leaf(prefix)
        if is_taken and number is not None:
            self.both("unmark", number)

    @rule(chosen=st.integers(0, 10_000), prefix=prefixes)
    def look_beside(self, chosen: int, prefix: str) -> None:
        if len(self.plain):
            self.both("next_ready", self.url(chosen), prefix)
            self.both("previous_ready", self.url(chosen), prefix)
            self.both("next_ready", self.url(chosen))
            self.both("previous_ready", self.url(chosen))
            self.both("next_ready_leaf", self.url(chosen))
            self.both("previous_ready_leaf", self.url(chosen))

    @rule()
    def slide_over_hosts(self) -> None:
        host: str | None = ""
        while host is not None:
            self.both("next_ready_host", host)
            host = self.plain.next_ready_host(host)

    @rule(prefix=st.one_of(st.just(""), prefixes), times=st.integers(1, 30), is_taken=st.booleans())
    def take_turns(self, prefix: str, times: int, is_taken: bool) -> None:
        for _ in range(times):
            number = self.plain.round_robin(prefix)
            assert self.compact.round_robin(prefix) == number
            if is_taken and number is not None:
                self.both("unmark", number)

    @rule(chosen=st.integers(0, 100))
    def spill(self, chosen: int) -> None:
        if len(self.plain):
            self.both("spill", self.site(chosen))

    @rule(chosen=st.integers(0, 100))
    def bring_back(self, chosen: int) -> None:
        if len(self.plain):
            self.both("bring_back", self.site(chosen))

    @rule()
    def tighten(self) -> None:
        self.compact.tighten()
        assert self.compact.bytes_in_use() <= self.compact.bytes_held()

    @rule()
    def spill_all_and_tighten(self) -> None:
        for site in range(self.plain.site_count()):
            self.both("rest", site)
            self.both("spill", site)
        self.compact.tighten()

    @rule()
    def restore(self) -> None:
        compact, plain = SmallParts(), PlainUrlTable()
        compact.unpack(self.compact.pack())
        plain.unpack(self.plain.pack())
        assert compact.pack() == self.compact.pack()
        self.compact, self.plain = compact, plain

    @invariant()
    def all_counts_are_right(self) -> None:
        self.compact.check()
        assert self.compact.ready == self.plain.ready
        assert len(self.compact) == len(self.plain)
        for site in range(self.plain.site_count()):
            self.both("is_spilled", site)
            self.both("site_name", site)

    def teardown(self) -> None:
        assert list(self.compact) == list(self.plain)
        for number in range(len(self.plain)):
            self.both("is_marked", number)


TestTwins = Twins.TestCase
TestTwins.settings = settings(
    max_examples=examples(60),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize("seed", range(2))
def test_twins_agree_on_many_urls_in_deep_trees(seed: int) -> None:
    """Enough URLs for inner nodes to be split, in every order of adding."""
    chance = random.Random(seed)
    compact, plain = CompactUrlTable(), PlainUrlTable()
    folders = ["".join(chance.choices("abc/", k=chance.randint(1, 8))) for _ in range(300)]
    many = [
        f"com.{chance.choice('ab')}:/{chance.choice(folders)}/{chance.randrange(10_000)}"
        for _ in range(30_000)
    ]
    if seed:
        many.sort()
    assert compact.add_many(many) == plain.add_many(many)
    compact.check()
    for number in chance.sample(range(len(plain)), 3_000):
        compact.mark(number)
        plain.mark(number)
    for site in range(2):
        compact.wake(site)
        plain.wake(site)
    compact.check()
    assert list(compact.walk()) == list(plain.walk())
    for _ in range(300):
        number = chance.randrange(len(plain))
        assert compact.next_ready(number) == plain.next_ready(number)
        assert compact.previous_ready(number) == plain.previous_ready(number)
        assert compact.next_ready_leaf(number) == plain.next_ready_leaf(number)
        assert compact.previous_ready_leaf(number) == plain.previous_ready_leaf(number)
        prefix = plain.key(number)[: chance.randrange(40)]
        assert compact.ready_below(prefix) == plain.ready_below(prefix)
    for _ in range(3_000):
        turn = plain.round_robin()
        assert turn is not None
        assert compact.round_robin() == turn
        compact.unmark(turn)
        plain.unmark(turn)
    assert compact.ready == 0
    compact.check()
