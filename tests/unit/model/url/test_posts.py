"""Addresses of what plugins post."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.url import canonicalize, key_of, url_of
from lycosa.model.url.posts import FORM, JSON, Body, address_of, bare, posted_in, replay_url

URL = "https://site.test:8443/search?a=b"
TYPES = st.sampled_from([FORM, JSON, "text/xml; charset=utf-8", "a/form", "a/b:c#d"])


@given(st.binary(min_size=1, max_size=400), TYPES)
def test_an_address_has_all_that_is_posted(content: bytes, content_type: str) -> None:
    body = Body(content, content_type)
    address = address_of(URL, body)
    assert posted_in(address) == body == posted_in(key_of(address))
    assert bare(address) == URL and url_of(key_of(address)) == address
    assert address.isascii() and address.isprintable() and " " not in address


@given(st.binary(min_size=1, max_size=400))
def test_no_canonical_url_is_such_an_address(content: bytes) -> None:
    assert canonicalize(address_of(URL, Body(content))) == URL
    assert posted_in(URL) is None


@pytest.mark.parametrize(("content", "said"), [(b"", "empty"), (b"a" * 8_001, "8,005 bytes")])
def test_what_cannot_be_an_address_is_said(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        address_of(URL, Body(content))


@pytest.mark.parametrize(
    ("content", "content_type", "query"),
    [
        (b"q=iron+age&page=2", FORM, "q=iron age&page=2"),
        (b"q=%C3%BC", FORM + "; charset=utf-8", "q=\u00fc"),
        (b"\xff", FORM, "__wb_post_data=/w=="),
        (b'{"a":{"b":1},"c":[2.0,{"b":null}],"d":true}', JSON, "b=1&c=2&b.2_=null&d=true"),
        (b"[1,2]", JSON, ""),
        (b"{broken", JSON, ""),
        (b"{}" * 1_000, JSON, ""),
        (b"<a/>", "text/xml", "__wb_post_data=PGEvPg=="),
    ],
)
def test_replay_searches_for_it_as_pywb_does(content: bytes, content_type: str, query: str) -> None:
    address = address_of(URL, Body(content, content_type))
    found = replay_url(address)
    assert found.removesuffix("&") == f"{URL}&__wb_method=POST&{query}".removesuffix("&")
