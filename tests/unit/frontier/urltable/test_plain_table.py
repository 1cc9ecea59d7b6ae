"""The contract by examples; tests compare the compiled table with this one."""

from lycosa.frontier.urltable.contract import UrlTable
from plain_table import PlainUrlTable

A, B = "com.a:", "com.b:"


def filled(*keys: str) -> UrlTable:
    """Return a table in which all keys are ready."""
    table = PlainUrlTable()
    for number in table.add_many(keys):
        table.mark(number)
    for site in range(table.site_count()):
        table.wake(site)
    return table


def names(table: UrlTable, numbers: list[int | None]) -> list[str]:
    return [table.key(number) for number in numbers if number is not None]


def drained(table: UrlTable, choose: str, prefix: str = "") -> list[str]:
    """Return the keys in the order in which they are chosen and unmarked."""
    chosen = []
    while (number := getattr(table, choose)(prefix)) is not None:
        table.unmark(number)
        chosen.append(table.key(number))
    return chosen


def test_numbers_follow_the_order_of_the_first_add() -> None:
    table = PlainUrlTable()
    assert table.add_many([f"{B}/x", f"{A}/x", f"{B}/x"]) == [0, 1, 0]
    assert table.add(f"{A}/") == 2
    assert table.find(f"{A}/x") == 1
    assert table.find_many([f"{A}/", f"{A}/y"]) == [2, -1]
    assert list(table) == [f"{B}/x", f"{A}/x", f"{A}/"]
    assert [table.site_name(site) for site in range(table.site_count())] == [B, A]


def test_walks_are_in_key_order_and_children_are_one_step_down() -> None:
    table = filled(f"{A}/v/2", f"{A}/v/", f"{A}/v/1/x", f"{A}/v/1/y", f"{A}/v/p?a=1", f"{B}/v/1")
    assert [key for key, _ in table.walk(f"{A}/v/1")] == [f"{A}/v/1/x", f"{A}/v/1/y"]
    assert list(table.children(f"{A}/v/")) == [f"{A}/v/1/", f"{A}/v/2", f"{A}/v/p?"]
    assert list(table.children("com.")) == [A, B]
    assert list(table.children("")) == ["com."]


def test_only_pending_urls_of_awake_sites_are_ready() -> None:
    table = filled(f"{A}/1", f"{A}/2", f"{B}/1")
    table.rest(0)
    assert (table.ready, table.marked(0), table.ready_below(A)) == (1, 2, 0)
    table.unmark(0)
    table.wake(0)
    assert (table.ready, table.ready_below(A), table.ready_below("com.")) == (2, 1, 2)
    table.clear(0)
    assert (table.ready, table.marked(0)) == (1, 0)


def test_bottom_up_is_children_before_their_node() -> None:
    """Tarantula, figure 3."""
    table = filled(f"{A}/", f"{A}/video/", f"{A}/video/clips/", f"{A}/z")
    assert drained(table, "first_ready_leaf") == [
        f"{A}/video/clips/",
        f"{A}/video/",
        f"{A}/z",
        f"{A}/",
    ]


def test_windows_move_to_and_fro_and_over_hosts() -> None:
    table = filled(f"{A}/1", f"{A}/2", f"{A}s/1", f"{B}/1", "org.c:/1")
    assert table.next_ready(0) == 1
    assert table.next_ready(1, f"{A}/") is None
    assert table.previous_ready(3) == 2
    assert table.previous_ready(0) is None
    assert (table.first_ready("com."), table.last_ready("com.")) == (0, 3)
    hosts, host = [], table.next_ready_host()
    while host is not None:
        hosts.append(host)
        host = table.next_ready_host(host)
    assert hosts == [A, B, "org.c:"]


def test_leaves_have_nothing_ready_below_them() -> None:
    table = filled(f"{A}/", f"{A}/v/", f"{A}/v/1", f"{A}/w", f"{B}/")
    root, folder, first, second, other = range(5)
    assert [table.next_ready_leaf(url) for url in range(5)] == [first, first, second, other, None]
    assert table.previous_ready_leaf(other) == second
    assert table.previous_ready_leaf(second) == first
    assert table.previous_ready_leaf(first) is None
    table.unmark(first)
    assert table.next_ready_leaf(root) == folder
    assert table.previous_ready_leaf(second) == folder


def test_round_robin_gives_every_child_its_turn() -> None:
    """The example of the RDFa spider, 4.6."""
    keys = [f"com.{host}.www:/page{page}" for host in (1, 2, 3) for page in (1, 2, 3)]
    assert drained(filled(*keys), "round_robin") == [
        f"com.{host}.www:/page{page}" for page in (1, 2, 3) for host in (1, 2, 3)
    ]


def test_a_page_is_no_folder_of_pages_with_longer_names() -> None:
    table = filled(f"{A}/page1", f"{A}/page10", f"{A}/page2")
    assert drained(table, "round_robin") == [f"{A}/page1", f"{A}/page10", f"{A}/page2"]


def test_a_nodes_own_url_is_its_first_child() -> None:
    table = filled(f"{A}/", f"{A}/f/", f"{A}/f/1", f"{A}/f/2", f"{A}/g")
    order = [table.round_robin() for _ in range(7)]
    assert names(table, order) == [
        f"{A}/",
        f"{A}/f/",
        f"{A}/g",
        f"{A}/",
        f"{A}/f/1",
        f"{A}/g",
        f"{A}/",
    ]


def test_a_spilled_site_answers_and_is_woken_when_needed() -> None:
    table = filled(f"{A}/1", f"{A}/2")
    assert not table.spill(0)
    table.rest(0)
    assert table.spill(0)
    assert (table.find(f"{A}/2"), table.key(0), table.marked(0)) == (1, f"{A}/1", 2)
    assert table.is_spilled(0)
    table.wake(0)
    assert not table.is_spilled(0)
    assert table.ready == 2


def test_what_is_packed_can_be_unpacked() -> None:
    table, copy = filled(f"{A}/1", f"{B}/2"), PlainUrlTable()
    copy.unpack(table.pack())
    assert list(copy) == list(table)
    assert copy.ready == 0
