# Parts the links of a page that the job follows from the others, and merges those that repeat.
#
# One walk over the references makes an entry for each pair of target and kind, among those to follow
# and among the others. A target knows its last entry, and an entry the one before it with the
# same target: so a repetition is found without a dictionary, by as many steps as the target has kinds.

cdef struct Entry:
    # Borrowed from the columns, which outlive the entries.
    PyObject *target
    PyObject *text
    PyObject *rel
    PyObject *reason        # NULL of a link to follow
    int64_t times
    int64_t kind
    int32_t position
    int32_t before          # the entry before this one with the same target, or -1
    bint is_dropped


cdef struct Entries:
    Entry *of
    int32_t count
    int32_t refused


cdef uint64_t turn = 0
"""Counts the pages, so that a target knows whether its entry is one of this page."""


cdef class Sieve:
    """The columns of a page's references, and the reasons for which links are not followed."""

    cdef list targets, kinds, texts, rels, times, reasons
    cdef Py_ssize_t size
    cdef str excused
    cdef uint64_t by
    cdef dict counts
    cdef PyObject *last_reason
    cdef int64_t last_count

    def __cinit__(self, list targets, raw, list kinds, str excused, uint64_t by):
        self.targets, self.texts = targets, as_list(raw.texts)
        self.kinds = as_list(raw.kinds) if kinds is None else kinds
        self.rels, self.times = as_list(raw.rels), as_list(raw.times)
        self.reasons = as_list(raw.reasons)
        self.size, self.excused, self.by, self.counts = len(targets), excused, by, {}
        if (
            len(self.kinds) != self.size
            or len(self.texts) != self.size
            or len(self.rels) != self.size
            or len(self.times) != self.size
            or len(self.reasons) not in (0, self.size)
        ):
            raise ValueError("the columns of links differ in length")

    cdef PyObject *reason_of(self, Py_ssize_t i, Target target) except? NULL:
        """Return why a link is not followed, NULL if it is."""
        cdef str reason
        if len(self.reasons):
            reason = <str?> self.reasons[i]
            if len(reason):
                return <PyObject *> reason
        if not len(target.refusal):
            return NULL
        if is_among(self.by, self.kinds[i]) and target.refusal == self.excused:
            return NULL
        return <PyObject *> target.refusal

    cdef int count(self, PyObject *reason) except -1:
        """Count a link that is not followed; those in a row that have one reason are added together."""
        if reason != self.last_reason:
            self.add_count()
            self.last_reason = reason
        self.last_count += 1
        return 0

    cdef int add_count(self) except -1:
        if self.last_count:
            reason = <object> self.last_reason
            self.counts[reason] = self.counts.get(reason, 0) + self.last_count
            self.last_count = 0
        return 0

    cdef int enter(self, Entries *entries, Py_ssize_t i) except -1:
        """Make an entry of a reference, or merge it into the one that it repeats."""
        cdef Target target = <Target?> self.targets[i]
        cdef str text = <str?> self.texts[i], rel = <str?> self.rels[i]
        cdef int64_t kind = self.kinds[i], times = self.times[i]
        cdef PyObject *reason = self.reason_of(i, target)
        cdef int32_t place
        cdef Entry *entry
        if reason:
            self.count(reason)
        place = target.entry if target.turn == turn else -1
        while place >= 0:
            entry = &entries.of[place]
            if entry.kind == kind and (entry.reason != NULL) == (reason != NULL):
                entry.times += times
                if not len(<str> entry.text):
                    entry.text = <PyObject *> text
                if not len(<str> entry.rel):
                    entry.rel = <PyObject *> rel
                return 0
            place = entry.before
        entry = &entries.of[entries.count]
        entry.target, entry.text, entry.rel = <PyObject *> target, <PyObject *> text, <PyObject *> rel
        entry.reason, entry.times, entry.kind, entry.position = reason, times, kind, <int32_t> i
        entry.before = target.entry if target.turn == turn else -1
        entry.is_dropped = False
        target.turn, target.entry = turn, entries.count
        entries.count += 1
        entries.refused += reason != NULL
        return 0


