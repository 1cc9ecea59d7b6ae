"""The library holds its known triples, in every form."""

from __future__ import annotations

from collections import Counter

from lycosa.extract.page import scan
from lycosa.extract.structured.distiller import Distiller, Page
from lycosa.model.job import Structured
from lycosa_testweb.web import request_for
from lycosa_testweb.webs.books import (
    AUTHOR_TRIPLES,
    BOOK_TRIPLES,
    HOME,
    NOTICE_TRIPLES,
    LibraryWeb,
)


def test_every_page_says_as_much_as_it_should() -> None:
    web = LibraryWeb()
    sizes: Counter[tuple[str, int]] = Counter()
    forms: Counter[str] = Counter()
    for url in web.pages():
        body = web.answer(request_for(web, url), 0.0).body
        page = Page(body, url, "text/html", scan(body, "text/html"))
        found = Distiller(drop=Structured().drop).distil(page, "b")
        sizes[url.removeprefix(HOME).partition("/")[0], found.size] += 1
        forms.update(found.counts)
    assert sizes == {
        ("", 4): 1,
        ("books", BOOK_TRIPLES): 10,
        ("authors", AUTHOR_TRIPLES): 5,
        ("notices", NOTICE_TRIPLES): 3,
    }
    assert set(forms) == {"rdfa", "json-ld", "microdata", "meta"}
