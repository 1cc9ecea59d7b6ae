# When a feature is called at a point of a page's way (`lycosa.crawl.points.Asked`).

@cython.final
@cython.auto_pickle(False)
cdef class Call:
    """A feature's method at a point, and when it is called (`points.Asked`)."""

    cdef object method
    cdef int occasions
    cdef Py_ssize_t column
    """Of the sites that matter among those of a view; -1: all do."""


cdef list calls_of(tuple some, list watchers):
    """Return the calls of a point; a feature has one column, however many points it has."""
    cdef list calls = []
    cdef Call call
    for asked in some:
        call = Call.__new__(Call)
        call.method, call.occasions, call.column = asked.method, asked.occasions, -1
        if asked.watched is not None:
            if asked.watched not in watchers:
                watchers.append(asked.watched)
            call.column = watchers.index(asked.watched)
        calls.append(call)
    return calls


cdef int look(object answered, Way *way) except -1:
    """Note which occasions an answer is, now that a stage has passed."""
    cdef int found = way.occasions & IS_KNOWN
    facts = facts_of(answered)
    if field(answered, OUTCOME) is KEPT:
        found |= IS_KEPT
    if field(answered, IS_FIRST_TIME):
        found |= IS_FIRST
    if (
        field(facts, HAS_RDFA)
        or field(facts, HAS_JSON_LD)
        or field(facts, HAS_MICRODATA)
        or field(facts, HAS_META)
        or field(field(answered, ANSWER), FINDINGS) is not None
    ):
        found |= IS_STRUCTURED
    way.occasions = found
    return 0


cdef int ask(list calls, object answered, View view, Way *way) except -1:
    """Call features at a point, on the occasions that they have named."""
    cdef Call call
    cdef arrays.array column
    for call in calls:
        if call.occasions and not call.occasions & way.occasions:
            continue
        if call.column >= 0 and not way.occasions & IS_KNOWN:
            column = view.watched[call.column]
            if way.site < len(column) and not column.data.as_uchars[way.site]:
                continue
        call.method(answered)
    return 0
