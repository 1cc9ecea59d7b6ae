from __future__ import annotations

import pytest

from lycosa.extract.forms import Field, Form, forms_of, headings_of

URL = "http://a.test/dir/page"


def found(markup: str) -> list[Form]:
    return forms_of(markup.encode(), "text/html; charset=utf-8", URL)


def test_a_search_form_is_read_with_its_defaults() -> None:
    (form,) = found(
        "<form action='../find?x=1#y'><input name=q><input type=hidden name=view value=list>"
        "<select name=lang><option value=''>any<option value=de>German<option selected>fr</select>"
        "<input type=radio name=sort value=new checked><input type=radio name=sort value=old>"
        "<input type=checkbox name=all><input type=submit name=go></form>"
    )
    assert form.action == "http://a.test/find"
    assert form.fields == (
        Field("q", "", is_free=True),
        Field("view", "list", is_hidden=True),
        Field("lang", "fr", ("de", "fr")),
        Field("sort", "new", ("new", "old")),
    )
    assert form.shown == 3


def test_a_free_text_has_what_the_page_says_of_it() -> None:
    (form,) = found(
        "<label for=one>Herb</label><form><input id=one name=q list=some placeholder='e.g. sage'>"
        "<label>or <b>use</b> <textarea name=r></textarea></label><button>Look <i>up</i></button>"
        "<input type=submit value=Go></form>"
        "<datalist id=some><option value=mint><option>rue</option></datalist>"
    )
    one, other = form.fields
    assert one.hints == ("mint", "rue", "e.g. sage", "Herb")
    assert other.hints == ("or use",)
    assert form.captions == ("Go", "Look up")


def test_title_and_headings_of_a_page_with_forms_are_read() -> None:
    markup = b"<title>Herbs</title><h1>A <b>garden</b></h1><p>x</p><h2>Find</h2>"
    assert headings_of(markup + b"<form>", None) == "Herbs A garden Find"
    assert headings_of(markup, None) == ""


@pytest.mark.parametrize(
    "markup",
    [
        "<form method=post><input name=q></form>",
        "<form method=dialog><input name=q></form>",
        "<form action=/logout><input name=q></form>",
        "<form action=/Unsubscribe><input name=q></form>",
        "<form><input name=q><input type=password name=p></form>",
        "<form><input name=email></form>",
        "<form><input name=q><input type=file name=f></form>",
        "<form><input type=hidden name=a value=b><input type=submit></form>",
        "<form action=mailto:x@y><input name=q></form>",
        "<form action='javascript:go()'><input name=q></form>",
        "<form><input></form>",
        "<form",
        "<p>no form</p>",
    ],
)
def test_forms_that_act_or_ask_for_nothing_are_left_alone(markup: str) -> None:
    assert found(markup) == []


def test_equal_forms_count_once_and_base_is_obeyed() -> None:
    one = "<form action=s><input name=q></form>"
    forms = found(f"<base href='http://b.test/x/'>{one}{one}")
    assert [form.action for form in forms] == ["http://b.test/x/s"]


def test_any_bytes_give_forms() -> None:
    for body in (b"<form \xff\xfe\x00", b"<form><select name=a>" * 500, b"\x00<form>"):
        assert isinstance(forms_of(body, None, URL), list)
