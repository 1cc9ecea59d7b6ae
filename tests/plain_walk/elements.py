"""The state that the walk keeps of each open element."""

from __future__ import annotations

from typing import NamedTuple

from lycosa.extract.rdfa.names import without_terms
from plain_walk.terms import Scope
from plain_walk.tokens import Start


class Slot:
    """The position of a literal in a list."""

    term = ""


Item = str | Slot


class Lists:
    """The lists of one subject, by predicate."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.items: dict[str, list[Item]] = {}


class Incomplete(NamedTuple):
    """A triple that waits for a child to be its object, or subject; or a list for an item."""

    subject: str
    predicate: str
    is_reverse: bool
    items: list[Item] | None


class Context(NamedTuple):
    """The evaluation context that an element hands down to its children (Core, 7.2)."""

    parent_object: str
    incomplete: list[Incomplete]
    lists: Lists


class Element:
    """An open element: its statements, and the work to do and to undo when it ends."""

    def __init__(self, tag: Start) -> None:
        self.name, self.attributes, self.content_start = tag
        get = self.attributes.get
        self.rel, self.rev, self.property = get("rel"), get("rev"), get("property")
        self.content, self.datatype = get("content"), get("datatype")
        self.is_typed, self.is_list = "typeof" in tag.attributes, "inlist" in tag.attributes
        self.is_moment = False
        self.about = self.target = self.subject = self.typed = self.current = ""
        # The values in force outside, if the element changed them.
        self.context: Context | None = None
        self.scope: Scope | None = None
        self.prefixes: list[tuple[str, str | None]] = []
        self.lists: Lists | None = None
        # The literal that its text will be.
        self.predicates: list[str] = []
        self.slots: list[Slot] = []
        self.text_start = -1

    def obey_html5(self) -> None:
        """Apply the rules of HTML+RDFa 1.1, 3.1 for an element with a `property`."""
        self.rel, self.rev = without_terms(self.rel), without_terms(self.rev)
        if self.content is None:
            get = self.attributes.get
            self.content = get("datetime", get("dateTime"))
            if self.datatype is None:
                self.is_moment = self.content is not None or self.name == "time"

    @property
    def is_linked(self) -> bool:
        """It has a `rel` or a `rev` that counts."""
        return self.rel is not None or self.rev is not None

    @property
    def is_valued(self) -> bool:
        """Its `property` is a literal, whatever else it refers to."""
        return self.content is not None or self.datatype is not None or self.is_moment
