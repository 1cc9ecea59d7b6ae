# Where the fields lie of the records that the stages of a page read and fill, and what is read
# of several of them.

cdef Py_ssize_t PARTITION = offset_of(PageAnswer, "partition")
cdef Py_ssize_t PAGE_NUMBER = offset_of(PageAnswer, "page")
cdef Py_ssize_t REQUEST = offset_of(PageAnswer, "request")
cdef Py_ssize_t ANSWER = offset_of(PageAnswer, "answer")
cdef Py_ssize_t RESERVED = offset_of(PageAnswer, "reserved_bytes")
cdef Py_ssize_t KEY = offset_of(PageAnswer, "key")
cdef Py_ssize_t OUTCOME = offset_of(PageAnswer, "outcome")
cdef Py_ssize_t FACTS = offset_of(PageAnswer, "facts")
cdef Py_ssize_t TEXT = offset_of(PageAnswer, "text")
cdef Py_ssize_t FINGERPRINT = offset_of(PageAnswer, "fingerprint")
cdef Py_ssize_t RAW_LINKS = offset_of(PageAnswer, "raw_links")
cdef Py_ssize_t IS_SITEMAP = offset_of(PageAnswer, "is_sitemap")
cdef Py_ssize_t IS_FOREIGN = offset_of(PageAnswer, "is_foreign")
cdef Py_ssize_t EXTRA = offset_of(PageAnswer, "extra")
cdef Py_ssize_t TRIPLES = offset_of(PageAnswer, "triples")
cdef Py_ssize_t ITEMS = offset_of(PageAnswer, "items")
cdef Py_ssize_t LINKS = offset_of(PageAnswer, "links")
cdef Py_ssize_t REFUSED = offset_of(PageAnswer, "refused")
cdef Py_ssize_t AHEAD = offset_of(PageAnswer, "ahead")
cdef Py_ssize_t PLACE = offset_of(PageAnswer, "place")
cdef Py_ssize_t PAUSE = offset_of(PageAnswer, "pause")
cdef Py_ssize_t MUST_COMMIT = offset_of(PageAnswer, "must_commit")
cdef Py_ssize_t IS_FIRST_TIME = offset_of(PageAnswer, "is_first")
cdef Py_ssize_t KNOWN_URLS = offset_of(PageAnswer, "known_urls")

cdef Py_ssize_t URL = offset_of(Request, "url")

cdef Py_ssize_t STATUS = offset_of(Answer, "status")
cdef Py_ssize_t BODY = offset_of(Answer, "body")
cdef Py_ssize_t BEGAN = offset_of(Answer, "began")
cdef Py_ssize_t ENDED = offset_of(Answer, "ended")
cdef Py_ssize_t FAILURE = offset_of(Answer, "failure")
cdef Py_ssize_t BEGINNING = offset_of(Answer, "beginning")
cdef Py_ssize_t BY_NAME = offset_of(Answer, "by_name")
cdef Py_ssize_t FINDINGS = offset_of(Answer, "findings")
cdef Py_ssize_t TRUNCATED = offset_of(Answer, "truncated")

cdef Py_ssize_t BASE = offset_of(Facts, "base")
cdef Py_ssize_t HREFS = offset_of(Facts, "hrefs")
cdef Py_ssize_t KINDS = offset_of(Facts, "kinds")
cdef Py_ssize_t TEXTS = offset_of(Facts, "texts")
cdef Py_ssize_t RELS = offset_of(Facts, "rels")
cdef Py_ssize_t TIMES = offset_of(Facts, "times")
cdef Py_ssize_t TITLE = offset_of(Facts, "title")
cdef Py_ssize_t DESCRIPTION = offset_of(Facts, "description")
cdef Py_ssize_t CONTENT = offset_of(Facts, "content")
cdef Py_ssize_t LANGUAGE = offset_of(Facts, "language")
cdef Py_ssize_t CHARSET = offset_of(Facts, "charset")
cdef Py_ssize_t IS_NOFOLLOW = offset_of(Facts, "is_nofollow")
cdef Py_ssize_t IS_NOINDEX = offset_of(Facts, "is_noindex")
cdef Py_ssize_t IS_NOARCHIVE = offset_of(Facts, "is_noarchive")
cdef Py_ssize_t IS_LIST = offset_of(Facts, "is_list")
cdef Py_ssize_t HAS_RDFA = offset_of(Facts, "has_rdfa")
cdef Py_ssize_t HAS_JSON_LD = offset_of(Facts, "has_json_ld")
cdef Py_ssize_t HAS_MICRODATA = offset_of(Facts, "has_microdata")
cdef Py_ssize_t HAS_META = offset_of(Facts, "has_meta")

# A capture is made by position, which costs a fifth of doing so by name.
if Capture.__struct_fields__ != (
    "key", "purpose", "outcome", "distance", "request", "answer", "links", "title", "description",
    "text", "language", "charset", "fingerprint", "rule", "extra", "triples", "held", "refused_links",
    "is_noindex", "is_noarchive", "is_withheld", "source_id", "is_after_redirect", "picture",
    "source_url", "unread", "items",
):
    raise TypeError("the fields of a capture have another order")


cdef object facts_of(object answered):
    """Return what was read of a page; features may have put it there."""
    facts = field(answered, FACTS)
    if not is_a(facts, Facts):
        raise TypeError(f"facts are expected, not {type(facts).__name__}")
    return facts


cdef object header_of(object answer, str name):
    """Return the first header of that name (given in lower case), or None."""
    by_name = field(answer, BY_NAME)
    if type(by_name) is not dict:
        return answer.header(name)  # its head was not parsed, as in simulations
    cdef PyObject *value = PyDict_GetItem(by_name, name)
    return None if value is NULL else <object> value


cdef object recorded(object answered):
    """Return the outcome as log and store have it (`PageAnswer.recorded_outcome`)."""
    if field(answered, IS_SITEMAP):
        return SITEMAP
    return WRONG_LANGUAGE if field(answered, IS_FOREIGN) else field(answered, OUTCOME)


cdef bint may_be_packed(bytes body) noexcept:
    """Tell whether a body may be a compressed file: `sitemap.is_packed` is true of no other."""
    return PyBytes_GET_SIZE(body) > 1 and PyBytes_AS_STRING(body)[0] == c"\x1f"


cdef bint is_outside(rels) except -1:
    """Tell whether a link stands outside the element `html`: next to none does."""
    for rel in rels:
        if rel and OUTSIDE_HTML in rel:
            return True
    return False
