"""The section of a job about topics: fields of knowledge, and which of them are wanted."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key

TOPIC_POLICIES = ("each", "weighted", "budget", "focused")
FOCUSES = ("soft", "hard")
MODEL_FILE = "topics.model"
"""The copy of its model that a crawl directory has."""

_NAME = r"[^\s=]+"


class Topics(Record):
    """The topics of pages; with the scheduler `topics`, the order by which they are fetched."""

    model: str = key(
        "",
        "The file of a model (`lycosa topics train`). Pages get the columns `topic`, "
        "`topic_confidence` and `topics`. The crawl keeps a copy. Empty: no topics.",
        is_path=True,
    )
    digest: str = key(
        "",
        "The digest of the model; filled in when the crawl begins, so that another model is "
        "noticed.",
        pattern=r"(?:[0-9a-f]{16})?",
        pattern_text="16 hexadecimal digits",
    )
    policy: str = key(
        "each",
        "With the scheduler `topics`: one URL from `each` topic in turn; topics `weighted` by "
        "`weights`; each in turn until its `budget` is used up, see `budgets`; or `focused` on "
        "the topics `wanted`.",
        choices=TOPIC_POLICIES,
    )
    wanted: tuple[str, ...] = key(
        (),
        "The topics that a `focused` crawl is for; a topic stands for those below it, too.",
        pattern=_NAME,
        pattern_text="names of topics",
    )
    focus: str = key(
        "soft",
        "The treatment of URLs in a `focused` crawl that are unlikely to be about wanted topics:"
        " fetch them last (`soft`), or put them off, so that the crawl ends without them (`hard`).",
        choices=FOCUSES,
    )
    weights: tuple[str, ...] = key(
        (),
        "For `weighted`: turns for a topic while others have one, as `science=3`.",
        pattern=_NAME + r"=(?:[1-9][0-9]{0,3}|0)",
        pattern_text="topics with a whole number below 10,000, as `science=3`",
    )
    budgets: tuple[str, ...] = key(
        (),
        "For `budget`: the number of pages to keep from the queue of a topic, as `science=500`;"
        " topics below it share the number. A topic without an entry has no limit. URLs of a "
        "topic whose budget "
        "is used up are put off; the crawl ends without them.",
        pattern=_NAME + r"=(?:[1-9][0-9]{0,11}|0)",
        pattern_text="topics with a whole number, as `science=500`",
    )


def numbers_of(entries: tuple[str, ...]) -> dict[str, int]:
    """Return the number that `weights` or `budgets` give each topic."""
    return {name: int(number) for name, _, number in (entry.rpartition("=") for entry in entries)}
