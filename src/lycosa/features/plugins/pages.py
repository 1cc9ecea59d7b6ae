"""A page as hooks see it: the answer, the extracted facts, and room for additions.

Changes that hooks make are applied after all hooks have run, and only if none of them failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from lycosa.errors import LycosaError
from lycosa.extract.text.charset import to_utf8
from lycosa.features.plugins.following import next_of, targets_of, with_query
from lycosa.features.plugins.posting import posting_of
from lycosa.model.records import Answer, LinkKind
from lycosa.model.url import canonical_keys, canonicalize, url_of
from lycosa.model.url.posts import address_of, posted_in

if TYPE_CHECKING:
    from parsel import Selector, SelectorList

    from lycosa.features.plugins.items import Emitted

OTHER = "other"
"""The topic of pages of none of the topics."""
KIND_NAMES = {kind.value: kind.name.lower() for kind in LinkKind}


class SeenLink(NamedTuple):
    """A link of a page that the job may follow."""

    url: str
    """In its canonical form."""
    kind: str
    """`anchor`, `image`, `canonical` and so on."""
    text: str
    rel: str


class RawColumns(NamedTuple):
    """Links as a page writes them, in columns."""

    hrefs: Sequence[str]
    kinds: Sequence[int]
    texts: Sequence[str]
    rels: Sequence[str]


class Slot(NamedTuple):
    """A column of a plugin: its position, and the conversion of its values."""

    place: int
    convert: Callable[[object], object]


@dataclass
class Additions:
    """The changes that hooks make to a page."""

    title: str
    description: str
    content: bytes
    """The visible text in UTF-8."""
    language: str
    slots: Mapping[str, Slot] = field(default_factory=dict)
    """The columns of the plugin whose turn it is."""
    values: dict[int, object] = field(default_factory=dict)
    """By the places of their columns."""
    added: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Reference → text and relations."""
    posts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """URLs to post to (`lycosa.model.url.posts`) → text and relations."""
    dropped: set[int] = field(default_factory=set)
    """Places among the page's links."""
    is_rendered: bool = False
    """The page is shown as a browser has rendered it."""
    begin_items: Callable[[], Emitted] | None = None
    """Makes room for the items of the page, when the first one is emitted."""
    emitted: Emitted | None = None


Topics = Sequence[tuple[str, float]]
"""The topics of a page: names with probabilities, the highest first; `other` alone for none."""


