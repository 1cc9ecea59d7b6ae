"""Webs behind text forms that the choice of words was not tuned on: they were written after it.

Library     books by words of title or author, two text fields in the head of every page, paging
Shop        products by text, category, price and stock; some are in no category
PhoneBook   people by the beginning of a surname, two letters or more, twenty results at most
Museum      texts in German, French, Japanese and English
Newspaper   every word of a query must be there and have four letters; three pages of ten results
Generous    whatever is asked, everything is found
Silent      whatever is asked, nothing is found
Gazetteer   wrecks behind a form, on a site that is too large for one look
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.form_sites import FormSite, Record, tokens

from lycosa_testweb.mixing import below, digest


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a line."""
    return tuple(words.split())


_SURNAMES = listed(
    "Abbott Ackermann Adler Almeida Andersen Bauer Becker Bennett Bianchi Brandt Byrne "
    "Carter Castillo Chavez Clarke Conti Cooper Costa Dahl Delgado Dietrich Dubois "
    "Eriksen Esposito Evans Farrell Ferrari Fischer Fontaine Fraser Gallo Garnier Gibson "
    "Gomez Graham Greco Hansen Harper Hoffmann Holm Hughes Ibarra Iversen Jansen Jensen "
    "Johansson Kaya Keller Kelly Klein Kowalski Krause Lambert Larsen Leroy Lindgren "
    "Lopez Lorenz Maier Marino Martin Meyer Molina Moreau Murphy Navarro Nielsen Novak "
    "Nowak Olsen Ortega Palmer Peeters Petersen Popov Quinn Ramos Reid Richter Rinaldi "
    "Rossi Roth Ruiz Ryan Sanchez Santos Schmidt Schneider Silva Simon Sorensen Stewart "
    "Suarez Svensson Thomas Turner Ulrich Vargas Vasquez Vogel Walsh Weber Wood Yilmaz "
    "Young Zimmermann"
)
_FIRST_NAMES = listed(
    "Ada Albert Amelie Anton Beatrice Bruno Carla Cecilia Daniel Diana Elena Emil Fatima "
    "Felix Greta Hugo Irene Ivan Jasper Julia Karin Leo Lucia Magnus Maria Nadia Oscar "
    "Paula Rafael Rosa Sofia Stefan Teresa Tobias Vera Victor"
)


def pick(words: Sequence[str], *what: object) -> str:
    """Return one of some words, always the same for the same question."""
    return words[below(len(words), digest(" ".join(map(str, what))))]


