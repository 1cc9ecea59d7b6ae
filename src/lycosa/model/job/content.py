"""The job sections about content: what is read and kept, plugins, and search forms."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.model.job.keys import Record, Table, key

RECORDED_LINKS = ("all", "followed")
MAIN_TEXTS = ("resiliparse", "trafilatura")

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
DOCUMENT_TYPES = frozenset(
    {"application/pdf", "application/x-pdf", "application/rtf", "text/rtf", "application/epub+zip"}
    | {_OFFICE + "wordprocessingml.document", _OFFICE + "spreadsheetml.sheet"}
    | {_OFFICE + "presentationml.presentation", _OPEN_DOCUMENT + "text"}
    | {_OPEN_DOCUMENT + "spreadsheet", _OPEN_DOCUMENT + "presentation"}
)
"""Media types of documents other than web pages whose text can be read."""


class Extract(Record):
    """The content that is extracted from a page."""

    most_links: int = key(0, "Links to take from one page; 0 means no limit.", unit="links")
    requisites: bool = key(
        False,
        "Fetch page requisites (images, styles, scripts) too, even from hosts out of scope.",
    )
    documents: bool = key(
        False,
        "Keep documents, too, even if `fetch.content_types` leaves them out: PDF, office files"
        " (docx, xlsx, "
        "pptx, odt, ods, odp), EPUB and RTF. `lycosa index` reads their text.",
    )
    wide: bool = key(
        False,
        "Follow possible links, too: URLs in scripts and JSON, sources of quotations, long"
        " descriptions, and relations such as `shortlink`.",
    )
    languages: tuple[str, ...] = key(
        (),
        "Keep only pages in these languages, as `de`, `en`; a page in another one is fetched and "
        "its links are followed, and a page whose language cannot be told is kept. Empty: all.",
        pattern=r"[a-z]{2,3}",
        pattern_text="codes of languages in lower case, as `de`",
    )
    pagination: int = key(
        1,
        "The rule by which links to other pages of the same list are known (`rel=next`, `?page=2`,"
        " `/page/2/`): they cost no depth, up to twenty in a row. 0 means none, so that such links"
        " are like others. A crawl keeps the rule that it began with.",
        most=1,
        before=0,
    )
    obey_nofollow: bool = key(
        True, "Ignore links that are marked `nofollow`, one by one or for the whole page."
    )
    outside_html: bool = key(
        True,
        "Follow links outside the element `html`, before its start tag or after its end "
        "tag. Such links have the relation `outside-html` in the tables.",
    )
    obey_noarchive: bool = key(
        True,
        "Withhold pages that ask for `noarchive` from the replay index and from exports; they are "
        "kept and marked.",
    )
    obey_noindex: bool = key(
        True, "Leave pages that ask for `noindex` out of exported texts; they are kept and marked."
    )
    main_text: str = key(
        "resiliparse",
        "The library that finds the main text of a page for the index and for studies:"
        " `resiliparse` (extra `main-text`) takes 4 ms a page and loses little; `trafilatura`"
        " (extra `corpus`) takes twenty times as long and leaves less of the frame.",
        choices=MAIN_TEXTS,
    )
    corpus_text: str = key(
        "trafilatura",
        "The library that finds the main texts that `lycosa export text --main` writes.",
        choices=MAIN_TEXTS,
    )
    links: str = key(
        "all",
        "Links that get a row in the table `links`: `all`, with the reason why a link is not "
        "followed, or only those that are `followed`, to save room.",
        choices=RECORDED_LINKS,
    )
    soft_404_after: int = key(
        20,
        "After this many pages with text, a site gets one request for a URL that cannot exist, to "
        "learn what its error page looks like if that comes with status 200; 0 means never.",
        unit="pages",
        most=1000,
    )
    soft_404_bits: int = key(
        3,
        "A page is a soft 404 if its fingerprint differs from that of the error page in at most "
        "this many bits.",
        unit="bits",
        most=10,
    )


class Structured(Record):
    """Structured data in pages, and which of it is kept as triples."""

    forms: tuple[str, ...] = key(
        ("rdfa", "json-ld", "microdata", "meta"),
        "The forms that are read: `rdfa`, `json-ld`, `microdata`, and `meta` for Open Graph, "
        "Twitter cards and Dublin Core. An empty list means none.",
        pattern="rdfa|json-ld|microdata|meta",
        pattern_text="`rdfa`, `json-ld`, `microdata` or `meta`",
    )
    drop: tuple[str, ...] = key(
        (
            "* <http://www.w3.org/1999/xhtml/vocab#stylesheet> *",
            "* <http://www.w3.org/1999/xhtml/vocab#icon> *",
            "* <http://www.w3.org/1999/xhtml/vocab#shortcut> *",
            "* <http://www.w3.org/1999/xhtml/vocab#apple-touch-icon> *",
            "* <http://www.w3.org/1999/xhtml/vocab#bookmark> *",
            "* <http*://schema.org/stylesheet> *",
            "* <http*://schema.org/icon> *",
            "* <http*://schema.org/shortcut> *",
            "* <http*://schema.org/bookmark> *",
        ),
        "Triples that are dropped: patterns of subject, predicate and object as N-Triples writes "
        "them, with `*` for any run of characters. The defaults are `rel` values that are not "
        "meant as data.",
        pattern=r"\S+\s+\S+\s+\S[^\n]*",
        pattern_text="patterns of three parts, as in `* <http://example.org/price> *`",
    )
    links: bool = key(
        False,
        "Follow the addresses in `@id`, `url` and `sameAs` of structured data like links.",
    )
    most_triples: int = key(
        10_000, "Triples to take from one page; 0 means no limit.", unit="triples"
    )
    largest_bytes: int = key(
        5_000_000,
        "Larger pages are not searched for structured data; 0 means no limit.",
        unit="bytes",
    )


class Forms(Record):
    """Trying search forms, to find pages that only a query leads to."""

    search: bool = key(
        False,
        "Fill in forms that are sent by GET, with values of their lists and with words of the "
        "site, as long as that leads to new pages. Forms that are sent by POST are never filled"
        " in.",
    )
    most_fields: int = key(
        6,
        "Forms with more fields than this are left alone; hidden fields do not count.",
        unit="fields",
        least=1,
        most=50,
    )
    site_requests: int = key(200, "Most queries for one site.", unit="requests", least=1)
    form_requests: int = key(100, "Most queries for one form.", unit="requests", least=1)
    least_new: float = key(
        0.2,
        "A text field is given up when its last twelve queries have led to fewer new pages each.",
        unit="pages",
        least=0.0,
    )


class Plugins(Record):
    """Plugins: more columns, links, rules, content types, schedulers."""

    use: tuple[str, ...] = key(
        (),
        "The names of the plugins that the crawl uses, in the order in which they are called.",
        pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
        pattern_text="names of letters, digits, `_`, `.` and `-`",
    )
    settings: Table = key(
        Table(),
        "Settings for a plugin, in a table with its name, such as `[plugins.settings.wordcount]`; "
        "the plugin defines the keys.",
    )
    most_items: int = key(
        10_000,
        "Items that plugins may emit on one page; a page with more ends as `too_many_items` and "
        "leaves none. 0 means no limit.",
        unit="items",
    )
    most_item_bytes: int = key(4_000_000, "The same for their size as JSON.", unit="bytes")
    post: tuple[str, ...] = key(
        (),
        "The beginnings of URLs to which plugins may post (`page.post`); without any they post "
        "nothing. Scope, robots rules, pauses and limits hold for them, too.",
        pattern=r"https?://[^\s/?#@]+/[!-~]*",
        pattern_text="beginnings of http or https addresses, with a `/` after the host",
    )
    post_with_login: bool = key(
        False, "Send cookies and secret headers of `[login]` with what plugins post."
    )
    post_again: bool = key(
        False,
        "Post again on revisits. Otherwise a POST is sent once in a crawl, unless `lycosa retry` "
        "asks for it again.",
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        for name in self.settings:
            if name not in self.use:
                yield (
                    f"has settings for `{name}`, which is not in `use`\n"
                    f"  add {name!a} to `use`, or remove its table"
                )