class SeenPage:
    """A page that is about to be kept, as a hook sees it.

    `page["column"] = value` sets a column that the plugin has declared.
    """

    def __init__(
        self,
        url: str,
        answer: Answer,
        depth: int,
        additions: Additions,
        raw: RawColumns,
        *,
        base: str,
        classify: Callable[[str, bytes], Topics] | None = None,
    ) -> None:
        """`classify` gives the topics of a title and a text, if the job has a model of topics."""
        self._url = url
        self._answer = answer
        self._depth = depth
        self._additions = additions
        self._raw = raw
        self._base = base
        self._classify = classify
        self._about: tuple[tuple[str, bytes], Topics] | None = None
        self._links: list[tuple[int, SeenLink]] | None = None
        self._selector: Selector | None = None

    def __repr__(self) -> str:
        return f"<SeenPage {self.url}: {self.status} {self.content_type}>"

    @property
    def url(self) -> str:
        """The URL of the page, in its canonical form."""
        return self._url

    @property
    def status(self) -> int:
        """The status of the answer: 200, as a rule."""
        return self._answer.status

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers of the answer, as they came."""
        return self._answer.headers

    @property
    def content_type(self) -> str:
        """Type and subtype in lower case; "" when the server sent none."""
        return (self._answer.header("content-type") or "").partition(";")[0].strip().lower()

    @property
    def body(self) -> bytes:
        """The decoded content."""
        return self._answer.body

    @property
    def depth(self) -> int:
        """The number of links from a seed to the page, as known so far."""
        return self._depth

    @property
    def is_rendered(self) -> bool:
        """Whether a browser has rendered it; then it was shown before, as it came."""
        return self._additions.is_rendered

    @property
    def fetched_at(self) -> datetime:
        """The moment when the answer was complete."""
        return datetime.fromtimestamp(self._answer.ended, UTC)

    @property
    def title(self) -> str:
        """The title; a hook may set another one."""
        return self._additions.title

    @title.setter
    def title(self, title: str) -> None:
        self._additions.title = _text(title)

    @property
    def description(self) -> str:
        """The description in the page; a hook may set another one."""
        return self._additions.description

    @description.setter
    def description(self, description: str) -> None:
        self._additions.description = _text(description)

    @property
    def text(self) -> str:
        """The visible text; a hook may set another one, and the fingerprint stays."""
        return self._additions.content.decode()

    @text.setter
    def text(self, text: str) -> None:
        self._additions.content = _text(text).encode("utf-8", "replace")

    @property
    def language(self) -> str:
        """The language that the page names, as `en`; a hook may set another one."""
        return self._additions.language

    @language.setter
    def language(self, language: str) -> None:
        self._additions.language = _text(language)

    @property
    def topic(self) -> str | None:
        """The topic of the page, by its current title and text; `other` for no topic.

        None if the job has no model of topics, or the page no text.
        """
        found = self._topics()
        return found[0][0] if found else None

    @property
    def topic_confidence(self) -> float | None:
        """The probability of the topic, from 0 to 1."""
        found = self._topics()
        return found[0][1] if found else None

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics of the page that are probable enough, best first; without `other`."""
        return tuple(name for name, _ in self._topics() if name != OTHER)

    @property
    def selector(self) -> Selector:
        """The page as a tree, a `parsel.Selector`; made when it is first asked for.

        It needs `pip install '.[selectors]'`.
        """
        if self._selector is None:
            self._selector = selector_of(self.body, self._answer.header("content-type"), self._base)
        return self._selector

    def css(self, query: str) -> SelectorList[Selector]:
        """Select by CSS, with `::text` and `::attr(name)`: `page.css("h1::text").get()`."""
        return self.selector.css(query)

    def xpath(self, query: str) -> SelectorList[Selector]:
        """Select by XPath: `page.xpath("//h1/text()").getall()`."""
        return self.selector.xpath(query)

    @property
    def links(self) -> tuple[SeenLink, ...]:
        """The page's links that are not dropped, without `nofollow` ones and what hooks added."""
        dropped = self._additions.dropped
        return tuple(link for number, link in self._resolved() if number not in dropped)

    def add_link(self, url: str, *, text: str = "", rel: str = "") -> None:
        """Add a link, which goes through scope, rules and limits like any other.

        A relative one is resolved as the page's own are. `nofollow` of the page does not touch it.
        """
        self._additions.added.setdefault(_text(url), (_text(text), _text(rel)))

    def follow(self, *targets: object, text: str = "", rel: str = "") -> int:
        """Add links to follow: URLs, links of `links`, selected elements, or lists of these.

        They go through scope, rules and limits like any other; `page.follow(page.css("li a"))`.
        Return how many they are.
        """
        found = list(targets_of(targets))
        for target in found:
            self.add_link(target.url, text=text or target.text, rel=rel or target.rel)
        return len(found)

    def post(
        self,
        target: object,
        data: object = None,
        *,
        json: object = None,
        content_type: str = "",
        rel: str = "",
    ) -> str:
        """Have something posted, once; its answer is shown as a page. Return the page's `url`.

        The target is a URL, or an element `form` that was selected: then its own fields are sent,
        too. `data` are fields (a dict, or pairs), or a whole body as text or bytes with its
        `content_type`; `json` is sent as JSON. The job names the URLs to which it may be sent
        (`[plugins] post`), and scope, robots rules, pauses and limits hold as for links.
        `rel="next"` says that the answer is the next page of a list.
        """
        url, body = posting_of(target, data, json, content_type)
        canonical = canonicalize(url, self._base)
        if canonical is None:
            raise ValueError(f"{url:.200} is not a URL that can be posted to")
        address = address_of(canonical, body)
        self._additions.posts.setdefault(address, ("", _text(rel).lower()))
        return address

    @property
    def posted(self) -> bytes:
        """The body that the page is the answer to; empty for one that was not posted."""
        body = posted_in(self._url)
        return body.content if body is not None else b""

    @property
    def next_url(self) -> str | None:
        """The next page of a list: a link with `rel=next`, or one whose text says so; or None."""
        return next_of(self.links, self.url)

    def follow_next(self) -> str | None:
        """Follow the link to the next page of a list, and return its URL; None if there is none."""
        found = self.next_url
        if found is not None:
            self.add_link(found, rel="next")
        return found

    def with_query(self, **values: object) -> str:
        """Return the URL of the page with other values in its query; None takes a name out.

        `page.follow(page.with_query(page=2))` asks for `?page=2` beside what the query has.
        """
        return with_query(self.url, values)

    def emit(self, kind: str, values: object = None, /, **fields: object) -> None:
        """Add an item of a kind to the table `items`: a row with these values.

        The values are a dict, an object of the declared class, or given by name:
        `page.emit("quote", text=..., author=...)`. A page has as many items as `[plugins]
        most_items` and `most_item_bytes` allow.
        """
        if self._additions.emitted is None:
            if self._additions.begin_items is None:
                raise RuntimeError("this page takes no items")
            self._additions.emitted = self._additions.begin_items()
        if fields:
            values = {**values, **fields} if isinstance(values, Mapping) else fields
        self._additions.emitted.add(kind, values)

    def drop_links(self, which: Callable[[SeenLink], object]) -> int:
        """Drop every link for which the function returns true; returns their number."""
        dropped = self._additions.dropped
        gone = {n for n, link in self._resolved() if n not in dropped and which(link)}
        dropped |= gone
        return len(gone)

    def __setitem__(self, column: str, value: object) -> None:
        """Set the page's value in a column that the plugin has declared; None removes it."""
        slot = self._slot(column)
        self._additions.values[slot.place] = slot.convert(value)

    def __getitem__(self, column: str) -> object:
        """Return the value that was set, or None."""
        return self._additions.values.get(self._slot(column).place)

    def _slot(self, column: str) -> Slot:
        slot = self._additions.slots.get(column)
        if slot is None:
            known = ", ".join(map(repr, self._additions.slots)) or "none"
            raise KeyError(f"the plugin has no column {column!r}; its `columns` are: {known}")
        return slot

    def _topics(self) -> Topics:
        said = (self._additions.title, self._additions.content)
        if self._classify is None or not said[1]:
            return ()
        if self._about is None or self._about[0] != said:
            self._about = (said, self._classify(*said))
        return self._about[1]

    def _resolved(self) -> list[tuple[int, SeenLink]]:
        if self._links is None:
            keys = canonical_keys(self._raw.hrefs, self._base)
            columns = zip(keys, self._raw.kinds, self._raw.texts, self._raw.rels, strict=True)
            self._links = [
                (number, SeenLink(url_of(key), KIND_NAMES[kind], text, rel))
                for number, (key, kind, text, rel) in enumerate(columns)
                if key is not None
            ]
        return self._links


def _text(value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, not {value!r:.200}")
    return value


def selector_of(body: bytes, content_type: str | None, base: str) -> Selector:
    """Return the tree of a body; the character set is that of Lycosa's own scanner.

    That scanner builds no tree. A plugin that asks for one pays for it: about a millisecond for a
    page of 30 kB.
    """
    try:
        from parsel import Selector
    except ImportError:
        raise LycosaError(
            "selectors need the package parsel\n  install it: pip install '.[selectors]'"
        ) from None
    text, _ = to_utf8(body, content_type)
    kind = (content_type or "").partition(";")[0].strip().lower()
    # parsel takes an empty body for a missing one.
    is_xml = kind.endswith(("/xml", "+xml")) and kind != "application/xhtml+xml"
    return Selector(
        body=text or b" ",
        encoding="utf-8",
        type="xml" if is_xml else "html",
        base_url=base,
        huge_tree=True,
    )
