"""The usual way of a page's links, compiled: resolved, compared with what is known, admitted.

The class `Router` has the rest: what is too deep, leads to another view of a kept page or to another
partition, and what comes nearer.

Always true (tests/unit/crawl/answers/test_page_stages.py, against the plain functions): links, reasons,
counts and what is admitted or posted are those of the plain functions.
"""

from lycosa._support.cells cimport half, int64_t, small
from lycosa._support.fields cimport field, is_a, offset_of

from cpython cimport array as arrays

from functools import partial

from lycosa.crawl.links.raw_links import BY_KIND
from lycosa.frontier.distance import MOST_REDIRECTS, STEP, TOO_MANY_REDIRECTS
from lycosa.model.links import NO_LINKS, Links, have_parameters, mask_of, note_pages
from lycosa.model.records import REQUISITE_KINDS, Discovered, LinkKind
from lycosa.model.url.scope import OUT_OF_SCOPE

TOO_DEEP = "too-deep"

REQUISITES = mask_of(REQUISITE_KINDS)
"""The kinds that lead out of the scope, too."""

cdef Py_ssize_t TARGETS = offset_of(Links, "targets"), KINDS = offset_of(Links, "kinds")
cdef int64_t A_STEP = STEP, MOST_HOPS = MOST_REDIRECTS
cdef int64_t REDIRECT = LinkKind.REDIRECT
cdef object ALL_REQUISITES = REQUISITES


cdef class Routes:
    """Decides where the links of a page go."""

    cdef object _rules, _found, _wanted_ways, _known_copies, _owner_of
    cdef bint _hosts_are_split, _keeps_others, _knows_lists
    cdef readonly int64_t _deep_from
    cdef public object companion
    """Sends a word along with links, if a feature does."""
    cdef public object _scope_size
    """How many hosts were in the scope when what is remembered was judged."""

    def __init__(self, ports, targets, ways, copies, last_distance):
        """`last_distance` is that from which on some of a page's links are too deep."""
        self._rules, self._found, self._wanted_ways = ports.scope, targets, ways
        self._known_copies, self._owner_of = copies, ports.partitioner.partition_of
        self._hosts_are_split = ports.partitioner.splits_hosts
        self._keeps_others, self._deep_from = ports.job.extract.links == "all", last_distance
        self._knows_lists = ports.job.extract.pagination > 0
        self._scope_size = ports.scope.size
        self.companion = None

    def resolve(
        self, partition, page, raw, base, also_out_of_scope=ALL_REQUISITES, is_kept=False
    ):
        """Return the links of a page to follow, and the others with their reasons, each once.

        `also_out_of_scope` are the kinds (`mask_of`) that lead out of it, too. Links to follow may
        be too deep, and say so: they are followed when the page comes nearer. Of a page that
        `is_kept`, links to another view of a kept page say that; the third result, if there is one,
        is then for `route`.
        """
        ahead = None
        if self._rules.size != self._scope_size:
            self._learn_scope()
        links, others, refused = self._found.links(
            raw, base, OUT_OF_SCOPE, also_out_of_scope, BY_KIND,
            partition.state.table if self._knows_lists else None, page,
        )
        for reason, count in (<dict?> refused).items():
            partition.count_refusal(reason, count)
        cdef int64_t distance = half(<arrays.array?> partition.state.pages.distance, page)
        if distance >= self._deep_from:
            links = self._name_deep(partition, links, distance)
        if is_kept and self._known_copies is not None and have_parameters(links.targets):
            links, ahead = self._name_copies(partition, page, links)
        return links, others if self._keeps_others else NO_LINKS, ahead

    def route(self, partition, moment, page, key, links, *, ahead=None):
        """Send the links of a page on their way, and of every page that comes nearer by it.

        `ahead` is what `resolve` has found of them.
        """
        if self._known_copies is not None and may_have_views(key):
            self._known_copies.learn(partition.state, page, key)
        if not is_a(links, Links):
            raise TypeError(f"links are expected, not {type(links).__name__}")
        targets, kinds = field(links, TARGETS), field(links, KINDS)
        if partition.link_counts.is_on:
            self._count(partition, targets)
        nearer = self._route_links(partition, moment, page, targets, kinds, ahead)
        if self.companion is not None:
            self.companion.end()
        if page in partition.state.links_owed:
            self._paid(partition, moment, page)
        if nearer:
            self._pass_on(partition, moment, nearer)

    def _route_one(self, partition, moment, page, targets, kinds):
        """Route one page's links; returns the pages of this partition that came nearer."""
        return self._route_links(partition, moment, page, targets, kinds, None)

    cdef list _route_links(self, partition, moment, page, targets, kinds, ahead):
        state, number = partition.state, partition.number
        pages = state.pages
        cdef int64_t hops = 0, distance = half(<arrays.array?> pages.distance, page)
        if kinds and kinds[0] == REDIRECT:  # then it is the only link
            hops = small(<arrays.array?> pages.hops, page) + 1
            if hops > MOST_HOPS:
                partition.count_refusal(TOO_MANY_REDIRECTS)
                return []
        reach = real_of(distance), distance + 1, hops
        led = None
        if ahead is not None:
            places, led = ahead.places, ahead.led
        else:
            known = number, pages.distance, pages.hops, state.requisites
            places = self._wanted_ways.unsettled(targets, kinds, known, reach)
        if not places:
            return []  # most links lead to what is known, and from no nearer
        own_site = "/"
        if not self._hosts_are_split:
            own_site = state.site_names[pages.site[page]] + "/"
        lead = None
        if self._known_copies is not None and not hops:
            lead = partial(self._original, partition, led)
        parts, too_deep = self._wanted_ways.parted(
            targets, kinds, places, reach, number, own_site, lead
        )
        if too_deep:
            partition.count_refusal(TOO_DEEP, too_deep)
        own = parts.pop(number, None)
        source = state.table.key(page)
        for abroad, (_, keys, distances, requisites) in (<dict?> parts).items():
            message = Discovered(moment, source, keys, distances, requisites, hops)
            self._post(partition, abroad, message)
        if own is None:
            return []
        found, keys, distances, requisites = own
        nearer = partition.admit(moment, source, keys, distances, requisites, hops)
        note_pages(found, state.table.find_many(keys), pages.guess)
        return nearer


cdef inline int64_t real_of(int64_t distance) noexcept:
    """Return how far away a link brings what it leads to that costs depth (`distance.through`)."""
    return distance - distance % A_STEP + A_STEP


cdef inline bint may_have_views(str key) except -1:
    """Tell whether a key may be one of several views of a page (`known_copies`)."""
    cdef Py_UCS4 character
    for character in key:
        if character == u"?" or character == u";" or character == u"%":
            return True
    return False
