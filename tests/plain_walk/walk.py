"""The RDFa walk in pure Python: the reference for the compiled `rdfa._walk`, written to be read.

It goes over markup from `trees`, from left to right, and takes for every start tag the
steps of RDFa Core 1.1, section 7.5; their numbers are in the comments. A literal that is the
text of its element is complete only at the end tag, so its triples are written there;
in a list its position is reserved until then.

Terms are strings in N-Triples: `<iri>`, `_:b0`, `"text"@en`; "" is none.

Always true:
  * the triples are those of `lycosa.extract.rdfa._walk.walk`, in the same order;
  * nothing recurses; a mapping is changed in place and changed back when its element ends;
  * what is appended anywhere is charged to `room`, and ends there: a thousand nested elements can
    each claim the same text, a thousand lists wait for the same item, and a prefix be as long as
    a page.
"""

from __future__ import annotations

from lycosa.extract.rdfa.hosts import VOCABULARY, Host, whole_vocabulary
from lycosa.extract.rdfa.iris import (
    iri_term,
    language_tag,
    near_base,
    resolve,
)
from lycosa.extract.rdfa.literals import moment_type, scope_cost, xml_literal
from lycosa.extract.rdfa.names import (
    FIRST,
    HTML_LITERAL,
    IS_PREFIX,
    IS_TERM,
    ITEM_COST,
    NIL,
    REST,
    ROLE,
    SPACES,
    TYPE,
    USES_VOCABULARY,
    XML_COST,
    XML_LITERAL,
    split_words,
)
from lycosa.extract.structured.budget import Full
from plain_walk.elements import (
    Context,
    Element,
    Incomplete,
    Item,
    Lists,
    Slot,
)
from plain_walk.literal_terms import literal_term
from plain_walk.terms import Scope, Terms
from plain_walk.tokens import Attributes, End, Text, tokens


def walk(
    markup: bytes, host: Host, document: str, base: str, label: str, *, room: int
) -> tuple[bytes, bool]:
    """Return the triples of a document's markup, up to `room` bytes, and whether there are more.

    `document` is where it came from, which is not always the base of what it refers to.
    """
    page = _Walk(host, document, base, label, room)
    is_cut = False
    try:
        page.read(markup.decode())
    except Full:
        is_cut = True
    return "".join(page.lines).encode(), is_cut


