# Facts that the stages of a page look up in the columns of its partition.

@cython.final
@cython.auto_pickle(False)
cdef class View:
    """The columns of one partition, as long as it is ours."""

    cdef object partition, state, table
    cdef arrays.array site, fetch, outcome, guess, hops, distance
    cdef arrays.array host_of, crawl_delay, following, site_strikes
    cdef arrays.array kept, host_strikes, closed, first_site
    cdef arrays.array source_first, source_id, source_page
    cdef list watched
    """By feature that keeps one, a column of sites."""

    def __init__(self, partition, list watchers not None):
        state = partition.state
        pages, sites, hosts, sources = state.pages, state.sites, state.hosts, state.sources
        self.partition, self.state, self.table = partition, state, state.table
        self.site, self.fetch, self.outcome = pages.site, pages.fetch, pages.outcome
        self.guess, self.hops, self.distance = pages.guess, pages.hops, pages.distance
        self.host_of, self.crawl_delay = sites.host, sites.crawl_delay
        self.following, self.site_strikes = sites.following, sites.strikes
        self.kept, self.host_strikes = hosts.kept, hosts.strikes
        self.closed, self.first_site = hosts.closed, hosts.first_site
        self.source_first, self.source_id = sources.first, sources.source
        self.source_page = sources.page
        self.watched = [watch(partition) for watch in watchers]


cdef int64_t source_of(View view, int64_t page) except -2:
    """Return the entry of the page that led to a URL (`Sources.of`), or -1."""
    cdef int64_t low = 0, high = len(view.source_first), middle
    while low < high:
        middle = (low + high) // 2
        if page < whole(view.source_first, middle):
            high = middle
        else:
            low = middle + 1
    return low - 1