class Library(FormSite):
    """Books of a town library, by title or author."""

    host = "library.books.test"
    form = ""
    furniture = "Town Library: opening hours, branches, my account"
    front = (
        "<p>The town library lends books, maps and music in three branches. New on our "
        "shelves: a history of the "
        "canal, two novels from the north, and gardens of the island. Reading hour for "
        "children on Saturday.</p>"
    )
    _head = (
        '<form action="/search"><label for="t">Title</label><input id="t" name="title">'
        '<label for="a">Author</label><input id="a" name="author"><button>Search the '
        "catalogue</button></form>"
    )
    _kinds = listed(
        "History Letters Songs Gardens Voyage Winter Secret Birds Bridges Stories Maps Mills"
    )
    _things = listed(
        "river island lighthouse mountain city orchard desert forest harbour railway "
        "castle village valley sea empire monastery frontier market"
    )
    _how = listed(
        "lost northern forgotten silent golden old broken distant small great hidden last"
    )

    def made(self) -> list[Record]:
        """Return the books."""
        return [self._book(number) for number in range(120)]

    def _book(self, number: int) -> Record:
        kind, thing = pick(self._kinds, "kind", number), pick(self._things, "thing", number)
        how = pick(self._how, "how", number)
        form = below(3, digest(f"form {number}"))
        title = (f"{kind} of the {how} {thing}", f"The {how} {thing}", f"{kind} and {thing}")[form]
        author = f"{pick(_FIRST_NAMES, 'first', number)} {pick(_SURNAMES[::3], 'last', number)}"
        year, shelf = (
            1900 + below(120, digest(f"year {number}")),
            below(90, digest(f"shelf {number}")),
        )
        text = f"by {author}. Published {year}. Shelf {shelf}. On loan: no. "
        text += "Reserve this book at any branch."
        return Record(f"/book/{digest(f'book {number}') % 100_000}", title, text)

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the books with all words of the title and of the author."""
        title, author = tokens(given.get("title", "")), tokens(given.get("author", ""))
        return [
            one
            for one in self.records
            if (title or author)
            and title <= tokens(one.title)
            and author <= tokens(one.text.partition(".")[0])
        ]

    def page(self, path: str, given: dict[str, str]) -> str | None:
        """Return a page; the results are elsewhere."""
        if path == "/about":
            return self.shown("About us", "<p>Founded in 1871 by weavers and printers.</p>")
        return self.results(given) if path == "/search" else super().page(path, given)

    def shown(self, title: str, body: str) -> str:
        """Return a page with the form in its head."""
        page = super().shown(title, f'{body}<p><a href="/about">About us</a></p>')
        return page.replace("<h1>", f"{self._head}<h1>").replace('"/find?', '"/search?')


class Shop(FormSite):
    """Tools and kitchenware, with filters."""

    host = "shop.goods.test"
    rows = 12
    furniture = "Goods & Tools: free delivery, returns, help"
    front = (
        "<p>Everything for workshop, kitchen and garden. This week: hammers from Solingen, "
        "copper pans, and a rake "
        "that lasts. Trusted by craftsmen since 1956.</p>"
    )
    _categories = ("workshop", "kitchen", "garden", "lighting", "paint")
    form = (
        '<form action="/find"><input type="search" name="q" placeholder="What are you '
        'looking for?">'
        '<select name="category"><option value="">All departments'
        + "".join(f'<option value="{name}">{name}' for name in _categories)
        + '</select><input type="number" name="min"><input type="number" name="max">'
        '<input type="checkbox" name="stock" value="1"><input type="submit" value="Find"></form>'
    )
    _things = listed(
        "hammer saw chisel drill pan kettle knife rake spade lamp lantern brush roller "
        "bucket ladder grater whisk shears hose clamp"
    )
    _materials = listed("steel copper oak iron brass bamboo enamel carbon aluminium leather")
    _brands = listed("Halvorsen Kestrel Novatek Brandt Lumina Ostrava Pemberton Tamura")

    def made(self) -> list[Record]:
        """Return the products; a fifth of them is in no category."""
        return [self._product(number) for number in range(200)]

    def _product(self, number: int) -> Record:
        brand, thing = pick(self._brands, "brand", number), pick(self._things, "thing", number)
        material = pick(self._materials, "material", number)
        price = 3 + below(150, digest(f"price {number}"))
        title = f"{brand} {material} {thing} {100 + number}"
        where = "" if number % 5 == 0 else pick(self._categories, "category", number)
        text = f"{price}.90 EUR. A {thing} of {material}, made to last. "
        text += f"Department: {where or 'outlet'}. Add to list."
        return Record(f"/p/{digest(title) % 1_000_000}", title, text)

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the products with all words in their names, of a category, within a price."""
        words, where = tokens(given.get("q", "")), given.get("category", "")
        least, most = (given.get(name, "") for name in ("min", "max"))
        return [
            one
            for one in self.records
            if (words or where)
            and words <= tokens(one.title)
            and (not where or f"Department: {where}." in one.text)
            and (not least.isdigit() or int(least) <= int(one.text.partition(".")[0]))
            and (not most.isdigit() or int(most) >= int(one.text.partition(".")[0]))
        ]


