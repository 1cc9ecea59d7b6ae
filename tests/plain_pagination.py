"""The links of a list's other pages in plain Python: tests compare the compiled choice with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from lycosa.model.links import Target
from lycosa.model.records import PAGINATED_KINDS, LinkKind

PAGE_WORDS = frozenset(
    [
        "page",
        "paged",
        "pages",
        "pagen",
        "pageno",
        "pagenr",
        "pagenum",
        "pagenumber",
        "pageindex",
        "currentpage",
        "curpage",
        "cpage",
        "pag",
        "pagina",
        "pg",
        "pgno",
        "halaman",
        "oldal",
        "sayfa",
        "seite",
        "sida",
        "side",
        "sivu",
        "strana",
        "stranka",
        "strona",
        "trang",
    ]
)
PLACE_WORDS = frozenset(
    [
        "offset",
        "start",
        "skip",
        "from",
        "first",
        "startat",
        "startindex",
        "startrow",
        "firstresult",
        "limitstart",
        "bstart",
        "bstartint",
    ]
)
TIME_WORDS = frozenset(
    [
        "day",
        "days",
        "week",
        "month",
        "year",
        "date",
        "hour",
        "tag",
        "woche",
        "monat",
        "jahr",
        "jour",
        "semaine",
        "mois",
        "annee",
        "cal",
        "calendar",
        "kalender",
    ]
)
RELATIONS = frozenset({"next", "prev", "previous"})

_TOLD = re.compile(r"[\[(][\[( )\].]*([0-9]{1,5})[\[( )\].]*|([0-9]{1,5})[\[( )\].]*")
_ADDED = re.compile(
    r"/?(?:index(?:\.[A-Za-z]{2,5})?)?"
    r"(?:(?P<name>/?[?&][^=&?/]*=)|/?(?P<plain>(?:[/\-_.=]?[A-Za-z]*[/\-_.=]?)))"
    r"(?P<number>[0-9]{1,7})(?P<tail>|[/&]|\.[A-Za-z]{2,5})"
)

_NAMED = re.compile(r"[^=&?/]*=(?P<number>[0-9]{1,7})(?P<tail>|[/&]|\.[A-Za-z]{2,5})")


class Step(NamedTuple):
    """A number in a link's key, and the one that the page's own key has in its place."""

    start: int
    end: int
    value: int
    own: int


def kinds_with_pagination(
    targets: Sequence[Target],
    kinds: Sequence[int],
    texts: Sequence[str],
    rels: Sequence[str],
    own: str,
) -> list[int] | None:
    """Return the kinds of links, with those to other pages of the list; None if there is none."""
    site = own.index("/") + 1
    chosen: set[Target] = set()
    rows: dict[tuple[int, ...], list[tuple[int, Target]]] = {}
    for target, kind, text, rel in zip(targets, kinds, texts, rels, strict=True):
        key = target.key
        if kind not in PAGINATED_KINDS or target in chosen or key == own:
            continue
        if not key.startswith(own[:site]):
            continue
        said = told(text)
        if leads_on(rel):
            chosen.add(target)
        elif has_list_number(key) or text[:1] in tuple("0123456789[("):
            step = step_between(own, key, site)
            if step is not None and is_of_list(key, site, step, said):
                chosen.add(target)
            elif step is not None:
                enter(rows, target, site, step, said)
    for (*_, size, own_value), found in rows.items():
        distances = {distance for distance, _ in found}
        if distances & {1, -1} and (size == 1 or own_value >= 0 or len(distances) > 1):
            chosen.update(target for _, target in found)
    if not chosen:
        return None
    return [
        int(LinkKind.PAGINATION) if kind in PAGINATED_KINDS and target in chosen else kind
        for target, kind in zip(targets, kinds, strict=True)
    ]


def told(text: str) -> int:
    """Return the number that a text is, perhaps in brackets; -1 if it is something else."""
    found = _TOLD.fullmatch(text)
    return int(found[1] or found[2]) if found else -1


def leads_on(rel: str) -> bool:
    """Tell whether a relation says next or previous."""
    return rel.isascii() and not RELATIONS.isdisjoint(rel.split(" "))


def has_list_number(key: str) -> bool:
    """Tell whether a key has a number behind a word for pages or places."""
    site = key.find("/") + 1
    return any(
        word_before(key, site, number.start()) in ("page", "place")
        for number in re.finditer("[0-9]+", key)
        if number.start() > site or (number.start() == site and not site)
    )


def word_before(key: str, site: int, place: int) -> str:
    """Return the kind of the word behind which a number stands; "" for any other."""
    before = key[:place]
    is_query = "?" in before
    is_whole = is_query
    if is_query:
        found = re.search(r"[?&]([^?&]*)=\Z", before)
        if found is None or len(found[1]) > 39:
            return ""
        word = re.sub("[^A-Za-z]", "", re.sub("%.{0,2}", "", found[1])).lower()
    else:
        parts = re.search(r"([A-Za-z]*)([/\-_.=]?)\Z", before[site:])
        assert parts
        word = parts[1].lower()
        ahead = before[: site + parts.start()]
        is_whole = parts[2] == "/" and ahead.endswith("/")
    if len(word) > 16:
        return ""
    if word == "p":
        return "page" if is_whole else ""
    if word in PAGE_WORDS:
        return "page"
    if is_query and word in PLACE_WORDS:
        return "place"
    return "time" if word in TIME_WORDS else ""


def common(one: str, other: str) -> int:
    """Return with how many of the same characters two texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def step_between(own: str, key: str, site: int) -> Step | None:
    """Return the one number in which two keys of a site differ, if there is nothing else."""
    start = common(own, key)
    least = min(len(own), len(key)) - start
    behind = min(common(own[::-1], key[::-1]), least)
    mine, other = own[start : len(own) - behind], key[start : len(key) - behind]
    if re.match("[0-9]", mine) or re.match("[0-9]", other):
        shared = re.search("[0-9]*\\Z", key[site:start])
        assert shared
        start -= len(shared[0])
        mine, other = shared[0] + mine, shared[0] + other
    if re.search("[0-9]\\Z", mine) or re.search("[0-9]\\Z", other):
        shared = re.match("[0-9]*", key[len(key) - behind :])
        assert shared
        behind -= len(shared[0])
        mine, other = mine + shared[0], other + shared[0]
    end = len(key) - behind
    if re.fullmatch("[0-9]{1,7}", mine):
        if not re.fullmatch("[0-9]{1,7}", other):
            return None
        return Step(start, end, int(other), int(mine))
    if not re.fullmatch(r"/?|index(\.[A-Za-z]{2,5})?", mine):
        return None
    return _added(key, start, other)


