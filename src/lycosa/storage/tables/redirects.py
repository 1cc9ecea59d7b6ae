"""Where a redirect leads, for the columns `redirect_url` and `redirect_id` of `pages`.

The target is the URL that the crawl went on to, by the job's own rules. A target out of scope was
not followed; then it is the `Location` itself, resolved and made canonical.
"""

from __future__ import annotations

from lycosa.model.records import Capture, Outcome
from lycosa.model.url import canonicalize, key_of
from lycosa.storage.tables.rows import Row, signed, url_id

NO_REDIRECT: Row = (None, None)


def redirect_columns(capture: Capture) -> Row:
    """Return URL and id of the target of a redirect, or nothing twice."""
    if capture.outcome is not Outcome.REDIRECTED:
        return NO_REDIRECT
    for target in capture.links.targets:
        return target.url, signed(target.url_id)
    return columns_of(capture.answer.header("location") or "", capture.request.url)


def columns_of(location: str, url: str) -> Row:
    """Return URL and id of a `Location` that a URL answered with."""
    target = canonicalize(location, url)
    return (target, signed(url_id(key_of(target)))) if target else NO_REDIRECT
