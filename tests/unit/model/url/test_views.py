"""Which fragments name views of a page."""

from __future__ import annotations

import pytest

from lycosa.model.url.views import LONGEST, view_in, view_of

PAGE = "http://a.test/app"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"{PAGE}#/guide", "#/guide"),
        (f"{PAGE}#!guide?id=1#two", "#!guide?id=1#two"),
        ("http://A.test:80/app#/guide", "#/guide"),
        (f"{PAGE}#/", ""),
        (f"{PAGE}#!/", ""),
        (f"{PAGE}#guide", ""),
        (f"{PAGE}", ""),
        ("http://a.test/other#/guide", ""),
        (f"{PAGE}?q=1#/guide", ""),
        (f"{PAGE}#/{'x' * LONGEST}", ""),
        (f"{PAGE}#/ü", ""),
        (f"{PAGE}#/two words", ""),
        (f"{PAGE}#POST:form:q=a", ""),
    ],
)
def test_a_view_is_a_route_in_the_fragment_of_its_own_page(url: str, expected: str) -> None:
    assert view_of(PAGE, url) == expected
    assert not expected or view_in(url) == expected
