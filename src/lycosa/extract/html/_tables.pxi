# Meanings of bytes, elements, attributes and named characters; filled when the module is loaded.

# Meanings of a byte between tags and within them.
cdef enum:
    SPACE = 1  # white space
    NAME_END = 2  # ends the name of an attribute
    SPECIAL = 4  # ends a run of plain text
    LETTER = 8
    DIGIT = 16
    HEX = 32
    SKIPPED = 64  # stands between attributes
    TAG_END = 128  # ends the name of a tag

# Effects of an element on the text.
cdef enum:
    IS_BLOCK = 1
    IS_CELL = 2
    IS_RAW = 4

cdef enum Element:
    OTHER, A, AREA, BASE, BUTTON, FALLBACK, FORM, HTML, IFRAME, IMAGE, IMG, INPUT, LINK, META
    NOSCRIPT, OBJECT, PARAM, SOURCE, SOURCED, SCRIPT, STYLE, TEMPLATE, TITLE

cdef enum Attribute:
    ACTION, ALT, AS, CONTENT, FORM_NAMED, FORMACTION, FORMMETHOD, HREF, HTTP_EQUIV, ICON
    IMAGESRCSET, LANG, MANIFEST, METHOD, NAME, POSTER, REL, SRC, SRCDOC, SRCSET, TYPE, VALUE
    VALUETYPE, XLINK_HREF, XML_LANG
    FIRST_OF_OBJECT  # the order from here on is that of `names`
    STYLES = FIRST_OF_OBJECT + 5
    FIRST_ANYWHERE = STYLES + 1
    FIRST_LIST = FIRST_ANYWHERE + 7
    FIRST_PAINT = FIRST_LIST + 3
    ATTRIBUTES = FIRST_PAINT + 9
    UNKNOWN = ATTRIBUTES

# Which attributes of a tag are kept.
cdef enum Kept:
    KEEP_NONE, KEEP_ANYWHERE, KEEP_ALL

# Contents of a run of text: tags and references, references alone, or neither.
cdef enum Run:
    UNTIL_TAG, WITHOUT_TAGS, LITERAL

cdef enum Gap:
    NO_GAP, WORD_GAP, LINE_GAP

cdef struct Tag:
    uint64_t low
    uint64_t high
    int element
    int flags
    int attributes[2]
    int kinds[2]
    int sources
    int size
    char name[16]

cdef struct FoundLink:
    Piece href
    Piece rel
    Piece alt
    Py_ssize_t text_start
    Py_ssize_t text_end
    uint64_t hash
    Py_ssize_t times
    int kind
    int places  # where it stands, a bit each

# Where in a page a link stands.
cdef enum:
    BEFORE_HTML = 1
    IN_HTML = 2
    AFTER_HTML = 4

cdef struct Entity:
    const char *name
    const char *value
    int name_size
    int value_size

cdef enum:
    TAG_SLOTS = 512
    ENTITY_SLOTS = 8192
    LONGEST_ENTITY = 32
    LONGEST_BARE = 6
    FIRST_REQUISITE = 20
    DEEPEST_NESTING = 3
    LONGEST_NAME = 16  # an attribute that is known has fewer letters
    LONGEST_TEXT = 200
    LONGEST_PAGE = 1_000_000
    LONGEST_TITLE = 1000

# Signs in attributes that a page holds structured data, and relations that were read.
cdef enum:
    HAS_RDFA = 1
    HAS_MICRODATA = 2
    HAS_REL = 4
    HAS_REV = 8

cdef byte CLASS[256]
cdef byte LOWER[256]
cdef byte SHOWN[256]
# By how many letters a name has, and by its first: the number of an attribute, and what to try next.
cdef byte ATTRIBUTE_AT[3][LONGEST_NAME][32]
cdef byte NEXT_ATTRIBUTE[3][ATTRIBUTES + 1]
cdef char ATTRIBUTE_NAMES[ATTRIBUTES][LONGEST_NAME]
cdef int KINDS[ATTRIBUTES]
cdef uint16_t SIGNS[256]  # by its first letter: the lengths that a telling attribute may have
cdef Tag TAGS[TAG_SLOTS]
cdef Entity *ENTITIES = NULL
cdef bint HAS_ALL_ENTITIES = False
cdef uint16_t ENTITY_INDEX[ENTITY_SLOTS]
cdef int WINDOWS[32]
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef Tag NO_TAG
cdef list _names_and_values = []

