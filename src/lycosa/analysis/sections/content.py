"""The chapter on content: links to files and media, copies of pages, structured data."""

from __future__ import annotations

from lycosa._support.amounts import counted
from lycosa.analysis.charts import Part, Shares
from lycosa.analysis.charts.canvas import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY
from lycosa.analysis.report.section import (
    Answers,
    Chapter,
    Column,
    Facts,
    Row,
    Section,
    Shown,
    Table,
)
from lycosa.analysis.report.wording import count, listed, share, shown
from lycosa.analysis.sections.counts import MOST_FILE_ROWS, MOST_ROWS, bars, total

_MEDIA = {
    "image": "avif bmp gif heic ico jpeg jpg png svg tif tiff webp",
    "audio": "aac flac m4a mid midi mp3 oga ogg opus ra wav wma",
    "video": "avi flv m4v mkv mov mp4 mpeg mpg ogv swf webm wmv",
    "document": "csv doc docx djvu epub odp ods odt pdf ppt pptx ps rtf tex txt xls xlsx",
    "archive": "7z bz2 deb dmg exe gz iso jar rar rpm tar tgz xz zip",
    "style or script": "css eot js json map mjs otf ttf wasm woff woff2 xsl",
    "feed or data": "atom nt n3 owl rdf rss ttl xml",
}
_MEDIUM = {suffix: medium for medium, text in _MEDIA.items() for suffix in text.split()}
_COLOURS = {
    "image": SKY,
    "audio": PURPLE,
    "video": GREEN,
    "document": ORANGE,
    "page": BLUE,
}
_MULTIMEDIA = ("image", "audio", "video")


def _medium(row: Row) -> str:
    return _MEDIUM.get(row["suffix"], "page")


