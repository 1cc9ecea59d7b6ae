"""What hooks hand to `page.post`."""

from __future__ import annotations

from typing import Any

import pytest
from parsel import Selector

from lycosa.features.plugins.posting import posting_of
from lycosa.model.url.posts import FORM, JSON, Body

PAGE = Selector("""
<form action="/s" method=post><input name=q value=a><input type=hidden name=token value=t>
<input type=checkbox name=c value=1 checked><input type=checkbox name=d>
<input type=radio name=r value=x>
<input type=submit name=go value=Go><input type=file name=f><input name=off value=1 disabled>
<select name=s><option value=1>One<option value=2 selected>Two</select>
<select name=m multiple><option>a<option>b</select><textarea name=t>words</textarea></form>
<a href="/link">l</a>""")


@pytest.mark.parametrize(
    ("target", "data", "json", "kind", "wanted"),
    [
        ("/a", {"x": 1, "y": ["b c", 2], "z": None}, None, "", ("/a", b"x=1&y=b+c&y=2", FORM)),
        ("/a", [("x", "1"), ("x", "2")], None, "", ("/a", b"x=1&x=2", FORM)),
        ("/a", "<x/>", None, "text/xml", ("/a", b"<x/>", "text/xml")),
        ("/a", None, {"x": [1]}, "", ("/a", b'{"x":[1]}', JSON)),
        (PAGE.css("a"), {"x": 1}, None, "", ("/link", b"x=1", FORM)),
        (PAGE.css("form"), {"q": "z"}, None, "", ("/s", b"token=t&c=1&s=2&t=words&q=z", FORM)),
        (PAGE.css("form")[0], None, None, "", ("/s", b"q=a&token=t&c=1&s=2&t=words", FORM)),
    ],
)
def test_what_is_posted(target: Any, data: Any, json: Any, kind: str, wanted: Any) -> None:
    url, content, content_type = wanted
    assert posting_of(target, data, json, kind) == (url, Body(content, content_type))


@pytest.mark.parametrize(
    ("target", "data", "json", "kind"),
    [
        (["/a", "/b"], {"x": 1}, None, ""),
        (PAGE.css("nothing"), {"x": 1}, None, ""),
        (PAGE.css("form"), "text", None, ""),
        (PAGE.css("form"), None, {}, ""),
        ("/a", {"x": 1}, {}, ""),
        ("/a", {"x": object()}, None, ""),
        ("/a", {"x": b"bytes"}, None, ""),
        ("/a", {1: "x"}, None, ""),
        ("/a", 7, None, ""),
        ("/a", ["x"], None, ""),
        ("/a", {"x": 1}, None, "application/json"),
        ("/a", "x", None, "text/xml\r\nEvil: 1"),
        (7, {"x": 1}, None, ""),
    ],
)
def test_what_cannot_be_posted(target: Any, data: Any, json: Any, kind: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        posting_of(target, data, json, kind)