class _Walk(Terms):
    """The walk over a document."""

    def __init__(self, host: Host, document: str, base: str, label: str, room: int) -> None:
        super().__init__(host, document, base, label, room)
        self.markup = ""
        self.lines: list[str] = []
        self.text: list[str] = []
        self.literals = 0
        self.stack: list[Element] = []
        self.inert = 0
        self.is_root = True
        self.context = _root(base)

    def read(self, markup: str) -> None:
        self.markup = markup
        for token in tokens(markup, self.host.is_xml):
            if isinstance(token, Text):
                if self.literals and (token.is_raw or not self.inert):
                    self.text.append(token.text)
            elif isinstance(token, End):
                self.end(token.name, token.position)
            else:
                self.start(Element(token))
        while self.stack:
            self.end(self.stack[-1].name, len(markup))
        self.write_lists(self.context.lists)

    # Start tags

    def start(self, element: Element) -> None:
        self.stack.append(element)
        # The content of a template is not part of the document.
        if not self.host.is_xml and (self.inert or element.name == "template"):
            self.inert += element.name == "template"
            return
        self.enter_scope(element)
        self.write_roles(element.attributes)
        if self.host.is_html5 and element.property is not None:
            element.obey_html5()
        get = element.attributes.get
        element.about = self.resource(get("about"))
        element.target = (
            self.resource(get("resource"))
            or self.reference(get("href"))
            or self.reference(get("src"))
        )
        if (
            element.is_linked
            or element.property is not None
            or element.is_typed
            or element.about
            or element.target
        ):
            self.hear(element)
        self.is_root = False

    def hear(self, element: Element) -> None:
        """Process an element with RDFa attributes."""
        parent = self.context
        owner = self.choose_resources(element)
        for term in self.terms(element.attributes.get("typeof")):  # step 7
            self.write(element.typed, TYPE, term)
        lists = parent.lists
        if owner:  # step 8
            lists = element.lists = Lists(owner)
        incomplete = self.write_links(element, lists)
        if element.property is not None:
            self.write_property(element, lists)
        for waiting in parent.incomplete:  # step 12
            if waiting.items is not None:
                self.charge(ITEM_COST)
                waiting.items.append(element.subject)
            elif waiting.is_reverse:
                self.write(element.subject, waiting.predicate, waiting.subject)
            else:
                self.write(waiting.subject, waiting.predicate, element.subject)
        element.context = parent  # step 13
        self.context = Context(element.current or self.node(), incomplete, lists)

    def choose_resources(self, element: Element) -> str:
        """Choose subject, object and what is typed; returns whose lists begin here (steps 5, 6)."""
        parent_object = self.context.parent_object
        about, target = element.about, element.target
        subject = about
        # HTML+RDFa 1.1, 3.1: `head` and `body` without a resource speak of the parent object.
        if not subject and not target and self.host.is_page and element.name in ("head", "body"):
            subject = parent_object
        # Step 6: with `rel` or `rev` the target is the object, and not the subject.
        if element.is_linked:
            owner, element.subject, element.current = subject, subject or parent_object, target
            if element.is_typed:
                element.typed = about or target or self.node()
                element.current = element.current if about else element.typed
            return owner if element.is_list else element.current or owner
        if element.property is not None and not element.is_valued:
            element.subject = element.current = subject or parent_object
            if element.is_typed:
                element.typed = element.current = about or target or self.node()
            return subject
        subject = subject or target
        if not subject and element.is_typed and not self.is_root:
            subject = self.node()
        element.subject = element.current = subject or parent_object
        element.typed = element.subject
        return subject

    def write_links(self, element: Element, lists: Lists) -> list[Incomplete]:
        """Write the triples of `rel` and `rev`, or return those that wait for a child (9, 10)."""
        incomplete: list[Incomplete] = []
        subject, current = element.subject, element.current
        for predicate in self.iris(element.rel):
            items = lists.items.setdefault(predicate, []) if element.is_list else None
            if not current:
                self.charge(len(predicate.encode()))
                incomplete.append(Incomplete(subject, predicate, False, items))
            elif items is not None:
                items.append(current)
            else:
                self.write(subject, predicate, current)
        for predicate in self.iris(element.rev):
            if current:
                self.write(current, predicate, subject)
            else:
                self.charge(len(predicate.encode()))
                incomplete.append(Incomplete(subject, predicate, True, None))
        return incomplete

    def write_property(self, element: Element, lists: Lists) -> None:
        """Write the triples of `property`, or prepare them for the end of the element (step 11)."""
        predicates = self.iris(element.property)
        if not predicates:
            return
        value = ""
        if not element.is_linked and not element.is_valued:
            value = element.target
            if not value and element.is_typed and "about" not in element.attributes:
                value = element.typed
        kind = self.datatype_of(element)
        if not value and element.content is not None:
            if element.is_moment:
                kind = moment_type(element.content)
            value = literal_term(element.content, self.scope.language, kind)
        for predicate in predicates:
            if element.is_list:
                item: Item = value
                if not value:
                    item = Slot()
                    element.slots.append(item)
                lists.items.setdefault(predicate, []).append(item)
            elif value:
                self.write(element.subject, predicate, value)
        if not value:
            element.predicates, element.datatype = predicates, kind
            element.text_start = len(self.text)
            self.literals += 1

    def datatype_of(self, element: Element) -> str:
        words = split_words(element.datatype or "")
        kind = self.term(words[0]) if words else ""
        return kind if kind.startswith("<") else ""

    def enter_scope(self, element: Element) -> None:
        """Take `vocab`, prefixes, languages and bases (steps 2 to 4)."""
        attributes = element.attributes
        language, vocabulary, base = self.scope
        if not self.host.is_page and "xml:base" in attributes:
            base = near_base(base, attributes["xml:base"].strip(SPACES))
            if len(self.stack) == 1:
                self.context = _root(base)
        if "vocab" in attributes:
            value = attributes["vocab"].strip(SPACES)
            vocabulary = whole_vocabulary(resolve(base, value)) if value else ""
            if vocabulary:
                self.write(iri_term(base), USES_VOCABULARY, iri_term(vocabulary))
        for name, value in attributes.items():
            if name == "xmlns" or name.startswith("xmlns:"):
                self.map_prefix(element, name[6:].lower(), value)
        words = split_words(attributes.get("prefix", ""))
        for at in range(len(words) - 2, -1, -2):
            name = words[at]
            if name == ":" or (name.endswith(":") and IS_PREFIX(name[:-1])):
                self.map_prefix(element, name[:-1].lower() or ":", words[at + 1])
        tag = attributes.get("xml:lang")
        if tag is None and self.host.is_page:
            tag = attributes.get("lang")
        if tag is not None:
            language = language_tag(tag)
        element.scope = self.scope
        self.scope = Scope(language, vocabulary, base)

    def map_prefix(self, element: Element, prefix: str, iri: str) -> None:
        if prefix != "_":
            element.prefixes.append((prefix, self.prefixes.get(prefix)))
            self.prefixes[prefix] = iri.strip(SPACES)

    # End tags

    def end(self, name: str, position: int) -> None:
        """Take an end tag that begins at `position`."""
        if not self.stack or self.stack[-1].name != name:
            return
        element = self.stack.pop()
        if self.inert and name == "template":
            self.inert -= 1
            return
        if element.text_start >= 0:
            self.write_literal(element, position)
        if element.lists is not None:  # step 14
            self.write_lists(element.lists)
        self.context = element.context or self.context
        self.scope = element.scope or self.scope
        for prefix, iri in reversed(element.prefixes):
            if iri is None:
                del self.prefixes[prefix]
            else:
                self.prefixes[prefix] = iri

    def write_literal(self, element: Element, position: int) -> None:
        """Write the literal that an element's content is."""
        self.literals -= 1
        kind = element.datatype or ""
        is_markup = kind in (XML_LITERAL, HTML_LITERAL)
        if is_markup:
            value = self.markup[element.content_start : position]
        else:
            value = "".join(self.text[element.text_start :])
        size = len(value.encode())
        if size > self.room:
            raise Full
        if kind == XML_LITERAL:
            self.charge(XML_COST * size + scope_cost(value, self.prefixes))
            value = xml_literal(value, self.prefixes, self.host.is_xml)
        elif element.is_moment:
            kind = moment_type(value)
        if not self.literals:
            self.text.clear()
        term = literal_term(value, self.scope.language, kind)
        for slot in element.slots:
            slot.term = term
        if not element.slots:
            for predicate in element.predicates:
                self.write(element.subject, predicate, term)

    # Output

    def write(self, subject: str, predicate: str, value: str) -> None:
        line = f"{subject} {predicate} {value} .\n"
        self.charge(len(line.encode()))
        self.lines.append(line)

    def write_roles(self, attributes: Attributes) -> None:
        """Write the triples of `role` (Role Attribute 1.0, section 4)."""
        values = []
        for word in split_words(attributes.get("role", "")):
            found = iri_term(VOCABULARY + word) if IS_TERM(word) else self.term(word)
            if found:
                values.append(found)
        if values:
            name = attributes.get("id", "").strip(SPACES)
            subject = iri_term(f"{self.scope.base}#{name}") if name else self.node()
            for value in values:
                self.write(subject, ROLE, value)

    def write_lists(self, lists: Lists) -> None:
        for predicate, items in lists.items.items():
            rest = NIL
            for item in reversed(items):
                node = self.node()
                self.write(node, FIRST, item.term if isinstance(item, Slot) else item)
                self.write(node, REST, rest)
                rest = node
            self.write(lists.origin, predicate, rest)


def _root(base: str) -> Context:
    root = iri_term(base)
    return Context(root, [], Lists(root))
