# Which links of a page tell the frontier something new, and where each of them goes.

@cython.final
@cython.auto_pickle(False)
cdef class Ways:
    """The ways that links take in one job: which kinds cost no depth, and where depth ends."""

    cdef uint64_t free_kinds, free_to_static, free_to_dynamic, requisite_kinds
    cdef int64_t farthest_static, farthest_dynamic
    cdef object partition_of

    def __init__(self, free_kinds not None, uint64_t requisite_kinds, farthest, partition_of not None):
        # A kind may cost depth on the way to URLs of one class alone.
        self.free_to_static, self.free_to_dynamic = free_kinds
        self.free_kinds, self.requisite_kinds = self.free_to_static | self.free_to_dynamic, requisite_kinds
        self.farthest_static, self.farthest_dynamic = farthest
        self.partition_of = partition_of

    def unsettled(self, targets, kinds, known_pages not None, reach not None):
        """Return the positions of the links that tell the frontier something new.

        The others lead to a page of this partition (`Known`) that is known to be at most as far away
        as the link brings it (`Reach`), and by as few redirects. Where the link is to a requisite,
        its page must also be known as one.
        """
        cdef int64_t partition, real, free, redirects
        cdef set requisites
        partition, distances, hops, requisites = known_pages
        real, free, redirects = reach
        cdef list all_targets = as_list(targets), all_kinds = as_list(kinds), places = []
        cdef Target target
        cdef int64_t kind
        cdef Py_ssize_t i, size = len(all_targets), known
        cdef Py_buffer buffer, hops_buffer
        cdef const uint16_t *far
        cdef const unsigned char *by_redirects
        if len(all_kinds) != size:
            raise ValueError("the columns of links differ in length")
        PyObject_GetBuffer(distances, &buffer, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(hops, &hops_buffer, PyBUF_SIMPLE)
        except BaseException:
            PyBuffer_Release(&buffer)
            raise
        try:
            far = <const uint16_t *> buffer.buf
            by_redirects = <const unsigned char *> hops_buffer.buf
            known = min(buffer.len // <Py_ssize_t> sizeof(uint16_t), hops_buffer.len)
            for i in range(size):
                target = <Target?> all_targets[i]
                kind = all_kinds[i]
                if (
                    0 <= target.page < known
                    and target.partition == partition
                    and far[target.page] <= (free if is_among(self.free_kinds, kind) else real)
                    and by_redirects[target.page] <= redirects
                    and (
                        not is_among(self.requisite_kinds, kind) or target.page in requisites
                    )
                ):
                    continue
                places.append(i)
        finally:
            PyBuffer_Release(&hops_buffer)
            PyBuffer_Release(&buffer)
        return places

    def parted(self, targets, kinds, places, reach not None, int64_t number, str own_site not None, lead):
        """Return links by the partition that has what they lead to, and how many are too deep.

        Of each partition there are the targets, their keys, how far away the links bring them, and
        the keys of those that are requisites. `places` are those of the links in question; what
        begins with `own_site` is of the partition `number`. `lead` is asked which target takes the
        place of one that may be another view of a page; None where none does.
        """
        cdef list all_targets = as_list(targets), all_kinds = as_list(kinds)
        cdef dict parts = {}
        cdef int64_t real, free, reached, kind, too_deep = 0
        cdef bint is_deep
        cdef Py_ssize_t place, size = min(len(all_targets), len(all_kinds))
        cdef Target target
        cdef tuple part
        real, free, _ = reach
        for place in as_list(places):
            if not 0 <= place < size:
                raise IndexError(place)
            target, kind = <Target?> all_targets[place], all_kinds[place]
            if target.has_parameters and lead is not None:
                target = <Target?> lead(target)
            if "?" in target.key:
                reached = free if is_among(self.free_to_dynamic, kind) else real
                is_deep = reached > self.farthest_dynamic
            else:
                reached = free if is_among(self.free_to_static, kind) else real
                is_deep = reached > self.farthest_static
            if is_deep:
                too_deep += 1
                continue
            if target.partition < 0:
                is_near = target.key.startswith(own_site)  # a site is all in one partition
                target.partition = number if is_near else self.partition_of(target.key)
            found = parts.get(target.partition)
            if found is None:
                found = parts[target.partition] = ([], [], [], [])
            part = <tuple> found
            (<list> part[0]).append(target)
            (<list> part[1]).append(target.key)
            (<list> part[2]).append(reached)
            if is_among(self.requisite_kinds, kind):
                (<list> part[3]).append(target.key)
        return parts, too_deep


def note_pages(list targets not None, list pages not None, guesses not None):
    """Note on targets which page each is: none where it is not known (-1), or is a guess.

    A guess that links to itself stays one: the next link to it must be looked at again.
    """
    cdef Py_ssize_t i
    cdef Target target
    cdef int64_t page
    if len(pages) != len(targets):
        raise ValueError("the columns of links differ in length")
    for i in range(len(targets)):
        target, page = <Target?> targets[i], pages[i]
        target.page = -1 if page < 0 or guesses[page] else page