class PhoneBook(FormSite):
    """People of a university."""

    host = "people.campus.test"
    rows = 20
    has_paging = False
    furniture = "Campus | Directory | Help"
    front = (
        "<p>Staff directory of the university. Type the first letters of a surname, two at "
        "least. Offices answer "
        "from Monday to Friday. The registrar keeps this list; write to Dr. Hoffmann if an "
        "entry is wrong.</p>"
    )
    form = (
        '<form action="/find"><label>Surname <input name="name"></label>'
        "<button>Show</button></form>"
    )
    _rooms = listed("Chemistry Law Physics Theology Medicine Economics History Mathematics")

    def made(self) -> list[Record]:
        """Return the people."""
        return [self._person(number) for number in range(180)]

    def _person(self, number: int) -> Record:
        last = _SURNAMES[number % len(_SURNAMES)]
        title = f"{last}, {pick(_FIRST_NAMES, 'person', number)}"
        room = below(400, digest(f"r {number}"))
        text = f"Department of {pick(self._rooms, 'room', number)}, room {room}."
        return Record(f"/person/{number:03d}{last[0].lower()}", title, text)

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the people whose surname begins so."""
        begins = given.get("name", "").lower()
        return [
            one for one in self.records if len(begins) > 1 and one.title.lower().startswith(begins)
        ]


_GERMAN = (
    "Becher Schwert Altar Teppich Münze Harnisch Krug Fenster",
    "Silber Eichenholz Bronze Glas Wolle Ton",
)
_FRENCH = (
    "coupe épée autel tapis monnaie armure cruche vitrail",
    "argent chêne bronze verre laine argile",
)
_JAPANESE = ("茶碗 刀剣 屏風 着物 仏像 巻物 硯箱 花瓶", "漆器 青銅 絹糸 陶土 檜材 和紙")
_ENGLISH = ("goblet sword altar carpet coin armour jug window", "silver oak bronze glass wool clay")
_TOWNS = listed("Augsburg Lyon Kyoto Bristol Lübeck Rouen Nara Exeter Ulm Dijon Osaka Durham")


class Museum(FormSite):
    """Objects of a museum, told in four languages."""

    host = "objets.museum.test"
    furniture = "Museum Musée 博物館"
    front = (
        "<h2>Sammlung</h2><p>Die Sammlung zeigt Silber und Glas aus alten Städten.</p>"
        "<h2>Collection</h2><p>La collection réunit armes et tapis de plusieurs siècles.</p>"
        "<h2>収蔵品</h2><p>茶碗と屏風を所蔵しています。</p>"
        "<h2>Collection</h2><p>Our objects come from churches and workshops.</p>"
    )
    form = (
        '<form action="/find"><input type="search" name="q" '
        'aria-label="Suche / recherche / 検索"></form>'
    )

    def made(self) -> list[Record]:
        """Return the objects, forty in each language."""
        return [self._object(number) for number in range(160)]

    def _object(self, number: int) -> Record:
        language = number % 4
        things, stuffs = (_GERMAN, _FRENCH, _JAPANESE, _ENGLISH)[language]
        thing, stuff = pick(things.split(), "thing", number), pick(stuffs.split(), "stuff", number)
        town, year = pick(_TOWNS, "town", number), 1300 + 10 * below(60, digest(f"year {number}"))
        texts = (
            (f"{thing} aus {town}", f"Der Gegenstand aus {stuff} wurde um {year} gefertigt."),
            (f"{thing.title()} de {town}", f"Objet en {stuff}, réalisé vers {year}."),
            (f"{town}の{thing}", f"{year}年頃に作られた{stuff}の作品。"),
            (f"{thing.title()} from {town}", f"An object of {stuff}, made about {year}."),
        )
        title, text = texts[language]
        return Record(
            f"/o/{digest(f'object {number}') % 100_000:05d}", title, f"{text} Inv. {number + 7000}."
        )

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the objects whose title or text has the characters asked for."""
        asked = given.get("q", "").strip().lower()
        return [
            one
            for one in self.records
            if len(asked) > 1 and asked in f"{one.title} {one.text}".lower()
        ]