cdef int KIND_ANCHOR = LinkKind.ANCHOR
cdef int KIND_FORM = LinkKind.FORM
cdef int KIND_IDENTIFIER = LinkKind.IDENTIFIER
cdef int KIND_IMAGE = LinkKind.IMAGE
cdef int KIND_MANIFEST = LinkKind.MANIFEST
cdef int KIND_MENTION = LinkKind.MENTION
cdef int KIND_OBJECT = LinkKind.OBJECT
cdef int KIND_POST = LinkKind.POST
cdef int KIND_REFRESH = LinkKind.REFRESH
cdef int KIND_STYLE = LinkKind.STYLE

_ELEMENTS = {
    b"a": A, b"applet": OBJECT, b"area": AREA, b"base": BASE, b"button": BUTTON, b"form": FORM,
    b"html": HTML, b"iframe": IFRAME, b"image": IMAGE, b"img": IMG, b"input": INPUT,
    b"link": LINK, b"meta": META, b"noscript": NOSCRIPT, b"object": OBJECT, b"param": PARAM,
    b"script": SCRIPT, b"source": SOURCE, b"style": STYLE, b"template": TEMPLATE,
    b"title": TITLE,
}
_ELEMENTS.update((name.encode(), FALLBACK) for name in FALLBACKS)
_ATTRIBUTES = {
    "action": ACTION, "alt": ALT, "as": AS, "content": CONTENT, "form": FORM_NAMED,
    "formaction": FORMACTION, "formmethod": FORMMETHOD, "href": HREF, "http-equiv": HTTP_EQUIV,
    "icon": ICON, "imagesrcset": IMAGESRCSET, "lang": LANG, "manifest": MANIFEST,
    "method": METHOD, "name": NAME, "poster": POSTER, "rel": REL, "src": SRC, "srcdoc": SRCDOC,
    "srcset": SRCSET, "type": TYPE, "value": VALUE, "valuetype": VALUETYPE,
    "xlink:href": XLINK_HREF, "xml:lang": XML_LANG,
}
_ATTRIBUTES.update(
    (name, FIRST_OF_OBJECT + place)
    for place, name in enumerate((*OBJECTS, "style", *ANYWHERE, *LISTS, *PAINTS))
)


def _fill_classes():
    cdef int i
    for i in range(256):
        LOWER[i] = i + 32 if 65 <= i <= 90 else i
        SHOWN[i] = 32 if i in b" \t\n\r\f" else i
        if i in b" \t\n\r\f":
            CLASS[i] |= SPACE | NAME_END | SKIPPED | TAG_END
        if i in b"/>=":
            CLASS[i] |= NAME_END
        if i in b"/>":
            CLASS[i] |= TAG_END
        if i == ord("/"):
            CLASS[i] |= SKIPPED
        if i == 0xC2 or i in b"&<":
            CLASS[i] |= SPECIAL
        if 65 <= LOWER[i] - 32 <= 90:
            CLASS[i] |= LETTER
        if 48 <= i <= 57:
            CLASS[i] |= DIGIT | HEX
        if 97 <= LOWER[i] <= 102:
            CLASS[i] |= HEX
    for name in RDFA | {"rel", "rev", "itemscope"}:
        for letter in (name[0], name[0].upper()):
            SIGNS[ord(letter)] |= 1 << len(name)
    for i in range(32):
        decoded = bytes([128 + i]).decode("cp1252", "replace")
        WINDOWS[i] = 128 + i if decoded == "\ufffd" else ord(decoded)


cdef inline uint64_t slot_of_name(uint64_t low, uint64_t high) noexcept nogil:
    return ((low ^ (high * <uint64_t> 0x9E3779B97F4A7C15)) * <uint64_t> 0xD6E8FEB86659FD93) >> 55


def _fill_tags():
    cdef Tag tag
    cdef uint64_t slot
    cdef bytes name
    memset(TAGS, 0, sizeof(TAGS))
    for text in sorted(BLOCKS | CELLS | RAW | set(SOURCES) | {n.decode() for n in _ELEMENTS}):
        name = text.encode()
        memset(&tag, 0, sizeof(tag))
        tag.size = len(name)
        memcpy(tag.name, <const char *> name, tag.size)
        tag.low = int.from_bytes(name[:8], "little")
        tag.high = int.from_bytes(name[8:], "little")
        tag.flags = IS_BLOCK * (text in BLOCKS) | IS_CELL * (text in CELLS) | IS_RAW * (text in RAW)
        tag.element = _ELEMENTS.get(name, SOURCED if text in SOURCES else OTHER)
        for attribute, kind in SOURCES.get(text, ()):
            tag.attributes[tag.sources] = _ATTRIBUTES[attribute]
            tag.kinds[tag.sources] = kind
            tag.sources += 1
        slot = slot_of_name(tag.low, tag.high)
        while TAGS[slot].size:
            slot = (slot + 1) % TAG_SLOTS
        TAGS[slot] = tag


