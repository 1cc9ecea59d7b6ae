"""The misbehaving web knows the right outcomes of every URL."""

import pytest

from lycosa.model.records import TRANSIENT, Outcome
from lycosa_testweb import request_for
from lycosa_testweb.parts import take_apart
from lycosa_testweb.webs.misbehaviour import MisbehavingWeb, all_misdeeds
from lycosa_testweb.webs.wild_pages import ENCODINGS, GUARDED, LINE_BYTES, NESTED_ELEMENTS, encoded


@pytest.fixture(scope="module")
def web() -> MisbehavingWeb:
    return MisbehavingWeb()


def test_every_misdeed_has_a_host_an_address_and_an_expected_end(web: MisbehavingWeb) -> None:
    addresses = {web.resolve(host, 0.0).address for host in web.hosts()}
    assert len(addresses) == len(web.hosts()) == len(web.misdeeds)
    assert {take_apart(url).host for url in web.truth} == set(web.hosts())
    assert all(web.truth.values())


def test_good_pages_are_answered_and_bad_ones_are_not_held_against_a_client(
    web: MisbehavingWeb,
) -> None:
    for url, outcomes in web.truth.items():
        misdeed = web.misdeeds[take_apart(url).host.split(".")[0]]
        reply = web.answer(request_for(web, url), 0.0)
        if misdeed.is_lost:
            continue
        if outcomes & TRANSIENT:
            assert reply.failure in outcomes
        else:
            assert reply.status in (200, 302, 301)


def test_the_guard_is_served_only_by_name(web: MisbehavingWeb) -> None:
    assert "guard" in all_misdeeds()
    assert "guard" not in web.misdeeds
    guard = MisbehavingWeb(["guard"])
    assert all(guard.maybe[url] == {Outcome.REFUSED_ADDRESS} for url in GUARDED)
    home = guard.answer(request_for(guard, "http://guard.bad.test/bad"), 0.0).body.decode()
    assert all(f'href="{url}"' in home for url in GUARDED)
    moved = guard.answer(request_for(guard, "http://guard.bad.test/to/4"), 0.0)
    assert moved.header("location") == "http://169.254.169.254/latest/meta-data/"


def test_the_chain_has_a_thousand_hops(web: MisbehavingWeb) -> None:
    url, hops = "http://chain.bad.test/bad", 0
    while location := web.answer(request_for(web, url), 0.0).header("location"):
        url, hops = f"http://chain.bad.test{location}", hops + 1
    assert hops == 1000
    assert web.maybe[url] == {Outcome.KEPT}


def test_deep_and_long_pages_have_their_link_at_the_end(web: MisbehavingWeb) -> None:
    deep = web.answer(request_for(web, "http://nested.bad.test/bad"), 0.0).body
    assert deep.count(b"<div>") == NESTED_ELEMENTS
    long = web.answer(request_for(web, "http://long-line.bad.test/bad"), 0.0).body
    assert (len(long), b"\n" in long) == (LINE_BYTES, False)
    for body in (deep, long):
        assert b'<a href="/end.html">' in body[-60:]


@pytest.mark.parametrize("name", ENCODINGS)
def test_pages_are_in_the_encoding_they_declare(name: str) -> None:
    body, headers = encoded(name, "/there.html")
    encoding = ENCODINGS[name]
    text = body.decode(encoding.codec)
    assert f"<title>{encoding.text}</title>" in text
    says = dict(headers)["Content-Type"]
    assert ("charset" in says) == (encoding.declared == "header")
    assert ("<meta" in text) == (encoding.declared == "meta")
    assert text.startswith("\ufeff") == (encoding.declared == "mark")
