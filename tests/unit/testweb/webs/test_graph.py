"""Webs drawn by hand, and the oracle of exact depth."""

from lycosa.model.records import Outcome
from lycosa_testweb import Faults, GraphWeb, Group, OtherNames, Robots, request_for
from lycosa_testweb.robots import folder

A, B, C, D, E = (f"http://{name}.test/" for name in "abcde")


def test_links_cost_one() -> None:
    web = GraphWeb({A: [B], B: [C], C: [D]})
    assert web.pages_within([A], 0) == {A}
    assert web.pages_within([A], 2) == {A, B, C}


def test_redirects_refreshes_and_canonical_links_cost_nothing() -> None:
    web = GraphWeb({A: [B], D: [E]}, {B: C}, names=OtherNames({C: D}, {E: f"{E}true"}))
    assert web.pages_within([A], 1) == {A, C, D}
    assert web.pages_within([A], 2) == {A, C, D, E, f"{E}true"}


def test_the_shorter_way_counts_however_it_is_found() -> None:
    web = GraphWeb({A: [B, D], B: [C], C: [D], D: [E]})
    assert web.pages_within([A], 2) == {A, B, C, D, E}


def test_loops_of_redirects_end() -> None:
    assert GraphWeb({A: [B]}, {B: C, C: B}).pages_within([A], 3) == {A}


def test_no_way_leads_through_what_robots_forbid_or_through_errors() -> None:
    closed = Robots((Group("*", (folder("/closed/"),)),))
    web = GraphWeb(
        {A: [f"{A}closed/x", f"{A}missing", B], f"{A}closed/x": [C], f"{A}missing": [D], B: [E]},
        faults=Faults({f"{A}missing": 404}, {B: Outcome.TIMEOUT}),
        robots={"a.test": closed},
    )
    assert web.pages_within([A], 5) == {A}
    assert web.answer(request_for(web, f"{A}missing"), 0.0).status == 404
    assert web.answer(request_for(web, B), 0.0).failure is Outcome.TIMEOUT


def test_hosts_have_their_own_addresses_unless_told_otherwise() -> None:
    web = GraphWeb({A: [B, C]}, addresses={"b.test": "10.9.9.9", "c.test": "10.9.9.9"})
    found = [web.resolve(host, 0.0).address for host in ("a.test", "b.test", "c.test", "x.test")]
    assert found == ["10.0.0.1", "10.9.9.9", "10.9.9.9", None]


def test_latency_can_depend_on_the_url() -> None:
    web = GraphWeb({A: [B]}, latency=lambda url: 9.0 if url == B else 0.5)
    assert web.answer(request_for(web, A), 0.0).latency_seconds == 0.5
    assert web.answer(request_for(web, B), 0.0).latency_seconds == 9.0


def test_a_drawn_robots_file_may_be_moved() -> None:
    web = GraphWeb({A: []}, robots={"a.test": Robots((Group("*", (folder("/x"),)),), hops=2)})
    url = f"{A}robots.txt"
    for _ in range(2):
        reply = web.answer(request_for(web, url), 0.0)
        assert 300 <= reply.status < 400
        url = reply.header("location") or ""
    assert b"Disallow: /x" in web.answer(request_for(web, url), 0.0).body
    assert not web.is_allowed(f"{A}x", "lycosa")