def _fill_attributes():
    cdef int which, attribute, size
    cdef bytes name
    assert len(_ATTRIBUTES) == ATTRIBUTES <= 64
    memset(ATTRIBUTE_AT, UNKNOWN, sizeof(ATTRIBUTE_AT))
    memset(NEXT_ATTRIBUTE, UNKNOWN, sizeof(NEXT_ATTRIBUTE))
    for text, attribute in _ATTRIBUTES.items():
        name, size = text.encode(), len(text)
        assert size < LONGEST_NAME
        memcpy(ATTRIBUTE_NAMES[attribute], <const char *> name, size)
        for which in (KEEP_ANYWHERE, KEEP_ALL):
            if which == KEEP_ALL or attribute >= STYLES:
                NEXT_ATTRIBUTE[which][attribute] = ATTRIBUTE_AT[which][size][name[0] & 31]
                ATTRIBUTE_AT[which][size][name[0] & 31] = attribute
        KINDS[attribute] = {**ANYWHERE, **LISTS}.get(text, 0)


# Most pages have no others. The whole list has 2,231 names and is a hundredth of a crawl's start.
_USUAL_ENTITIES = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "nbsp": "\xa0", "copy": "\xa9", "reg": "\xae",
    "laquo": "\xab", "raquo": "\xbb", "middot": "\xb7", "para": "\xb6", "sect": "\xa7",
}
_USUAL_ENTITIES.update({f"{name};": value for name, value in _USUAL_ENTITIES.items()})
_USUAL_ENTITIES.update({
    "apos;": "'", "bull;": "\u2022", "hellip;": "\u2026", "ldquo;": "\u201c", "lsquo;": "\u2018",
    "mdash;": "\u2014", "ndash;": "\u2013", "rdquo;": "\u201d", "rsquo;": "\u2019",
})


def _fill_entities(entities):
    global ENTITIES
    cdef uint64_t slot
    cdef int i = 0
    cdef bytes name, value
    cdef Entity *filled = <Entity *> malloc((len(entities) + 1) * sizeof(Entity))
    if filled == NULL:
        raise MemoryError
    free(ENTITIES)
    ENTITIES = filled
    memset(ENTITY_INDEX, 0, sizeof(ENTITY_INDEX))
    for key, characters in entities.items():
        i += 1
        name, value = key.encode(), characters.encode()
        _names_and_values.append((name, value))
        ENTITIES[i].name = name
        ENTITIES[i].name_size = len(name)
        ENTITIES[i].value = value
        ENTITIES[i].value_size = len(value)
        slot = slot_of_entity(<const byte *> ENTITIES[i].name, ENTITIES[i].name_size)
        while ENTITY_INDEX[slot]:
            slot = (slot + 1) % ENTITY_SLOTS
        ENTITY_INDEX[slot] = i


cdef bint fill_all_entities() except -1 with gil:
    global HAS_ALL_ENTITIES
    from html.entities import html5

    assert max(map(len, html5)) == LONGEST_ENTITY
    assert max(len(key) for key in html5 if not key.endswith(";")) == LONGEST_BARE
    assert html5.items() >= _USUAL_ENTITIES.items()
    _fill_entities(html5)
    HAS_ALL_ENTITIES = True
    return True


def _check_words():
    assert (_LONGEST_TEXT, _LONGEST_TITLE) == (LONGEST_TEXT, LONGEST_TITLE)
    assert _LONGEST_PAGE == LONGEST_PAGE
    assert RELATIONS == ("describedby", "license", "role")
    assert (min(REQUISITE_KINDS), _DEEPEST_NESTING) == (FIRST_REQUISITE, DEEPEST_NESTING)


cdef inline uint64_t slot_of_entity(const byte *name, Py_ssize_t size) noexcept nogil:
    cdef uint64_t h = size
    cdef Py_ssize_t i
    for i in range(size):
        h = (h ^ name[i]) * <uint64_t> 0x100000001B3
    return (h ^ (h >> 29)) % ENTITY_SLOTS


cdef const Entity *find_entity(const byte *name, Py_ssize_t size) noexcept nogil:
    """Return what a name stands for; NULL if it is none. A rare name loads the rest."""
    cdef const Entity *entity = entity_among(name, size)
    if entity == NULL and not HAS_ALL_ENTITIES:
        fill_all_entities()
        entity = entity_among(name, size)
    return entity