cdef void drop_followed(Entries *entries) noexcept:
    """Add links that are followed elsewhere on the page to those, and drop them among the others."""
    cdef Entry *entry
    cdef Entry *other
    cdef int32_t i, place
    for i in range(entries.count):
        entry = &entries.of[i]
        place = (<Target> entry.target).entry if entry.reason else -1
        while place >= 0:
            other = &entries.of[place]
            if not other.reason and other.kind == entry.kind:
                other.times += entry.times
                entry.is_dropped = True
                entries.refused -= 1
                break
            place = other.before


cdef list columns_of(Entries *entries, bint is_refused):
    """Return the columns of the links to follow, or of the others with their reasons."""
    cdef list targets = [], kinds = [], texts = [], rels = [], times = [], positions = []
    cdef list reasons = []
    cdef Entry *entry
    cdef int32_t i
    for i in range(entries.count):
        entry = &entries.of[i]
        if entry.is_dropped or (entry.reason != NULL) != is_refused:
            continue
        targets.append(<object> entry.target)
        kinds.append(entry.kind)
        texts.append(<object> entry.text)
        rels.append(<object> entry.rel)
        times.append(entry.times)
        positions.append(entry.position)
        if is_refused:
            reasons.append(<object> entry.reason)
    if is_refused:
        return [targets, kinds, texts, rels, times, positions, reasons]
    return [targets, kinds, texts, rels, times, positions]


cdef tuple sift(
    list targets, object raw, list kinds, str excused, uint64_t by, object uncounted
):
    """Return what `sifted` says; the kinds are those of `raw` where none are given."""
    global turn
    cdef Sieve sieve = Sieve(targets, raw, kinds, excused, by)
    cdef Entries entries
    cdef Py_ssize_t i
    cdef list followed, others = []
    cdef bint is_as_it_stands
    turn += 1
    entries.count = entries.refused = 0
    entries.of = <Entry *> malloc((sieve.size + 1) * sizeof(Entry))
    if entries.of == NULL:
        raise MemoryError
    try:
        for i in range(sieve.size):
            sieve.enter(&entries, i)
        sieve.add_count()
        # Before some of the others are dropped: then the columns are not those of the references.
        is_as_it_stands = entries.count == sieve.size and not entries.refused
        if entries.refused and entries.refused < entries.count:
            drop_followed(&entries)
        if is_as_it_stands:
            followed = [targets, sieve.kinds, sieve.texts, sieve.rels, sieve.times]
        else:
            followed = columns_of(&entries, False)
        if entries.refused:
            others = columns_of(&entries, True)
    finally:
        free(entries.of)
    for reason in uncounted:
        sieve.counts.pop(reason, None)
    return followed, others, sieve.counts


def sifted(targets, raw not None, str excused not None, uint64_t by, uncounted=frozenset()):
    """Return the columns of the links to follow, those of the others, and their number by reason.

    `raw` has the columns of the references: kinds, texts, rels, times, and `reasons` for those that
    are not followed whatever they lead to (or none). Links of the kinds in `by` are followed also
    if they are refused for the reason `excused`. Each pair of target and kind is there once, where
    it first stands; a text and a relation are the first that it has anywhere. A pair that is
    followed in one place is not among the others. Reasons in `uncounted` have no number.

    The columns of the links to follow have no positions where each stands in its own place.
    """
    return sift(as_list(targets), raw, None, excused, by, uncounted)


def have_parameters(targets):
    """Tell whether a link leads to a URL that may be another view of a page: seldom one does."""
    cdef list all_targets = as_list(targets)
    cdef Py_ssize_t i
    for i in range(len(all_targets)):
        if (<Target?> all_targets[i]).has_parameters:
            return True
    return False
