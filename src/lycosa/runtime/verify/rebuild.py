"""Make the rows and quads of a segment again from its WARC records.

Key, end and size of a fetch come from the log. Everything else comes from the records: the answer,
and the `metadata` record behind it with the outcome, the way to the page and the followed links.
Texts of links, links that were not followed, and structured data are extracted from the page again.

Two things are not in the records, and so are lost with a damaged table: the columns of plugins, and
the rows of fetches that failed below HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from lycosa.crawl.answers.reading import links_of_page, read_page, showing_wishes
from lycosa.crawl.links._link_cache import LONGEST_REFUSED
from lycosa.crawl.links.raw_links import RawLink
from lycosa.extract.facts import Facts
from lycosa.extract.structured.distiller import Page
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.triples import distiller_of
from lycosa.frontier.distance import is_beyond
from lycosa.model.job import Job
from lycosa.model.links import FOLLOWED
from lycosa.model.records import (
    PAGINATED_KINDS,
    PROBED,
    STORED,
    Answer,
    LinkKind,
    Links,
    Outcome,
    Place,
    Target,
    outcome_named,
)
from lycosa.model.url import (
    Scope,
    canonical_key,
    canonicalize,
    host_of,
    key_of,
    parse_rules,
    refusal,
    url_of,
)
from lycosa.model.url.scope import OUT_OF_SCOPE
from lycosa.runtime.verify.segments import Segment
from lycosa.storage.archive.layout import ITEMS
from lycosa.storage.tables._rows import Pending
from lycosa.storage.tables.items import FIELD, batch_of, items_told, rows_of_fetch
from lycosa.storage.tables.quads import Block, quads_of
from lycosa.storage.tables.redirects import NO_REDIRECT, columns_of
from lycosa.storage.tables.rows import (
    OUTCOME_NAMES,
    SCHEMAS,
    Row,
    batches,
    fetch_id,
    label_of,
    microseconds,
    plain,
    signed,
    url_id,
)
from lycosa.storage.warc.exchange import links_in
from lycosa.storage.warc.record_reader import Stored, WarcFiles, read_exchange
from lycosa.storage.warc.warc_format import Record

_FLUSH_PAGES = 500


class Source(NamedTuple):
    """A fetch whose rows are made again, with the log's facts about it."""

    place: Place
    key: str
    ended: float
    """0 if unknown: then the beginning of the request is used."""
    size_bytes: int
    """Negative if the log does not have it."""
    is_page: bool
    address: str
    source_id: int = 0
    """Id of the page that first led to it; 0 if none is known."""
    is_after_redirect: bool = False


class Reindexed(NamedTuple):
    """The tables and quads made from some fetches."""

    tables: dict[str, pa.Table]
    blocks: list[Block]


def reindex(folder: Path, found: Segment, sources: list[Source], job: Job) -> Reindexed:
    """Make the rows and quads of a segment from its records."""
    distiller = distiller_of(job) if job.structured.forms else None
    parts: dict[str, list[pa.Table]] = {kind: [SCHEMAS[kind].empty_table()] for kind in SCHEMAS}
    said: list[Block] = []
    files = WarcFiles(folder)
    try:
        pending, items = Pending(), list[Row]()
        for number, source in enumerate(sorted(sources)):
            fetched = _Fetched(files, source, found)
            if not source.is_page:
                pending.add_host(fetched.row())
                continue
            pending.add_page(fetched.row() + fetched.facts_row(job))
            if fetched.has_content:
                _add_content(pending, fetched, job)
            items += fetched.items()
            if distiller is not None and fetched.is_kept and not fetched.is_foreign:
                page = Page(
                    fetched.stored.body,
                    fetched.stored.url,
                    fetched.content_type,
                    fetched.facts(job),
                )
                if forms := [one for one in distiller.forms_of(page) if one not in fetched.unread]:
                    label = label_of(fetched.key, fetched.ended)
                    triples = distiller.distil(page, label, forms).triples
                    said += [fetched.block(triples)] if triples else []
            # Rows take far less memory in Arrow than as values of Python.
            if number % _FLUSH_PAGES == 0:
                _flush(pending, parts)
                pending = Pending()
        _flush(pending, parts)
    finally:
        files.close()
    parts[ITEMS].append(pa.Table.from_batches([batch_of(items)]))
    return Reindexed({kind: pa.concat_tables(some) for kind, some in parts.items()}, said)