class Newspaper(FormSite):
    """An archive of short news, the newest first."""

    host = "archive.news.test"
    furniture = "The Evening Post: news, sport, letters, subscribe"
    front = (
        "<p>Search forty years of the Evening Post. Every word you type must occur in the "
        "article. Yesterday the "
        "council spoke about the harbour; the weather stays cold. Letters to the editor are "
        "welcome.</p>"
    )
    form = (
        '<form action="/find"><input name="q" title="Words in the article">'
        '<input type="submit" value="Go"></form>'
    )
    _who = listed(
        "council mayor police fishermen teachers engineers farmers students nurses "
        "drivers bakers firemen miners actors judges sailors"
    )
    _did = listed(
        "protest celebrate discover repair demand refuse open close rescue auction "
        "inspect paint measure"
    )
    _what = listed(
        "bridge harbour school hospital stadium theatre tunnel market tower library "
        "factory cathedral airport reservoir prison museum canal station"
    )
    _why = (
        "after storm",
        "during strike",
        "before election",
        "despite snow",
        "because of fraud",
        "amid drought",
        "following flood",
        "without permission",
        "in spite of fire",
        "under supervision",
    )
    _more = listed(
        "witness insurance budget contract ceremony deadline investigation neighbours "
        "volunteers architect concrete petition anniversary evacuation compensation"
    )

    def made(self) -> list[Record]:
        """Return the articles."""
        return [self._article(number) for number in range(250)]

    def _article(self, number: int) -> Record:
        who, did, what = (
            pick(words, name, number)
            for words, name in ((self._who, "who"), (self._did, "did"), (self._what, "what"))
        )
        more = " ".join(
            dict.fromkeys(pick(self._more, "more", number, place) for place in range(3))
        )
        year = 1980 + below(40, digest(f"year {number}"))
        title = f"{who.title()} {did} {what}"
        text = f"{title} {pick(self._why, 'why', number)}, {year}. "
        text += f"In brief: {more}. Page {1 + number % 8}."
        return Record(f"/{year}/{digest(f'article {number}') % 100_000}", title, text)

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return thirty articles at most that have every word."""
        words = tokens(given.get("q", ""))
        if not words or any(len(word) < 4 for word in words):
            return []
        return [one for one in self.records if words <= one.words][:30]


class Generous(FormSite):
    """Finds all of its recipes, whatever is asked."""

    host = "all.recipes.test"
    front = (
        "<p>Recipes of my grandmother, collected on cards. "
        "Tell me what you would like to eat today.</p>"
    )
    form = '<form action="/find"><input name="q"></form>'

    def made(self) -> list[Record]:
        """Return the recipes."""
        return [
            Record(f"/card/{n}", f"Card {n}", f"Take {n + 2} eggs and stir.") for n in range(60)
        ]

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return every recipe."""
        return self.records if given.get("q") else ()


class Silent(Generous):
    """Finds none of its recipes."""

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return nothing."""
        return ()


class Gazetteer(FormSite):
    """Five thousand places that are linked, and wrecks that a form alone leads to.

    It was written after the others, when a site that is looked at in parts had been mended.
    """

    host = "coast.atlas.test"
    places, listed_at_once = 5_200, 100
    furniture = "Coastal atlas"
    form = '<form action="/find"><label>Wrecks <input name="q"></label></form>'
    _ships = listed("barge brig cutter ferry frigate galleon ketch schooner sloop trawler tug")
    _cargoes = listed("coal timber grain slate wine cannon tin salt wool ballast herring iron")
    _bays = listed("Skerry Polmear Trevanion Dunbeg Ravens Holm Kilbride Mellon Staffa Gannet")

    def made(self) -> list[Record]:
        """Return the wrecks."""
        return [self._wreck(number) for number in range(300)]

    def _wreck(self, number: int) -> Record:
        ship, cargo = pick(self._ships, "ship", number), pick(self._cargoes, "cargo", number)
        bay, year = pick(self._bays, "bay", number), 1700 + below(250, digest(f"sank {number}"))
        text = f"The {ship} carried {cargo} and sank in {year} off {bay} Head."
        return Record(f"/wreck/{digest(f'wreck {number}') % 1_000_000}", f"Wreck of a {ship}", text)

    def page(self, path: str, given: dict[str, str]) -> str | None:
        """Return a page, a list of places or a place."""
        kind, _, number = path.removeprefix("/").partition("/")
        if path == "/":
            lists = range(self.places // self.listed_at_once)
            links = "".join(f'<a href="/list/{n}">Places {n}</a> ' for n in lists)
            return self.shown("Atlas", f"<p>Places and wrecks of the coast.</p>{self.form}{links}")
        if kind == "list" and number.isdigit():
            start = int(number) * self.listed_at_once
            ids = range(start, min(start + self.listed_at_once, self.places))
            return self.shown(path, "".join(f'<a href="/place/{n}">Place {n}</a> ' for n in ids))
        if kind == "place" and number.isdigit() and int(number) < self.places:
            near, cargo = pick(self._bays, "near", number), pick(self._cargoes, "trade", number)
            return self.shown(f"Place {number}", f"<p>A landing near {near}, once for {cargo}.</p>")
        return super().page(path, given)


UNSEEN = (Library, Shop, PhoneBook, Museum, Newspaper, Generous, Silent, Gazetteer)
