"""The trees of the RDFa spider's accuracy test."""

import re

import pytest

from lycosa_testweb import GeneratedWeb, request_for


@pytest.mark.parametrize(
    ("levels", "fanout", "pages"), [(2, 1, 2), (3, 2, 7), (4, 3, 40), (5, 4, 341), (6, 5, 3906)]
)
def test_trees_have_the_page_counts_of_the_paper(levels: int, fanout: int, pages: int) -> None:
    web = GeneratedWeb.tree(levels, fanout)
    listed = list(web.all_pages())
    assert len(listed) == len(set(listed)) == pages
    assert web.pages_within([web.home()], levels - 1) == set(listed)


@pytest.mark.parametrize("triples", [0, 1, 2, 3])
def test_every_page_of_a_tree_has_its_triples(triples: int) -> None:
    web = GeneratedWeb.tree(3, 2, triples)
    for url in web.all_pages():
        body = web.answer(request_for(web, url), 0.0).body
        assert len(re.findall(rb'property="t:', body)) == triples


def test_a_tree_is_cut_exactly_at_each_depth() -> None:
    web = GeneratedWeb.tree(4, 3)
    assert [len(web.pages_within([web.home()], depth)) for depth in range(5)] == [1, 4, 13, 40, 40]


def test_paths_beside_the_tree_are_not_found() -> None:
    web = GeneratedWeb.tree(3, 2)
    for path in ("3/", "1/3.html", "1", "01/", "1/1/", "1/1/1.html", "1.html", "?a=b", "x"):
        assert web.answer(request_for(web, web.home() + path), 0.0).status == 404, path
