"""Redirects: what the queries say of any web of redirects is what walking it by hand says."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.analysis.checks.registry import chosen
from lycosa.analysis.checks.run import check_site
from lycosa.model.records import LinkKind, Outcome
from seeds import examples
from unit.analysis.study.drawn_crawl import Fetch, write

URL = "http://a.test/"


def walked(moves: dict[int, int], start: int) -> tuple[str, list[int]]:
    """Follow redirects by hand; returns what kind of finding they are, and the hops."""
    hops = [start]
    while hops[-1] in moves:
        following = moves[hops[-1]]
        hops.append(following)
        if following in hops[:-1]:
            return "loops", hops
    return {1: "", 2: "moved"}.get(len(hops), "chains"), hops


@given(st.dictionaries(st.integers(0, 7), st.integers(0, 9), max_size=8))
@settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_loops_and_chains_are_those_of_a_walk(moves: dict[int, int]) -> None:
    pages = [
        Fetch("test.a:/", [f"test.a:/{number}" for number in range(10)]),
        *(Fetch(f"test.a:/{number}", depth=1) for number in range(10) if number not in moves),
        *(
            Fetch(
                f"test.a:/{number}",
                [f"test.a:/{to}"],
                outcome=Outcome.REDIRECTED,
                status=301,
                headers=(("Location", f"{URL}{to}"),),
                kind=LinkKind.REDIRECT,
                depth=1,
            )
            for number, to in moves.items()
        ),
    ]
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), pages)
        found = check_site(Path(name), chosen(["redirects"], "--only")).findings
    expected = {number: walked(moves, number) for number in moves}
    assert {one.target_url: (one.kind, one.hops) for one in found} == {
        f"{URL}{number}": (kind, [f"{URL}{hop}" for hop in hops])
        for number, (kind, hops) in expected.items()
    }
