from __future__ import annotations

import pytest

from lycosa.model.url import key_of
from lycosa.model.url.copies import plain_of

TOKEN = "4f6a9c1e2b7d4f6a"
SAME = [
    (f"/a?PHPSESSID={TOKEN}", "/a"),
    (f"/a?x=1&phpsessid={TOKEN}&y=2", "/a?x=1&y=2"),
    (f"/a;jsessionid={TOKEN}.node1?x=1", "/a?x=1"),
    (f"/a;jsessionid={TOKEN}", "/a"),
    (f"/a?sid={TOKEN}", "/a"),
    (f"/a?ASPSESSIONIDQQ={TOKEN}", "/a"),
    ("/post/?replytocom=12", "/post/"),
    ("/post/?p=3&replytocom=12", "/post/?p=3"),
    ("/a?print", "/a"),
    ("/a?print=1&id=4", "/a?id=4"),
    ("/a?view=print", "/a"),
    ("/w?title=X&printable=yes", "/w?title=X"),
    ("/pub/?C=M;O=D", "/pub/"),
    ("/%7Eann/%62%2D%5F%30", "/~ann/b-_0"),
    ("/%7Eann/a%20b", "/~ann/a%20b"),
    (f"/%61?sid={TOKEN}", "/a"),
]
OTHER = [
    "/a",
    "/a?x=1",
    "/article?sid=12",
    "/article?sid=1234567890123456789",
    "/a?sid=aaaaaaaaaaaaaaaaaaaaaa",
    "/a;jsessionid=12",
    "/a;v=1?x",
    "/list?sort=price&order=asc",
    "/page?C=M;O=D",
    "/print/",
    "/a?print=edition-7",
    "/a?view=full",
    "/a?replytocom=",
    "/a?session=evening",
    "/a%2Fb%25%20%C3%A9%5B%60%7B%40",
]


@pytest.mark.parametrize(("path", "plain"), SAME)
def test_another_view_of_a_page_is_recognised(path: str, plain: str) -> None:
    assert plain_of(key_of(f"http://a.test{path}")) == key_of(f"http://a.test{plain}")


@pytest.mark.parametrize("path", OTHER)
def test_what_may_be_another_page_is_left_alone(path: str) -> None:
    assert plain_of(key_of(f"http://a.test{path}")) is None
