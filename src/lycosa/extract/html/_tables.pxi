# What bytes, elements, attributes and named characters mean; filled when the module is loaded.

# What a byte means between tags and within them.
cdef enum:
    SPACE = 1  # white space
    NAME_END = 2  # ends the name of an attribute
    SPECIAL = 4  # ends a run of plain text
    LETTER = 8
    DIGIT = 16
    HEX = 32
    SKIPPED = 64  # stands between attributes
    TAG_END = 128  # ends the name of a tag

# What an element does to the text.
cdef enum:
    IS_BLOCK = 1
    IS_CELL = 2
    IS_RAW = 4

cdef enum Element:
    OTHER, A, AREA, BASE, FORM, HTML, IMAGE, IMG, INPUT, LINK, META, NOSCRIPT, SOURCE, SOURCED
    SCRIPT, STYLE, TEMPLATE, TITLE

cdef enum Attribute:
    ACTION, ALT, AS, CODE, CONTENT, DATA, HREF, HTTP_EQUIV, LANG, METHOD, NAME, POSTER, REL, SRC
    SRCSET, STYLES, TYPE, XLINK_HREF, XML_LANG, ATTRIBUTES, UNKNOWN

# What is in a run of text: tags and references, references alone, or neither.
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
    LONGEST_TEXT = 200
    LONGEST_PAGE = 1_000_000
    LONGEST_TITLE = 1000

# What attributes tell that a page holds structured data, and which relations were read.
cdef enum:
    HAS_RDFA = 1
    HAS_MICRODATA = 2
    HAS_REL = 4
    HAS_REV = 8

cdef byte CLASS[256]
cdef byte LOWER[256]
cdef byte SHOWN[256]
cdef uint16_t SIGNS[256]  # by its first letter: the lengths that a telling attribute may have
cdef Tag TAGS[TAG_SLOTS]
cdef Entity *ENTITIES
cdef uint16_t ENTITY_INDEX[ENTITY_SLOTS]
cdef int WINDOWS[32]
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef Tag NO_TAG
cdef list _names_and_values = []

cdef int KIND_ANCHOR = LinkKind.ANCHOR
cdef int KIND_FORM = LinkKind.FORM
cdef int KIND_IMAGE = LinkKind.IMAGE
cdef int KIND_REFRESH = LinkKind.REFRESH

_ELEMENTS = {
    b"a": A, b"area": AREA, b"base": BASE, b"form": FORM, b"html": HTML, b"image": IMAGE,
    b"img": IMG, b"input": INPUT, b"link": LINK, b"meta": META, b"noscript": NOSCRIPT,
    b"script": SCRIPT, b"source": SOURCE, b"style": STYLE, b"template": TEMPLATE,
    b"title": TITLE,
}
_ATTRIBUTES = {"src": SRC, "href": HREF, "code": CODE, "data": DATA, "poster": POSTER}


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


def _fill_entities():
    global ENTITIES
    cdef uint64_t slot
    cdef int i = 0
    cdef bytes name, value
    ENTITIES = <Entity *> malloc((len(html5) + 1) * sizeof(Entity))
    if ENTITIES == NULL:
        raise MemoryError
    memset(ENTITY_INDEX, 0, sizeof(ENTITY_INDEX))
    for key, characters in html5.items():
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
    assert max(map(len, html5)) == LONGEST_ENTITY
    assert max(len(key) for key in html5 if not key.endswith(";")) == LONGEST_BARE
    assert (_LONGEST_TEXT, _LONGEST_TITLE) == (LONGEST_TEXT, LONGEST_TITLE)
    assert _LONGEST_PAGE == LONGEST_PAGE
    assert RELATIONS == ("describedby", "license", "role")


cdef inline uint64_t slot_of_entity(const byte *name, Py_ssize_t size) noexcept nogil:
    cdef uint64_t h = size
    cdef Py_ssize_t i
    for i in range(size):
        h = (h ^ name[i]) * <uint64_t> 0x100000001B3
    return (h ^ (h >> 29)) % ENTITY_SLOTS


cdef const Entity *find_entity(const byte *name, Py_ssize_t size) noexcept nogil:
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
_fill_entities()


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


cdef int attribute_of_name(const byte *name, Py_ssize_t size) noexcept nogil:
    cdef byte first = LOWER[name[0]]
    if size == 4:
        if first == c"h":
            return HREF if is_same(name, b"href", 4) else UNKNOWN
        if first == c"n":
            return NAME if is_same(name, b"name", 4) else UNKNOWN
        if first == c"l":
            return LANG if is_same(name, b"lang", 4) else UNKNOWN
        if first == c"d":
            return DATA if is_same(name, b"data", 4) else UNKNOWN
        if first == c"t":
            return TYPE if is_same(name, b"type", 4) else UNKNOWN
        return CODE if is_same(name, b"code", 4) else UNKNOWN
    if size == 3:
        if first == c"s":
            return SRC if is_same(name, b"src", 3) else UNKNOWN
        if first == c"r":
            return REL if is_same(name, b"rel", 3) else UNKNOWN
        return ALT if is_same(name, b"alt", 3) else UNKNOWN
    if size == 6:
        if first == c"s":
            return SRCSET if is_same(name, b"srcset", 6) else UNKNOWN
        if first == c"m":
            return METHOD if is_same(name, b"method", 6) else UNKNOWN
        if first == c"a":
            return ACTION if is_same(name, b"action", 6) else UNKNOWN
        return POSTER if is_same(name, b"poster", 6) else UNKNOWN
    if size == 5:
        return STYLES if is_same(name, b"style", 5) else UNKNOWN
    if size == 7:
        return CONTENT if is_same(name, b"content", 7) else UNKNOWN
    if size == 2:
        return AS if is_same(name, b"as", 2) else UNKNOWN
    if size == 10:
        if first == c"h":
            return HTTP_EQUIV if is_same(name, b"http-equiv", 10) else UNKNOWN
        return XLINK_HREF if is_same(name, b"xlink:href", 10) else UNKNOWN
    if size == 8:
        return XML_LANG if is_same(name, b"xml:lang", 8) else UNKNOWN
    return UNKNOWN
