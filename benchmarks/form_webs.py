"""Small webs behind text forms, made to choose the rules by: their figures judge nothing.

HerbGarden    sixteen records, prose beside the form, which names two words that may be typed
Herbarium     the same without a hint
Papers        150 texts of made-up words, ten results on a page
TopTen        the same; further results are not shown
Species       names that are searched by their beginnings
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.form_sites import FormSite, Record

from lycosa_testweb.topics.texts import Texts

_HERBS = """Comfrey|A hairy plant of ditches whose root was laid on broken bones.
Yarrow|Feathery leaves stop bleeding; soldiers carried it in their packs.
Borage|Blue flowers that bees love, floated on wine in summer.
Lovage|Tall, with a taste of celery, good in soup and with potatoes.
Tansy|Yellow buttons in autumn, bitter leaves against moths.
Sorrel|Sour leaves for soup in spring, from meadow and pasture.
Chervil|Delicate, tasting of anise, for eggs and fish.
Hyssop|A small shrub with blue flowers, known from psalms, good against coughs.
Rue|Bitter and blue-grey, once strewn in courtrooms against fever.
Savory|Peppery leaves for beans, in summer and winter kinds.
Angelica|Tall as a man; its green stems are candied for cakes.
Woodruff|Sweet as hay when dried, from the shade of beech forest.
Mugwort|A roadside plant for roast goose and against moths.
Costmary|Leaves like mint that marked the pages of bibles.
Valerian|Its root brings sleep; cats roll in it.
Marjoram|Sweet leaves for sausages and for linen."""


class HerbGarden(FormSite):
    """Sixteen herbs."""

    front = (
        "<p>About this collection: our garden grew out of a monastery ditch. We describe every "
        "plant by leaves, root and use, from kitchen soup to medicine against coughs. Admission is "
        "free. Contact the gardener for directions, opening times and guided walks.</p>"
    )
    form = (
        '<form action="/find"><label>Search <input name="q" placeholder="bitter, blue, ...">'
        '</label><input type="submit" value="Search"></form>'
    )
    furniture = "Home of the herb garden"

    def made(self) -> list[Record]:
        """Return the herbs."""
        lines = [line.split("|") for line in _HERBS.split("\n")]
        return [Record(f"/herb/{n}", name, text) for n, (name, text) in enumerate(lines)]


class Herbarium(HerbGarden):
    """The herbs without a hint."""

    form = '<form action="/find"><input name="q"></form>'


class Papers(FormSite):
    """Texts of three topics."""

    front = (
        "<p>Papers of our society about history, physics and music; the library keeps them for "
        "every reader and welcomes visitors.</p>"
    )

    def made(self) -> list[Record]:
        """Return the papers."""
        texts = Texts(("history", "physics", "music", "other"), 120, 0.14, 7)
        return [
            Record(f"/doc/{n:x}z", texts.title(n % 3, n), texts.prose(n % 3, 60, n))
            for n in range(150)
        ]


class TopTen(Papers):
    """The papers, of which a query shows the first ten alone."""

    has_paging = False


class Species(FormSite):
    """Names that are searched by their beginnings."""

    front = "<p>Species of our island. Type the beginning of a name.</p>"

    def made(self) -> list[Record]:
        """Return the species."""
        texts = Texts(("moss", "fern", "other"), 400, 0.14, 3)
        words = sorted({word for kind in (0, 1) for word in texts.vocabulary(kind)})[::4]
        return [
            Record(f"/species/{word}", word.title(), f"Seen in {1950 + n % 50} near the shore.")
            for n, word in enumerate(words)
        ]

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the species whose name begins so."""
        begins = given.get("q", "").lower()
        return [one for one in self.records if begins and one.title.lower().startswith(begins)]


TUNED = (HerbGarden, Herbarium, Papers, TopTen, Species)
