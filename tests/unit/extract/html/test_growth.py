"""The prediction of a tree's growth is the same in both twins, and never too small."""

from __future__ import annotations

import turbohtml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_growth
from lycosa.extract.html import trees
from lycosa.extract.html._growth import ELEMENT_BYTES, growth
from seeds import examples

PIECES = [
    *(
        "<b>",
        "<b x=1>",
        "<B X=1>",
        "<b y='>'>",
        '<b z="<i>">',
        "<b/>",
        "<b <b>",
        "<b<b>",
        "<i",
        ">",
    ),
    *("<a href=x>", "<a>", "</a>", "<font size=2>", "<nobr>", "</nobr>", "<code class='x y'>"),
    *("<p>", "</p>", "<div>", "</div>", "<span>", "<br>", "<img src=x>", "text", " ", "</b>"),
    *("<table>", "<tr>", "<td>", "</td>", "</table>", "<object>", "</object>", "<template>"),
    *("<svg>", "<title>", "</title>", "</svg>", "<select>", "</select>", "<math><mi>", "</math>"),
    *("<!--", "-->", "<script>", "</script>", "<style>", "</style>", "<textarea>", '"', "'", "="),
    *("</b", "</i x>", "</ b>", "<", "/", "\x00", "\u20ac", "<strong", " a=", "<u\n>"),
]
markup = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(markup, st.sampled_from([1, 500, 10_000]), st.sampled_from([0, 3, 1000]))
@settings(max_examples=examples(1000), deadline=None)
@example("<b x='" + "<" * 2000 + "'><p>", 500, 1000)
@example("<b x='<" + "y" * 1023 + "'><p>", 500, 1000)
def test_the_twins_agree(text: str, step: int, most: int) -> None:
    body = text.encode()
    assert growth(body, step, most) == plain_growth.growth(body, step, most)


@given(markup, st.integers(1, 30))
@settings(max_examples=examples(500), deadline=None)
@example("<p><b x=1><b x=2><p>x", 30)
@example("<p><b x=1><!--</b>--><p>x", 30)
@example("<p><b x=1><table><td></b></table><p>x", 30)
@example("<p><b x=1><svg><title><b y='</title></svg></b>'><p>x", 30)
@example("<b><div><div><div><div><div><div><div><div><div></b><p>x</div>", 30)
def test_a_tree_is_never_larger_than_predicted(text: str, times: int) -> None:
    body = (text * times).encode()
    elements, cuts = growth(body, ELEMENT_BYTES, len(body) * len(body))
    document = turbohtml.parse(body.decode("utf-8", "replace"))
    made = sum(1 for _ in document.iter_elements())
    # `html`, `head`, `body`, `tbody`, `tr`, `p` and `colgroup` can be there without a tag.
    assert made <= 3 * elements + len(cuts) + text.count("<") * times + 3


def test_an_honest_page_that_may_grow_is_parsed() -> None:
    rows = "".join(f"<p><code class=c{n}><em>{n}</em></code></p>" for n in range(100))
    body = (rows + "<p>text</p>" * 2_000).encode()
    granted = trees.GROWN_FROM_BYTE * len(body) + trees.SPARE_BYTES
    assert growth(body, granted, trees.MOST_PARSES)[1]
    assert not trees.is_overgrown(body)
    assert trees.parse_page(body).html == turbohtml.parse(body.decode()).html


def test_a_page_of_more_elements_than_a_tree_may_have_is_overgrown() -> None:
    assert trees.is_overgrown(b"<p>" * (trees.MOST_ELEMENTS + 1))
    assert not trees.is_overgrown(b"<p>" * trees.MOST_ELEMENTS)