def _add_content(pending: Pending, fetched: _Fetched, job: Job) -> None:
    """Add the links and the text of a page that was kept."""
    number, fetch, moment, _, url = fetched.row()[:5]
    for some in fetched.links(job):
        pending.links.add(number, url, fetch, moment, some)
    text, title, language = fetched.text(job)
    if text:
        pending.add_text((number, fetch, moment, text, url, title, language))


def _flush(pending: Pending, parts: dict[str, list[pa.Table]]) -> None:
    for kind, batch in batches(pending):
        rows = pa.Table.from_batches([plain(batch)])
        parts[kind].append(rows.select(SCHEMAS[kind].names))


class _Fetched:
    """An exchange, read from the archive."""

    def __init__(self, files: WarcFiles, source: Source, found: Segment) -> None:
        self._source, place = source, source.place
        self.stored: Stored = read_exchange(place, files.member)
        self._record = files.member(place)
        self._metadata = files.member(Place(place.segment, place.offset + place.length, 0))
        self._fields = dict(_fields(self._metadata))
        self._file = files.name(place.segment)
        self.key = source.key or key_of(self.stored.url)
        self.began = datetime.fromisoformat(self.stored.date).timestamp()
        self.ended = source.ended or self.began
        self.outcome = outcome_named(self._fields.get("outcome", "kept"))
        self.is_kept = self.outcome in STORED
        self.is_foreign = self.outcome is Outcome.WRONG_LANGUAGE
        self._facts: Facts | None = None

    @property
    def has_content(self) -> bool:
        """Whether the fetch has rows of links and text; an unchanged page has none."""
        of = self._record.headers.get("WARC-Refers-To-Target-URI")
        return self.is_kept and of != self.stored.url

    @property
    def content_type(self) -> str:
        return next((v for n, v in self.stored.headers if n.lower() == "content-type"), "")

    def answer(self) -> Answer:
        """Return the answer as the crawl received it."""
        stored = self.stored
        return Answer(
            stored.status,
            stored.headers,
            stored.body,
            self.began,
            self.ended,
            truncated=stored.is_truncated,
        )

    def facts(self, job: Job) -> Facts:
        """Extract the facts of the page, once."""
        if self._facts is None:
            is_read = "links" not in self.unread
            self._facts = read_page(self.answer(), job) if is_read else Facts()
        return self._facts

    def row(self) -> Row:
        """Return the columns that all rows of a fetch share."""
        source, stored = self._source, self.stored
        is_page_size = source.size_bytes >= 0
        moment = microseconds(self.ended)
        return (
            url_id(self.key),
            fetch_id(self.key, self.ended),
            moment,
            self.key,
            url_of(self.key),
            host_of(self.key),
            self._address(),
            OUTCOME_NAMES[self.outcome],
            stored.status,
            self.content_type,
            source.size_bytes if is_page_size else len(stored.body),
            stored.is_truncated,
            self._fields.get("payload-digest"),
            microseconds(self.began),
            moment,
            stored.type,
            self._file,
            source.place.offset,
            source.place.length,
            0,
            0,
        )

    def _address(self) -> str:
        told = self._record.headers.get("WARC-IP-Address", "")
        return self._source.address if told and told in self._source.address else told

    def facts_row(self, job: Job) -> Row:
        """Return the columns that were extracted from the page."""
        fields = self._fields
        distance = int(fields.get("distance", "0"))
        rule = fields.get("mined-by", "")
        how = "mined" if rule else "probe" if self.outcome in PROBED else ""
        if not how and self._source.is_after_redirect:
            how = "redirect"
        how = how or ("link" if distance else "seed")
        source = signed(self._source.source_id) if self._source.source_id else None
        about: Row = ("", "", "", "", 0)
        wishes: Row = (None, None)
        if self.is_kept:
            facts = self.facts(job)
            wishes = showing_wishes(self.answer(), facts, job)
            mark = fingerprint(facts.content) if facts.content else 0
            about = (
                facts.charset,
                facts.title,
                facts.description,
                facts.language,
                mark & 0xFFFFFFFFFFFFFFFF,
            )
        return (*about, distance, source, how, rule, *wishes, *self._redirect(), *self._rest())

    def _rest(self) -> Row:
        return " ".join(self.unread) or None, 0, 0, 0, False, 0

    @property
    def unread(self) -> list[str]:
        """Readers that failed at limits on this page; they are not tried again here."""
        return self._fields.get("unread", "").split()

    def _redirect(self) -> Row:
        if self.outcome is not Outcome.REDIRECTED:
            return NO_REDIRECT
        for key, _ in links_in(self._metadata):
            return url_of(key), signed(url_id(key))
        headers = self.stored.headers
        location = next((value for name, value in headers if name.lower() == "location"), "")
        return columns_of(location, self.stored.url)

    def text(self, job: Job) -> tuple[bytes, str, str]:
        """Return the page's text, its title and its language."""
        facts = self.facts(job)
        content = b"" if self.is_foreign else facts.content
        return content, facts.title, facts.language

    def links(self, job: Job) -> tuple[Links, Links]:
        """Return the followed links and the other links, with the page's facts about them.

        The record names the followed links. For the others the job's own rules give the reason. If
        they would follow a link, its host was not in scope.
        """
        facts, url = self.facts(job), self.stored.url
        raw = links_of_page(self.answer(), facts, job)
        reasons = raw.reasons or [""] * len(raw.hrefs)
        base = (canonicalize(facts.base, url) if facts.base else url) or url
        rules = Scope(parse_rules(list(job.rules)))
        followed, others = _Columns(), _Columns()
        limits, distance = job.limits, int(self._fields.get("distance", "0"))
        wanted = {(key, int(kind)) for key, kind in links_in(self._metadata)}
        for position, (link, reason) in enumerate(zip(raw.each(), reasons, strict=True)):
            key = canonical_key(link.href, base)
            verdict = rules.judge(key) if key else None
            if verdict and ((verdict.key or key or ""), int(LinkKind.PAGINATION)) in wanted:
                # The page's other links decided that, and the record has it.
                link = link._replace(kind=paginated(link.kind))
            if key and verdict and ((verdict.key or key), int(link.kind)) in wanted:
                key = verdict.key or key
                most = limits.depth_dynamic if "?" in key else limits.depth_static
                is_deep = is_beyond(distance, link.kind, most)
                followed.add(key, url_of(key), link, position, "too-deep" if is_deep else FOLLOWED)
            elif job.extract.links == "all":
                target = url_of(key) if key else link.href[:LONGEST_REFUSED]
                why = reason or (verdict.reason if verdict else refusal(link.href, base)) or ""
                if not reason and verdict is not None and verdict.key is not None:
                    why = OUT_OF_SCOPE
                others.add(key or target, target, link, position, why)
        for key, kind in links_in(self._metadata):
            if (key, int(kind)) not in followed.places:  # such a link came from structured data
                link = RawLink("", LinkKind(kind), "", "", 1)
                followed.add(key, url_of(key), link, len(raw.hrefs), FOLLOWED)
        return followed.links(), others.links()

    def items(self) -> list[Row]:
        """Return the rows of the items that the record tells of."""
        number, fetch, moment, _, url = self.row()[:5]
        told = self._fields.get(FIELD)
        of = signed(number), signed(fetch), moment, url
        return rows_of_fetch(of, items_told(told)) if told is not None else []

    def block(self, triples: bytes) -> Block:
        """Return the page's structured data in the format of a file of quads."""
        row = self.row()
        return Block(self.stored.url, signed(row[1]), row[2], quads_of(triples, self.stored.url))