def _added(key: str, start: int, other: str) -> Step | None:
    """Return the number that a key has and the page's own lacks."""
    if re.match("[A-Za-z]", other) and key[start - 1].isalpha():
        return None
    is_name = key[start - 1] in "?&"
    found = (_NAMED if is_name else _ADDED).fullmatch(other) or _ADDED.fullmatch(other)
    if found is None:
        return None
    number = start + found.start("number")
    has_name = found.re is _NAMED or found["name"] is not None
    if not has_name and "?" in key[:number]:
        return None  # the value of a parameter has grown by a number
    return Step(number, start + found.end("number"), int(found["number"]), -1)


def is_of_list(key: str, site: int, step: Step, said: int) -> bool:
    """Tell whether a number behind a word for a page or a place is of the page's list."""
    word = word_before(key, site, step.start)
    if word == "page":
        if said >= 0 and step.value in (said, said - 1):
            return True
        return step.value <= 2 if step.own < 0 else abs(step.value - step.own) <= 1
    if word != "place":
        return False
    for least in (0, 1):
        if said > 1 and step.value > least and (step.value - least) % (said - 1) == 0:
            size = (step.value - least) // (said - 1)
            if step.own < 0 or (step.own >= least and (step.own - least) % size == 0):
                return True
    if step.own < 0:
        return True
    return step.own % max(abs(step.value - step.own), 1) < 2


def enter(
    rows: dict[tuple[int, ...], list[tuple[int, Target]]],
    target: Target,
    site: int,
    step: Step,
    said: int,
) -> None:
    """Enter a link whose text is a number among those that stand in the same place."""
    key, value = target.key, step.value
    if said < 1 or word_before(key, site, step.start) == "time" or is_beside_year(key, site, step):
        return
    least, size = 0, 1
    if value == said:
        least = 1
    elif value != said - 1:
        if said < 2 or value < 2:
            return
        least = int(value % (said - 1) != 0)
        size, rest = divmod(value - least, said - 1)
        if rest:
            return
    if size == 1 and ("?" in key[: step.start] or 1900 <= value <= 2099):
        return
    own_page = 1
    if step.own >= 0:
        if step.own < least or (step.own - least) % size:
            return
        own_page = (step.own - least) // size + 1
    row = step.start, len(key) - step.end, least, size, step.own
    rows.setdefault(row, []).append((said - own_page, target))


def is_beside_year(key: str, site: int, step: Step) -> bool:
    """Tell whether a year stands beside a number, with nothing but other numbers between them."""
    before = re.search(r"[0-9/\-_.]*\Z", key[site : step.start])
    after = re.match(r"[0-9/\-_.]*", key[step.end :])
    assert before and after
    others = re.findall("[0-9]+", before[0]) + re.findall("[0-9]+", after[0])
    return any(len(number) == 4 and 1900 <= int(number) <= 2099 for number in others)