cdef const Entity *entity_among(const byte *name, Py_ssize_t size) noexcept nogil:
    cdef uint64_t slot = slot_of_entity(name, size)
    cdef const Entity *entity
    while ENTITY_INDEX[slot]:
        entity = &ENTITIES[ENTITY_INDEX[slot]]
        if entity.name_size == size and memcmp(entity.name, name, size) == 0:
            return entity
        slot = (slot + 1) % ENTITY_SLOTS
    return NULL


_fill_classes()
_fill_tags()
_fill_attributes()
_fill_entities(_USUAL_ENTITIES)
_check_words()


cdef inline bint is_same(const byte *data, const char *word, Py_ssize_t size) noexcept nogil:
    """Compare with a word in lower case, without regard to the case of ASCII letters."""
    cdef Py_ssize_t i
    for i in range(size):
        if LOWER[data[i]] != <byte> word[i]:
            return False
    return True


cdef inline Piece without_fragment(Piece href) noexcept nogil:
    """Cut what is never sent; of a reference to a part of its own page the mark stays."""
    cdef const byte *mark = <const byte *> memchr(href.start, c"#", href.size)
    if mark != NULL:
        if mark == href.start:
            href.size = 1
        elif (mark - 1)[0] > c" ":  # a space at the end would be lost, within a URL it is not
            href.size = mark - href.start
    return href


cdef inline bint is_word(Piece piece, const char *word, Py_ssize_t size) noexcept nogil:
    piece = trimmed(piece)
    return piece.size == size and is_same(piece.start, word, size)


cdef inline bint is_posted(Piece method) noexcept nogil:
    """Tell whether a form of this method is sent by anything but GET."""
    return is_word(method, b"post", 4) or is_word(method, b"dialog", 6)


cdef inline bint has_mark(Piece name) noexcept nogil:
    """Tell whether the name of a `meta` element is in a vocabulary: `og:title`, `DC.title`."""
    cdef Py_ssize_t i
    for i in range(name.size):
        if name.start[i] == 58 or name.start[i] == 46:
            return True
    return False


cdef int sign_of_name(const byte *name, Py_ssize_t size) noexcept nogil:
    """Return what an attribute's name tells of structured data; `SIGNS` has been asked."""
    if size == 3:
        if is_same(name, b"rel", 3):
            return HAS_REL
        return HAS_REV if is_same(name, b"rev", 3) else 0
    if size == 5:
        return HAS_RDFA if is_same(name, b"about", 5) or is_same(name, b"vocab", 5) else 0
    if size == 6:
        return HAS_RDFA if is_same(name, b"typeof", 6) else 0
    if size == 8:
        return HAS_RDFA if is_same(name, b"property", 8) or is_same(name, b"resource", 8) else 0
    return HAS_MICRODATA if is_same(name, b"itemscope", 9) else 0


cdef bint has_rdfa_relation(const byte *value, Py_ssize_t size) noexcept nogil:
    """Tell what `values.is_rdfa_relation` does."""
    cdef Py_ssize_t i
    cdef byte letter
    for i in range(size):
        letter = LOWER[value[i]]
        if letter == c":" or letter == c"&":
            return True
        if letter == c"l" and size - i >= 7 and is_same(value + i, b"license", 7):
            return True
        if letter == c"d" and size - i >= 11 and is_same(value + i, b"describedby", 11):
            return True
        if letter == c"r" and size - i >= 4 and is_same(value + i, b"role", 4):
            return True
    return False


cdef inline int attribute_of_name(const byte *name, Py_ssize_t size, int kept) noexcept nogil:
    """Return the number of an attribute that is kept."""
    cdef int attribute
    if size >= LONGEST_NAME:
        return UNKNOWN
    attribute = ATTRIBUTE_AT[kept][size][name[0] & 31]
    while attribute != UNKNOWN and not is_same(name, ATTRIBUTE_NAMES[attribute], size):
        attribute = NEXT_ATTRIBUTE[kept][attribute]
    return attribute


cdef bint may_refer(Piece css) noexcept nogil:
    """Tell quickly whether CSS may hold a reference: `url(`, `src(`, `image-set(`, `@import`."""
    cdef const byte *end = css.start + css.size
    cdef const byte *p = css.start
    while True:
        p = <const byte *> memchr(p, c"(", end - p)
        if p == NULL:
            break
        if p - css.start >= 3:
            if is_same(p - 3, b"url", 3) or is_same(p - 3, b"src", 3) or is_same(p - 3, b"set", 3):
                return True
        p += 1
    p = css.start
    while True:
        p = <const byte *> memchr(p, c"@", end - p)
        if p == NULL:
            return False
        if end - p >= 7 and is_same(p, b"@import", 7):
            return True
        p += 1
