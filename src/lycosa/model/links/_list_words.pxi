# Words behind which the number of a page, of a place in a list, or of a day stands.

cdef tuple PAGE_WORDS = (
    b"page", b"paged", b"pages", b"pagen", b"pageno", b"pagenr", b"pagenum", b"pagenumber",
    b"pageindex", b"currentpage", b"curpage", b"cpage", b"pag", b"pagina", b"pg", b"pgno", b"halaman",
    b"oldal", b"sayfa", b"seite", b"sida", b"side", b"sivu", b"strana", b"stranka", b"strona", b"trang",
)

cdef tuple PLACE_WORDS = (
    b"offset", b"start", b"skip", b"from", b"first", b"startat", b"startindex", b"startrow",
    b"firstresult", b"limitstart", b"bstart", b"bstartint",
)

cdef tuple TIME_WORDS = (
    b"day", b"days", b"week", b"month", b"year", b"date", b"hour", b"tag", b"woche", b"monat", b"jahr",
    b"jour", b"semaine", b"mois", b"annee", b"cal", b"calendar", b"kalender",
)

cdef struct Known:
    const char *text    # of a constant above
    Py_ssize_t size
    Word kind

cdef enum:
    MOST_WORDS = 64

cdef Known[MOST_WORDS] known_words      # by first letter, because most words share theirs with few
cdef int[27] first_known                # by letter, the first word that begins with it or a later one


cdef int enter_words() except -1:
    """Fill the table of words."""
    cdef int count = 0, letter
    kinds = ((PAGE_WORDS, OF_A_PAGE), (PLACE_WORDS, OF_A_PLACE), (TIME_WORDS, OF_A_TIME))
    for letter in range(26):
        first_known[letter] = count
        for words, kind in kinds:
            for word in <tuple> words:
                if word[0] == c"a" + letter:
                    if count == MOST_WORDS:
                        raise OverflowError("there are more words than places in their table")
                    known_words[count] = Known(<bytes> word, len(word), kind)
                    count += 1
    first_known[26] = count
    return 0


enter_words()


cdef bint is_in_query(Key key, Py_ssize_t place) noexcept:
    return memchr(key.text, c"?", place) != NULL


cdef Word word_before(Key key, Py_ssize_t site, Py_ssize_t place) noexcept:
    """Return the kind of the word behind which a number stands.

    In a query that is the name of its parameter; in a path letters before it, with a mark between them
    or none. `p` is a word for a page as a name or as a whole folder alone.
    """
    cdef char word[LONGEST_WORD]
    cdef int size = 0
    cdef Py_ssize_t start = place, i
    cdef bint is_query = is_in_query(key, place), is_whole
    if is_query:
        if key.text[place - 1] != c"=":
            return OTHER
        while key.text[start - 1] != c"?" and key.text[start - 1] != c"&":
            start -= 1
            if place - start > LONGEST_NAME:
                return OTHER
        is_whole = True
        i = start
        while i < place - 1:
            if key.text[i] == c"%":
                i += 3  # an escape, as of a bracket
                continue
            if is_letter(key.text[i]):
                if size == LONGEST_WORD:
                    return OTHER
                word[size] = key.text[i] | 32
                size += 1
            i += 1
    else:
        if start > site and is_between(key.text[start - 1]):
            start -= 1
        is_whole = start < place and key.text[start] == c"/"
        i = start
        while start > site and is_letter(key.text[start - 1]):
            start -= 1
            if i - start > LONGEST_WORD:
                return OTHER
        is_whole = is_whole and key.text[start - 1] == c"/"
        while start < i:
            word[size] = key.text[start] | 32
            size, start = size + 1, start + 1
    if size == 1 and word[0] == c"p":
        return OF_A_PAGE if is_whole else OTHER
    if size < 2:
        return OTHER
    return kind_of_word(word, size, is_query)


cdef Word kind_of_word(const char *word, Py_ssize_t size, bint is_query) noexcept:
    cdef int letter = word[0] - c"a", i
    cdef Known *known
    for i in range(first_known[letter], first_known[letter + 1]):
        known = &known_words[i]
        if known.size == size and not memcmp(known.text, word, size):
            return OTHER if known.kind == OF_A_PLACE and not is_query else known.kind
    return OTHER