def _show_link_kinds(answers: Answers, facts: Facts) -> Shown:
    rows = answers["link_kinds"]
    if not rows:
        return Shown("The pages have no links.")
    links = total(rows, "links")
    media = [row["links"] for row in rows if row["kind"] in ("image", "media", "object")]
    shown_with = f"{counted(sum(media), 'link leads', 'links lead')} to images, sound or film"
    if not facts.job.extract.requisites:
        shown_with = "links to page requisites were not recorded, as the job does not fetch them"
    sentence = (
        f"{share(rows[0]['links'], links)} of {counted(links, 'link')} on the pages are of the kind"
        f" “{rows[0]['kind']}”; {shown_with}."
    )
    figure = bars(
        "Links by kind",
        "Links on the pages by purpose, to targets of any kind.",
        rows,
        lambda row: str(row["kind"]),
        "links",
    )
    table = Table(
        "Links by kind; a page has a link once, however often it repeats it.",
        (
            Column("Kind"),
            Column("Links", "count"),
            Column("Share", "share"),
            Column("With repetitions", "count"),
            Column("Different URLs", "count"),
        ),
        [
            (row["kind"], row["links"], row["links"] / links, row["times"], row["targets"])
            for row in rows
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _show_file_types(answers: Answers, facts: Facts) -> Shown:
    rows = answers["file_types"]
    if not rows:
        return Shown("No link leads to a URL that ends like the name of a file.")
    links = total(rows, "links")
    by_medium: dict[str, int] = {}
    for row in rows:
        by_medium[_medium(row)] = by_medium.get(_medium(row), 0) + row["links"]
    multimedia = listed(
        [f"{counted(by_medium.get(medium, 0), 'link')} to {medium} files" for medium in _MULTIMEDIA]
    )
    sentence = (
        f"{counted(links, 'link has', 'links have')} a file name with a suffix, of which there are"
        f" {counted(len(rows), 'kind', 'different ones')}: {multimedia}."
    )
    figure = bars(
        "Links by suffix",
        "Links by the suffix of their target: pages and their requisites (blue, grey),"
        " documents (orange), images (light blue), sound (purple), film (green).",
        rows,
        lambda row: f".{shown(row['suffix'], 12)} ({_medium(row)})",
        "links",
        colour=lambda row: _COLOURS.get(_medium(row), GREY),
    )
    table = Table(
        "Links by the suffix of their target.",
        (
            Column("Suffix", "web"),
            Column("Medium"),
            Column("Links", "count"),
            Column("Share", "share"),
            Column("Different URLs", "count"),
        ),
        [
            (
                f".{row['suffix']}",
                _medium(row),
                row["links"],
                row["links"] / links,
                row["targets"],
            )
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _show_duplicates(answers: Answers, facts: Facts) -> Shown:
    rows, (sums,) = answers["duplicates"], answers["duplicates_sums"]
    pages = facts.study["pages"]
    if not rows:
        return Shown(f"No two of {counted(pages, 'page')} have the same bytes.")
    surplus = sums["pages"] - sums["sets"]
    sentence = (
        f"{count(sums['pages'])} of {counted(pages, 'page')} ({share(sums['pages'], pages)}) share"
        f" their bytes with another one, in {counted(sums['sets'], 'set')};"
        f" {counted(surplus, 'copy is', 'copies are')} redundant."
    )
    figure = Shares(
        "Pages that are copies",
        "Pages whose bytes no other has, the first of every set of copies, and the others.",
        (
            Part("bytes of their own", pages - sums["pages"], BLUE),
            Part("first of a set", sums["sets"], SKY),
            Part("further copies", surplus, ORANGE),
        ),
    )
    table = Table(
        "The largest sets of pages with the same bytes.",
        (
            Column("Copies", "count"),
            Column("Sites", "count"),
            Column("Size", "size"),
            Column("First page by URL", "web"),
        ),
        [
            (row["copies"], row["sites"], row["size_bytes"], row["first_url"])
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _show_near(answers: Answers, facts: Facts) -> Shown:
    rows, (sums,) = answers["near_duplicates"], answers["near_sums"]
    pages = facts.study["pages"]
    if not rows:
        return Shown(f"No two of {counted(pages, 'page')} have nearly the same text.")
    other = sums["pages"] - sums["exact"]
    sentence = (
        f"{count(sums['pages'])} of {counted(pages, 'page')} ({share(sums['pages'], pages)}) have"
        f" nearly the same text as another one, in {counted(sums['sets'], 'set')};"
        f" {count(other)} of them are not exact copies."
    )
    figure = Shares(
        "Pages that are nearly alike",
        "Pages whose fingerprint of 64 bits differs from another's in at most six.",
        (
            Part("text of their own", pages - sums["pages"], BLUE),
            Part("nearly the same text", other, ORANGE),
            Part("exact copies among these", sums["exact"], SKY),
        ),
    )
    table = Table(
        "The largest sets of pages with nearly the same text.",
        (Column("Pages", "count"), Column("Sites", "count"), Column("First page by URL", "web")),
        [(row["alike"], row["sites"], row["first_url"]) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table,))


def _show_vocabularies(answers: Answers, facts: Facts) -> Shown:
    rows = answers["vocabularies"]
    if not rows:
        return Shown("No structured data was kept: there are no triples.")
    triples = total(rows, "triples")
    first = rows[0]
    different = len({row["vocabulary"] for row in rows})
    sentence = (
        f"Pages hold {counted(triples, 'triple')} of structured data, in"
        f" {counted(different, 'vocabulary', 'different vocabularies')}; the one on most pages,"
        f" {count(first['pages'])}, is {shown(first['vocabulary'] or 'not named', 60)}."
    )
    figure = bars(
        "Vocabularies by pages",
        "Pages by vocabulary of structured data; a page may use several, and shares are those of"
        " all pages.",
        rows,
        _vocabulary_name,
        "pages",
        whole=facts.study["pages"],
    )
    table = Table(
        "Vocabularies of structured data.",
        (
            Column("Vocabulary", "web"),
            Column("Kind", "web"),
            Column("Pages", "count"),
            Column("Triples", "count"),
        ),
        [
            (row["vocabulary"] or "not named", row["kind"], row["pages"], row["triples"])
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _vocabulary_name(row: Row) -> str:
    kind = f" ({row['kind']})" if row["kind"] else ""
    return f"{row['vocabulary'] or 'not named'}{kind}"


def _show_multimedia(answers: Answers, facts: Facts) -> Shown:
    rows = answers["multimedia"]
    if not rows:
        return Shown("No recorded link leads to images, sound or film.")
    links = total(rows, "links")
    first = rows[0]
    sentence = (
        f"{counted(links, 'link leads', 'links lead')} to images, sound or film; the most frequent"
        f" are of the kind “{first['kind']}” and lead to {first['medium']}"
        f" ({share(first['links'], links)})."
    )
    figure = bars(
        "Links to images, sound and film",
        "Links by medium and by the kind of link; images light blue, sound purple, film green.",
        rows,
        lambda row: f"{row['medium']} ({row['kind']})",
        "links",
        colour=lambda row: _COLOURS.get(row["medium"], GREY),
    )
    table = Table(
        "Links to images, sound and film, and whether the suffix or the kind of link tells so.",
        (
            Column("Medium"),
            Column("Kind of link"),
            Column("Known by"),
            Column("Links", "count"),
            Column("Different URLs", "count"),
        ),
        [
            (row["medium"], row["kind"], row["known_by"], row["links"], row["targets"])
            for row in rows
        ],
    )
    return Shown(sentence, (figure,), (table,))


CHAPTER = Chapter(
    "Content",
    (
        Section(
            "link-kinds",
            "Kinds of links",
            {"link_kinds": "select * from link_kinds order by links desc, kind"},
            _show_link_kinds,
            ("link_kinds",),
        ),
        Section(
            "file-types",
            "File types",
            {
                "file_types": "select suffix, sum(links)::bigint as links,"
                " sum(targets)::bigint as targets from file_types group by all"
                f" order by links desc, suffix limit {MOST_FILE_ROWS}"
            },
            _show_file_types,
            ("file_types",),
        ),
        Section(
            "multimedia",
            "Multimedia",
            {
                "multimedia": "select medium, kind, known_by, links, targets from multimedia"
                " order by links desc, medium, kind, known_by"
            },
            _show_multimedia,
            ("multimedia",),
        ),
        Section(
            "duplicates",
            "Exact duplicates",
            {
                "duplicates": 'select "set", copies, count(distinct site) as sites,'
                " any_value(size_bytes) as size_bytes, min(url) as first_url from duplicates"
                f' group by all order by "set" limit {MOST_FILE_ROWS}'
            },
            _show_duplicates,
            ("duplicates",),
            {
                "duplicates_sums": 'select count(*) as pages, count(distinct "set") as sets'
                " from duplicates"
            },
        ),
        Section(
            "near-duplicates",
            "Near duplicates",
            {
                "near_duplicates": 'select "set", alike, count(distinct site) as sites,'
                " min(url) as first_url from near_duplicates"
                f' group by all order by "set" limit {MOST_FILE_ROWS}'
            },
            _show_near,
            ("near_duplicates", "duplicates"),
            {
                "near_sums": 'select count(*) as pages, count(distinct "set") as sets,'
                " count(*) filter (url_id in (select url_id from duplicates)) as exact"
                " from near_duplicates"
            },
        ),
        Section(
            "vocabularies",
            "Structured data",
            {
                "vocabularies": "select vocabulary, kind, pages, triples from vocabularies"
                f" order by pages desc, triples desc, vocabulary, kind limit {MOST_FILE_ROWS}"
            },
            _show_vocabularies,
            ("vocabularies",),
        ),
    ),
)
