# How long a host rests after an answer that says nothing of it.

@cython.final
@cython.auto_pickle(False)
cdef class UsualPauses:
    """The settings of a job about pauses."""

    cdef object politeness
    """The section of the job that this was read from; an order may put another in its place."""
    cdef double answer_time_factor, longest, delay, large_delay, clock_ahead
    cdef int64_t large_site_pages

    def __init__(self, politeness, double clock_ahead):
        self.politeness = politeness
        self.answer_time_factor = politeness.answer_time_factor
        self.longest, self.delay = politeness.longest_pause_seconds, politeness.delay_seconds
        self.large_delay = min(politeness.large_site_delay_seconds, politeness.delay_seconds)
        self.large_site_pages, self.clock_ahead = politeness.large_site_pages, clock_ahead

    cdef double after(self, object answer, View view, Way *way) except? -2.0:
        """Return the pause after an answer that says nothing of its host; below 0 after another.

        `pauses.due_pause` and `pauses.pause_after` are what it must be equal to.
        """
        cdef int64_t status = field(answer, STATUS), site
        cdef double pause, delay, took
        if (
            status == 429
            or status == 503
            or field(answer, FAILURE) is not None
            or small(view.site_strikes, way.site)
            or small(view.host_strikes, way.host)
            or self.clock_ahead
        ):
            return -1.0
        pause = self.delay
        if whole(view.kept, way.host) > self.large_site_pages:
            pause = self.large_delay
        site = whole(view.first_site, way.host)
        while site != NONE:
            delay = real(view.crawl_delay, site)
            pause = max(pause, delay)
            site = whole(view.following, site)
        took = <double> field(answer, ENDED) - <double> field(answer, BEGAN)
        pause = max(pause, self.answer_time_factor * took)
        return -1.0 if pause > self.longest or pause > LONGEST else pause
