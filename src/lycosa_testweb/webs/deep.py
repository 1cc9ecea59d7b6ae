"""A deep web: records that only a search form leads to.

catalogue.test   a library whose records are found by words and by subject
menu.test        recipes behind a list of countries alone
idle.test        a form that always finds the same few pages, which are linked anyway
office.test      forms that must be left alone: one is sent by POST, others would act
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qs

from lycosa.model.records import Request, Resolved
from lycosa_testweb.mixing import digest
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import HTML, PLAIN, Reply

CATALOGUE, MENU, IDLE, OFFICE = "catalogue.test", "menu.test", "idle.test", "office.test"
HOSTS = (CATALOGUE, MENU, IDLE, OFFICE)
SUBJECTS = ("rivers", "bridges", "weather", "towns", "birds", "ships")
COUNTRIES = ("chile", "spain", "japan", "kenya", "norway", "greece", "peru", "india")
_ACTIONS = ("/leave", "/unsubscribe", "/post")
PAGE_ROWS = 10
RECIPES = 6
_NOUNS = [
    *("harbour", "lantern", "meadow", "granite", "willow", "compass", "orchard"),
    *("thunder", "glacier", "saddle", "beacon", "marble", "feather", "copper"),
    *("valley", "canyon", "timber", "anchor", "kettle", "violet", "summit"),
    *("prairie", "lagoon", "cedar", "ember", "falcon", "garnet", "hollow"),
    *("island", "jasmine", "quarry", "raven", "silver", "tundra", "walnut"),
    *("barley", "clover", "dragon"),
]
_SEED = 20_261


class Record(NamedTuple):
    """A record of the catalogue."""

    number: int
    subject: str
    words: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it is."""
        return f"/record/{self.number:04d}"


def _record(number: int) -> Record:
    def pick(salt: int, many: int) -> int:
        return digest(f"{_SEED} {number} {salt}") % many

    words = dict.fromkeys(_NOUNS[pick(salt, len(_NOUNS))] for salt in range(1, 5))
    return Record(number, SUBJECTS[pick(0, len(SUBJECTS))], tuple(words))


class DeepWeb:
    """The hosts."""

    def __init__(self, records: int = 300) -> None:
        self.records = [_record(number) for number in range(records)]

    def hidden_pages(self) -> Iterator[str]:
        """Yield the pages that no link leads to."""
        for record in self.records:
            yield f"http://{CATALOGUE}{record.path}"
        for country in COUNTRIES:
            for number in range(RECIPES):
                yield f"http://{MENU}/recipe/{country}-{number}"

    def seeds(self) -> list[str]:
        """Return the front pages."""
        return [f"http://{host}/" for host in HOSTS]

    def hosts(self) -> list[str]:
        """Return all hosts."""
        return list(HOSTS)

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, results of a query, or a 404."""
        parts = take_apart(request.url)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        page = {
            CATALOGUE: self._catalogue,
            MENU: _menu,
            IDLE: _idle,
            OFFICE: _office,
        }.get(parts.host, _nothing)(parts.path, given)
        return Reply(404, PLAIN, b"no such page\n") if page is None else Reply(200, HTML, page)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return an address for each host."""
        address = f"10.0.1.{HOSTS.index(host) + 1}" if host in HOSTS else None
        return Resolved(address, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0

    def _catalogue(self, path: str, given: dict[str, str]) -> bytes | None:
        if path == "/":
            options = "".join(f'<option value="{name}">{name}' for name in SUBJECTS)
            form = (
                '<form action="/find"><input type="search" name="q">'
                f'<select name="subject"><option value="">any{options}</select>'
                '<input type="hidden" name="view" value="list"><input type="submit"></form>'
            )
            about = "A catalogue of the harbour office: lantern, granite and meadow."
            return _page("The catalogue", f"<p>{about}</p>{form}", ["/about"])
        if path == "/about":
            return _page("About", "<p>Maps of every valley, by willow and compass.</p>", ["/"])
        if path == "/find":
            return self._results(given)
        number = path.removeprefix("/record/")
        if path.startswith("/record/") and number.isdigit() and int(number) < len(self.records):
            record = self.records[int(number)]
            told = f"<p>Record {record.number} on {record.subject}: {' '.join(record.words)}.</p>"
            return _page(f"Record {record.number}", told, ["/"])
        return None

    def _results(self, given: dict[str, str]) -> bytes:
        word, subject = given.get("q", "").lower(), given.get("subject", "")
        start = int(given["start"]) if given.get("start", "").isdigit() else 0
        found = [
            record
            for record in self.records
            if (word or subject)
            and (not word or word in record.words)
            and (not subject or record.subject == subject)
        ]
        links = [record.path for record in found[start : start + PAGE_ROWS]]
        if start + PAGE_ROWS < len(found):
            query = f"q={word}&subject={subject}&view=list&start={start + PAGE_ROWS}"
            links.append(f"/find?{query}")
        told = f"<p>{len(found)} records for {word or subject or 'nothing'}.</p>"
        return _page("Results", told, [*links, "/"])


def _menu(path: str, given: dict[str, str]) -> bytes | None:
    if path == "/":
        options = "".join(f"<option>{name}</option>" for name in COUNTRIES)
        form = f'<form action="recipes"><select name="country">{options}</select></form>'
        return _page("Recipes", form, [])
    if path == "/recipes":
        country = given.get("country", "")
        numbers = range(RECIPES if country in COUNTRIES else 0)
        return _page(f"Recipes of {country}", "", [f"/recipe/{country}-{n}" for n in numbers])
    country, _, number = path.removeprefix("/recipe/").partition("-")
    if path.startswith("/recipe/") and country in COUNTRIES and number in map(str, range(RECIPES)):
        return _page(f"Recipe {number} of {country}", f"<p>Boil it as in {country}.</p>", ["/"])
    return None


def _idle(path: str, given: dict[str, str]) -> bytes | None:
    links = [f"/page/{number}" for number in range(5)]
    if path == "/":
        form = '<form action="/look"><input name="q"></form>'
        return _page("Idle", f"<p>Nothing here is hidden, whatever words say.</p>{form}", links)
    if path == "/look":
        return _page("Results", f"<p>For {given.get('q', '')}:</p>", links)
    if path in links:
        words = ["several", "ordinary", "sentences", "about", "nothing", "whatever"]
        return _page(path, f"<p>{words[int(path[-1])]} {path}</p>", ["/"])
    return None


def _office(path: str, given: dict[str, str]) -> bytes | None:
    if path == "/":
        forms = (
            '<form method="post" action="/post"><input name="q"></form>'
            '<form action="/unsubscribe"><input name="who"></form>'
            '<form action="/leave"><input type="password" name="q"></form>'
            '<form action="/leave"><input name="email"></form>'
        )
        return _page("Office", f"<p>Words of the office door.</p>{forms}", [])
    return _page("Done", "<p>Done.</p>", []) if path in _ACTIONS else None


def _nothing(path: str, given: dict[str, str]) -> None:
    return None


def _page(title: str, body: str, links: list[str]) -> bytes:
    anchors = "".join(f'<li><a href="{link.replace("&", "&amp;")}">{link}</a>' for link in links)
    return f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}<ul>{anchors}</ul>".encode()
