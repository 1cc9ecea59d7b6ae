"""The orders that the papers draw, with all hosts ready.

Tarantula's figures 3 to 6 and the lists of the RDFa spider's 4.6 and 5.1.2, told again as what
is chosen after what. How several trees make the rows of one table is in
`tests/integration/test_schedulers.py`: there the worker goes from partition to partition.
"""

from __future__ import annotations

import pytest

from all_ready import AllReady
from lycosa.frontier.schedulers import KeepsTurn
from lycosa.frontier.schedulers.diverse import spread

EXAMPLES = [f"www.example{n}.com" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("scheduler", ["top-window", "leaf-window"])
def test_figure_3_from_the_leaf_to_the_folders_above_it(scheduler: str) -> None:
    folders = ["www.example.com/", "www.example.com/video/", "www.example.com/video/clips/"]
    assert AllReady(scheduler, folders).drain() == folders[::-1]


def test_figure_3_numbered_pages_come_before_the_folders_that_hold_them() -> None:
    pages = AllReady("top-window")
    pages.offer(f"www.example.com/{path}" for path in ("", "pics2/", "pics1/Page2.html", "pics1/"))
    pages.offer(["www.example.com/pics2/Page1.html", "www.example.com/pics1/Page1.html"])
    assert pages.drain() == [
        "www.example.com/pics1/Page1.html",
        "www.example.com/pics1/Page2.html",
        "www.example.com/pics1/",
        "www.example.com/pics2/Page1.html",
        "www.example.com/pics2/",
        "www.example.com/",
    ]


def test_figure_4_a_top_window_holds_the_left_most_leaf_of_every_host() -> None:
    hosts = AllReady("top-window")
    for host in EXAMPLES:
        hosts.offer([f"{host}/", f"{host}/b", f"{host}/a/", f"{host}/a/z", f"{host}/a/y"])
    assert hosts.take(4) == [f"{host}/a/y" for host in EXAMPLES]
    assert hosts.take(4) == [f"{host}/a/z" for host in EXAMPLES]
    assert hosts.take(4) == [f"{host}/a/" for host in EXAMPLES]
    assert hosts.take(4) == [f"{host}/b" for host in EXAMPLES]
    assert hosts.drain() == [f"{host}/" for host in EXAMPLES]


@pytest.mark.parametrize("window", [1, 2, 3, 100])
def test_figure_5_the_window_slides_from_two_hosts_to_the_next_two(window: int) -> None:
    hosts = AllReady("top-window", window=window)
    for host in EXAMPLES:
        hosts.offer([f"{host}/2", f"{host}/1"])
    first, second = EXAMPLES[:2], EXAMPLES[2:]
    assert hosts.take(2) == [f"{host}/1" for host in first]
    assert hosts.take(2) == [f"{host}/1" for host in second]
    assert hosts.take(2) == [f"{host}/2" for host in first]
    assert hosts.drain() == [f"{host}/2" for host in second]


def test_figure_5_hosts_are_beside_those_of_their_domain() -> None:
    hosts = ["a.net", "z.com", "www.z.com", "b.net"]
    window = AllReady("top-window", [f"{host}/" for host in hosts])
    assert window.drain() == ["www.z.com/", "z.com/", "a.net/", "b.net/"]


def test_a_host_at_rest_is_passed_over_and_has_its_place_when_it_wakes() -> None:
    hosts = AllReady("top-window", [f"{host}/{n}" for host in EXAMPLES for n in (1, 2)])
    hosts.rest(EXAMPLES[1])
    assert hosts.take(2) == [f"{EXAMPLES[0]}/1", f"{EXAMPLES[2]}/1"]
    hosts.wake_all()
    assert hosts.take(3) == [f"{EXAMPLES[3]}/1", f"{EXAMPLES[0]}/2", f"{EXAMPLES[1]}/1"]


@pytest.mark.parametrize(
    ("hosts", "share", "width"), [(4, 1.0, 4), (4, 0.5, 2), (9, 0.5, 5), (30, 1.0, 20), (3, 0.0, 1)]
)
def test_each_tree_has_a_window_of_its_own_size(hosts: int, share: float, width: int) -> None:
    """As wide as its share of the hosts allows, at most 20; then the next tree has its turn."""
    names = [f"www.h{n:02}.com" for n in range(hosts)]
    tree = AllReady("top-window", [f"{name}/1" for name in names], window_share=share)
    scheduler = tree.scheduler
    assert isinstance(scheduler, KeepsTurn) and not scheduler.keeps_turn()
    served = tree.take(1)
    while scheduler.keeps_turn():
        served += tree.take(1)
    assert served == [f"{name}/1" for name in names[:width]]


def test_hosts_that_went_to_rest_do_not_hold_the_turn() -> None:
    tree = AllReady("top-window", [f"{name}/1" for name in EXAMPLES])
    scheduler = tree.scheduler
    assert isinstance(scheduler, KeepsTurn)
    tree.take(1)
    for host in EXAMPLES[1:]:
        tree.rest(host)
    assert not scheduler.keeps_turn()


def test_the_order_of_children_decides_where_a_top_window_begins() -> None:
    """Tarantula, 5.1: the order of the characters in a node decides the order of the URLs."""
    tree = AllReady("top-window", children="z-a", window=2)
    for host in EXAMPLES[:2]:
        tree.offer([f"{host}/", f"{host}/b", f"{host}/a/", f"{host}/a/z", f"{host}/a/y"])
    backwards = EXAMPLES[1::-1]
    paths = ["b", "a/z", "a/y", "a/", ""]
    assert tree.drain() == [f"{host}/{path}" for path in paths for host in backwards]


def test_a_mirrored_top_window_goes_on_when_its_host_has_nothing_left_or_something_new() -> None:
    tree = AllReady("top-window", [f"{host}/m" for host in EXAMPLES[:3]], children="z-a", window=1)
    one, two, three = EXAMPLES[:3]
    assert tree.take(1) == [f"{three}/m"]
    tree.offer([f"{three}/a", f"{three}/z"])
    assert tree.take(2) == [f"{two}/m", f"{one}/m"]
    assert tree.drain() == [f"{three}/z", f"{three}/a"]


def test_the_order_of_children_decides_where_a_leaf_window_begins() -> None:
    leaves = AllReady("leaf-window", [f"h.com/{n}" for n in "123"], children="z-a", window=1)
    assert leaves.take(2) == ["h.com/3", "h.com/2"]
    leaves.offer(["h.com/4"])
    assert leaves.drain() == ["h.com/1", "h.com/4"]


def test_figure_6_a_leaf_window_moves_to_the_right_end_and_back() -> None:
    leaves = AllReady("leaf-window", [f"h.com/{n}" for n in range(1, 7)], window=1)
    assert leaves.take(3) == ["h.com/1", "h.com/2", "h.com/3"]
    leaves.offer(["h.com/0", "h.com/25", "h.com/9"])
    assert leaves.take(4) == ["h.com/4", "h.com/5", "h.com/6", "h.com/9"]
    assert leaves.take(1) == ["h.com/25"]
    leaves.offer(["h.com/21", "h.com/26"])
    assert leaves.take(2) == ["h.com/21", "h.com/0"]
    assert leaves.drain() == ["h.com/26"]


def test_figure_6_leaves_are_those_of_all_hosts_of_a_tree_and_folders_wait_for_the_way_back() -> (
    None
):
    leaves = AllReady("leaf-window", window=1)
    for host in ("a.com", "b.com"):
        leaves.offer([f"{host}/", f"{host}/v/", f"{host}/v/2", f"{host}/v/1", f"{host}/w"])
    right = [f"{host}/{leaf}" for host in ("a.com", "b.com") for leaf in ("v/1", "v/2", "w")]
    assert leaves.take(6) == right
    assert leaves.take(2) == ["b.com/v/", "b.com/"]
    assert leaves.drain() == ["a.com/v/", "a.com/"]


def test_a_wide_window_serves_what_it_has_in_sight_before_what_is_found_meanwhile() -> None:
    """Without a score: its width says how soon the crawl goes into the depth of what is new."""
    orders = {}
    for width in (1, 3):
        hosts = AllReady("top-window", window=width)
        hosts.offer([f"{host}/m" for host in EXAMPLES[:3]])
        first = hosts.take(1)
        hosts.offer([f"{host}/a" for host in EXAMPLES[:3]])
        orders[width] = [*first, *hosts.take(2)]
    one, two, three = EXAMPLES[:3]
    assert orders[1] == [f"{one}/m", f"{two}/a", f"{three}/a"]
    assert orders[3] == [f"{one}/m", f"{two}/m", f"{three}/m"]


def test_folders_come_into_sight_when_a_wide_leaf_window_has_passed() -> None:
    paths = [f"{host}/{path}" for host in ("a.com", "b.com") for path in ("", "v/", "v/1")]
    assert AllReady("leaf-window", paths, window=1).drain() == [
        *("a.com/v/1", "b.com/v/1"),
        *("b.com/v/", "b.com/", "a.com/v/", "a.com/"),
    ]
    assert AllReady("leaf-window", paths, window=2).drain() == [
        *("a.com/v/1", "b.com/v/1"),
        *("b.com/v/", "a.com/v/"),
        *("a.com/", "b.com/"),
    ]


def test_a_leaf_window_leaves_a_host_that_rests_for_the_way_back() -> None:
    leaves = AllReady("leaf-window", [f"{h}.com/{n}" for h in "abc" for n in (1, 2)])
    assert leaves.take(1) == ["a.com/1"]
    leaves.rest("a.com")
    assert leaves.take(1) == ["b.com/1"]
    leaves.wake_all()
    assert leaves.take(3) == ["b.com/2", "c.com/1", "c.com/2"]
    assert leaves.drain() == ["a.com/2"]


def test_a_score_orders_what_is_within_a_window_and_no_further() -> None:
    worth = {"a": 0.1, "b": 0.9, "c": 0.2, "d": 0.3}
    hosts = AllReady("top-window", window=2, score=lambda url, depth: worth[url[7]])
    hosts.offer(f"{host}.com/{n}" for host in "abcd" for n in (1, 2))
    assert hosts.take(4) == ["b.com/1", "a.com/1", "d.com/1", "c.com/1"]
    assert hosts.drain() == ["b.com/2", "a.com/2", "d.com/2", "c.com/2"]
    leaves = AllReady("leaf-window", window=3, score=lambda url, depth: int(url[-1]) / 10)
    leaves.offer(f"h.com/{n}" for n in range(1, 8))
    assert [url[-1] for url in leaves.drain()] == ["3", "2", "1", "6", "5", "4", "7"]


def test_what_goes_to_rest_within_a_window_is_left_for_the_next_one() -> None:
    hosts = AllReady("top-window", window=3, score=lambda url, depth: 0.5)
    hosts.offer(f"{host}.com/1" for host in "abcd")
    assert hosts.take(1) == ["a.com/1"]
    hosts.rest("b.com")
    assert hosts.take(2) == ["c.com/1", "d.com/1"]
    hosts.wake_all()
    assert hosts.drain() == ["b.com/1"]


def test_the_list_of_4_6_is_served_round_and_round() -> None:
    urls = [f"www.{host}.com/page{page}" for host in (1, 2, 3) for page in (1, 2, 3)]
    assert AllReady("round-robin", urls).drain() == [
        "www.1.com/page1",
        "www.2.com/page1",
        "www.3.com/page1",
        "www.1.com/page2",
        "www.2.com/page2",
        "www.3.com/page2",
        "www.1.com/page3",
        "www.2.com/page3",
        "www.3.com/page3",
    ]


def test_figures_10_and_11_no_two_requests_take_the_same_branch_in_a_row() -> None:
    """The tree of the figures: `abc` and `edc` share a branch, `xyz` is on one of its own."""
    urls = ["ab.c/1", "ed.c/2", "ed.c/3", "xy.z/4"]
    assert AllReady("round-robin", urls).drain() == ["ab.c/1", "xy.z/4", "ed.c/2", "ed.c/3"]


def test_a_url_that_is_added_later_gets_its_turn_where_it_stands() -> None:
    turns = AllReady("round-robin", ["a.com/1", "a.com/2", "c.com/1", "c.com/2"])
    assert turns.take(1) == ["a.com/1"]
    turns.offer(["b.com/1"])
    assert turns.drain() == ["b.com/1", "c.com/1", "a.com/2", "c.com/2"]


def test_the_page_of_5_1_2_is_laid_out_as_the_paper_has_it() -> None:
    owners = spread([7, 5, 4, 3, 1])
    wanted = "1 2 3 1 4 2 1 3 5 1 2 1 3 4 1 2 4 1 3 2"
    assert " ".join(str(owner + 1) for owner in owners) == wanted


def test_sites_are_spread_whatever_order_they_were_found_in() -> None:
    counts = {"e": 1, "c": 4, "b": 5, "d": 3, "a": 7}
    urls = [f"{host}.com/{n}" for host, count in counts.items() for n in range(count)]
    page = AllReady("diverse", urls, page_urls=20).drain()
    wanted = "1 2 3 1 4 2 1 3 5 1 2 1 3 4 1 2 4 1 3 2"
    names = dict(zip("abcde", "12345", strict=True))
    assert " ".join(names[url[0]] for url in page) == wanted
    assert [url for url in page if url[0] == "a"] == [f"a.com/{n}" for n in range(7)]


def test_positions_by_score_and_first_in_first_out_within_one() -> None:
    """WebParF, figure 5: positions by relevance, a list of URLs at each."""
    scores = {"x": 1.0, "y": 0.5, "z": 0.0}
    best = AllReady("best-first", score=lambda url, depth: scores[url[-1]])
    best.offer(["a.com/1z", "a.com/2y", "b.com/3y", "a.com/4x", "b.com/5z", "b.com/6x", "a.com/7y"])
    assert [url[-2:] for url in best.drain()] == ["4x", "6x", "2y", "3y", "7y", "1z", "5z"]