def paginated(kind: LinkKind) -> LinkKind:
    """Return the kind of a link to another page of the page's list."""
    return LinkKind.PAGINATION if kind in PAGINATED_KINDS else kind


class _Columns:
    """Collects links into columns, each pair of target and kind once."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, int], int] = {}
        self._rows: list[tuple[Target, RawLink, int, str]] = []

    def add(self, key: str, url: str, link: RawLink, position: int, reason: str) -> None:
        """Add a link; for a known pair only the count grows."""
        place = self.places.setdefault((key, int(link.kind)), len(self._rows))
        if place == len(self._rows):
            self._rows.append((Target(key, url, url_id(key)), link, position, reason))
            return
        target, first, at, why = self._rows[place]
        first = first._replace(
            text=first.text or link.text,
            rel=first.rel or link.rel,
            times=first.times + link.times,
        )
        self._rows[place] = (target, first, at, why)

    def links(self) -> Links:
        """Return the columns."""
        return Links(
            [target for target, *_ in self._rows],
            [int(link.kind) for _, link, *_ in self._rows],
            [link.text for _, link, *_ in self._rows],
            [link.rel for _, link, *_ in self._rows],
            [link.times for _, link, *_ in self._rows],
            [position for *_, position, _ in self._rows],
            [reason for *_, reason in self._rows],
        )


def _fields(metadata: Record) -> Iterator[tuple[str, str]]:
    for line in metadata.block.decode("utf-8", "replace").split("\r\n"):
        name, colon, value = line.partition(": ")
        if colon and name != "outlink":
            yield name, value
