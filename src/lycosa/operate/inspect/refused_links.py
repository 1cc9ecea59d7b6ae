"""Explain why a crawl does not know a URL, or by which kind of link it came near.

Refused links are not admitted, so the log has no record of them. The answer comes from the job's
present rules for such a URL, and from the table of links, if it holds refused links with their
reasons.

Cost: one pass over the table of links, and only for a URL that the crawl does not know, or that
it came to by a link without depth (a redirect, another page of a list).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from lycosa.errors import LycosaError
from lycosa.model.records import FREE_KINDS
from lycosa.model.url import key_of
from lycosa.operate.checking.scope import CheckedScope, ScopeChecker
from lycosa.operate.inspect.explain import FOUND_ON, Explanation, Step
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.rows import SCHEMAS, signed, url_id

_FOLLOWED = "followed"
_WORDS = {
    "nofollow": "the page is marked `nofollow` ([extract] obey_nofollow)",
    "too-deep": "it is farther from the seeds than the limits of depth allow ([limits])",
    "depth": "it is farther from the seeds than the limits of depth allow ([limits])",
    "refused-port": "its port belongs to a service other than the web ([fetch] ports)",
    "outside-html": "the link is outside the element `html` ([extract] outside_html)",
    "form": "it is the address of a form ([forms] search)",
    "out-of-scope": "it is out of scope",
    "post": "a plugin would post to it, and the job does not name it ([plugins] post)",
    "known-copy": "it is another view of a page that is kept, and links to it are followed to that"
    " page ([traps] known_copies)",
}
NOT_FOUND = "has not been found: no page that was fetched links to it"


def why_unknown(directory: CrawlDirectory, url: str) -> str:
    """Return the sentence that explains why the crawl does not know a canonical URL."""
    checked = ScopeChecker.of_directory(directory).check(url)
    linked = next(_reasons(directory, checked), None)
    if linked is not None:
        source, reason = linked
        what = _WORDS.get(reason, reason) if checked.is_wanted else _refusal(checked)
        found = f" on {source}" if source else ""
        return f"was found{found} and refused: {what}"
    if not checked.is_wanted:
        return f"would be refused, if a page links to it: {_refusal(checked)}"
    return NOT_FOUND


def with_kinds(directory: CrawlDirectory, found: Explanation) -> Explanation:
    """Return an explanation whose history names the kinds of links that cost no depth."""
    if not found.hops or not any(step.what.startswith(FOUND_ON) for step in found.history):
        return found
    kinds = _kinds_to(directory, key_of(found.url))
    return found._replace(history=tuple(_with_kind(step, kinds) for step in found.history))


def _with_kind(step: Step, kinds: Mapping[str, str]) -> Step:
    source, semicolon, more = step.what.removeprefix(FOUND_ON).partition("; ")
    if not step.is_admission or source not in kinds:
        return step
    what = f"{FOUND_ON}{source} by a link of the kind `{kinds[source]}`, which costs no depth"
    return step._replace(what=what + semicolon + more)


def _kinds_to(directory: CrawlDirectory, key: str) -> dict[str, str]:
    """Return by which free kind of link each page leads to a URL, of those that the table has."""
    import pyarrow.compute as pc

    from lycosa.storage.archive.reader import rows

    wanted, kinds = signed(url_id(key)), dict[str, str]()
    free = {kind.name.lower() for kind in FREE_KINDS}
    with suppress(LycosaError, KeyError):  # tables of older crawls lack a column
        for batch in rows(directory.path, "links", ["target_id", "kind", "source_url"]):
            found = batch.filter(pc.equal(batch.column("target_id"), wanted))
            kinds |= {
                row["source_url"]: row["kind"] for row in found.to_pylist() if row["kind"] in free
            }
    return kinds


def _refusal(checked: CheckedScope) -> str:
    """Return the name of a refusal with its rule or reason."""
    if checked.rule is not None:
        return f"{checked.reason}, by rule {checked.rule.number} of the job: {checked.rule.text}"
    return f"{checked.reason}: {checked.why}"


def _reasons(directory: CrawlDirectory, checked: CheckedScope) -> Iterator[tuple[str, str]]:
    """Yield source page and reason of the refused links to a URL in the table."""
    names = SCHEMAS["links"].names
    if "reason" not in names or checked.key is None:
        return
    import pyarrow.compute as pc

    from lycosa.storage.archive.reader import rows

    wanted = signed(url_id(checked.key))
    source = "source_url" if "source_url" in names else "source_id"
    with suppress(LycosaError, KeyError):  # tables of older crawls lack the column
        for batch in rows(directory.path, "links", ["target_id", "reason", source]):
            found = batch.filter(pc.equal(batch.column("target_id"), wanted))
            for row in found.to_pylist():
                if row["reason"] and row["reason"] != _FOLLOWED:
                    yield (row[source] if source == "source_url" else ""), row["reason"]
