"""The usual way of a page's answer, compiled: `stages` tells its order, and has what is rare.

A page that is found, of a type that the job keeps, is taken from its answer to its event in here.
Each stage tests whether the page is an ordinary one; if it is not, the method of
`stages.PageAnswers` decides that the plain stages have in that place. Records are read, and
`PageAnswer` is filled, by the places of their fields (`lycosa/_support/fields.pxd`); columns of a
partition are read in place (`lycosa/_support/cells.pxd`).

Always true (tests/unit/crawl/answers/test_page_stages.py, against the plain twin):
  * captures, events, pauses and what must be committed are those of the plain stages;
  * a feature is called where the plain stages would call it, but for the occasions that it leaves
    out (`lycosa.crawl.points.Asked`).
"""

cimport cython
from cpython cimport array as arrays
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem, PyDict_GetItemWithError
from cpython.object cimport PyObject

from lycosa._support.cells cimport half, int64_t, large, real, small, uint64_t, whole
from lycosa._support.fields cimport field, is_a, offset_of, put_field

from lycosa.crawl.links._routes import REQUISITES
from lycosa.crawl.answers.page_answer import NO_FACTS, PageAnswer
from lycosa.crawl.answers.reading import links_of_page, read_page
from lycosa.crawl.links.raw_links import NOFOLLOW, RawLinks
from lycosa.crawl.answers.shells import SHELL_TEXT_BYTES, note_shell, note_size
from lycosa.crawl.pauses.due import FORGETTABLE_SECONDS, LONGEST_SECONDS, resume_pause
from lycosa.extract.facts import Facts
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.extract.headers import HEADERS_WITH_LINKS
from lycosa.extract.html.values import OUTSIDE_HTML
from lycosa._support.failpoints import reach
from lycosa.frontier.facts.guesses import rule_name
from lycosa.model.links import unfollowed
from lycosa.model.records import STAY_AWAY, Answer, Capture, Fetched, Outcome, Purpose, Request
from lycosa.model.url import parse, url_of

cdef object KEPT = Outcome.KEPT, REDIRECTED = Outcome.REDIRECTED, PAGE = Purpose.PAGE
cdef object SITEMAP = Outcome.SITEMAP, WRONG_LANGUAGE = Outcome.WRONG_LANGUAGE
cdef object REFUSED_ADDRESS = Outcome.REFUSED_ADDRESS
cdef int KEPT_NUMBER = Outcome.KEPT
cdef frozenset AWAY = STAY_AWAY
cdef int64_t NONE = 0xFFFFFFFF
cdef double FORGETTABLE = FORGETTABLE_SECONDS, LONGEST = LONGEST_SECONDS

cdef enum:
    # Occasions (`points.Occasion`).
    IS_KEPT = 1
    IS_FIRST = 2
    IS_KNOWN = 4
    IS_STRUCTURED = 8
    # Facts of a type of content: the job keeps it; it is read as a page, unless it is a packed
    # file.
    WANTED = 1
    PLAIN = 2
    MOST_TYPES = 1024  # that are remembered: a server may make up any number
    LONGEST_TYPE = 200


cdef struct Way:
    # Facts of the page that the stages know beside its record.
    int64_t page
    int64_t site
    int64_t host
    int occasions


include "_page_fields.pxi"
include "_partition_view.pxi"
include "_occasions.pxi"
include "_usual_pauses.pxi"


cdef class PageStages:
    """Takes answers through the stages; `stages.PageAnswers` adds what few pages need."""

    cdef object _job, _ports, _budget, _store, _scan, _reader, _router
    cdef tuple _judged, _shown, _guess_recognised, _charged, _columned, _owed, _finished
    cdef tuple _taken, _guess_taken, _heard
    cdef list _recognised, _extracted, _learned, _watchers
    cdef dict _views, _types
    cdef list _by_kind
    cdef str _nofollow
    cdef object _is_wanted, _may_be_list, _rest_after
    cdef bint _has_sitemaps, _has_requisites, _records_outside, _tries_forms, _notes_shells
    cdef bint _obeys_noarchive
    cdef UsualPauses _pauses
    cdef int64_t _most_of_a_host
    cdef double _revisit_seconds

    def __init__(self, job, ports, points, router, way):
        """`way` has what `stages` has made for the job: readers, rules for types, other stages."""
        extract = job.extract
        self._job, self._ports = job, ports
        self._budget, self._store = ports.budget, ports.store
        self._router, self._scan, self._reader = router, way.scan, way.reader
        self._is_wanted, self._may_be_list = way.is_wanted, way.may_be_list
        self._rest_after, self._by_kind = way.rest_after, way.by_kind
        self._nofollow = NOFOLLOW if extract.obey_nofollow else ""
        self._has_sitemaps, self._has_requisites = job.robots.sitemaps, extract.requisites
        self._records_outside, self._tries_forms = extract.outside_html, job.forms.search
        self._obeys_noarchive, self._notes_shells = extract.obey_noarchive, way.notes_shells
        self._pauses = UsualPauses(ports.job.politeness, ports.clock_ahead)
        self._most_of_a_host, self._revisit_seconds = job.limits.host_pages, job.revisit.seconds
        self._judged, self._shown, self._charged = points.judged, points.shown, points.charged
        self._guess_recognised, self._columned = points.guess_recognised, points.columned
        self._owed, self._finished = points.owed, (*way.visited, *points.finished)
        self._taken, self._guess_taken, self._heard = points.taken, points.guess_taken, points.heard
        self._views, self._types, self._watchers = {}, {}, []
        self._recognised = calls_of(points.recognised_when, self._watchers)
        self._extracted = calls_of(points.extracted_when, self._watchers)
        self._learned = calls_of(points.learned_when, self._watchers)

    cdef View _view_of(self, object partition):
        """Return the columns of a partition."""
        cdef View view
        number = partition.number
        cdef PyObject *met = PyDict_GetItemWithError(self._views, number)
        if met is not NULL:
            view = <View> met
            if view.partition is partition:
                return view
        view = self._views[number] = View(partition, self._watchers)
        return view

    def forget(self, number):
        """Drop the columns of a partition that is ours no longer."""
        self._views.pop(number, None)

    # -- the way, from top to bottom --------------------------------------------------------------

    def decide(self, partition not None, page, request not None, answer not None, reserved):
        """Take an answer through all stages; returns whether it must be committed at once."""
        cdef View view = self._view_of(partition)
        cdef Way way
        if not is_a(answer, Answer) or not is_a(request, Request):
            raise TypeError(f"no request and answer: {type(request)}, {type(answer)}")
        way.page = page
        way.site = whole(view.site, way.page)
        way.host = whole(view.host_of, way.site)
        way.occasions = IS_KNOWN if whole(view.fetch, way.page) != NONE else 0
        answered = PageAnswer(
            partition, page, request, answer, reserved, view.table.key(page), way.site, way.host,
            Outcome.BAD_STATUS, NO_FACTS,
        )
        self._judge_page(answered)
        for method in self._judged:
            method(answered)
        self._read_page(answered)
        look(answered, &way)
        ask(self._recognised, answered, view, &way)
        if small(view.guess, way.page):
            for method in self._guess_recognised:
                method(answered)
        for method in self._shown:
            method(answered)
        self._charge_page(answered)
        look(answered, &way)
        ask(self._extracted, answered, view, &way)
        self._extract(answered)
        for method in self._columned:
            method(answered)
        self._keep(answered, view, &way)
        self._rest(answered, view, &way)
        self._finish(answered)
        for method in self._finished:
            method(answered)
        self._route(answered, view, &way)
        look(answered, &way)
        ask(self._learned, answered, view, &way)
        self._end(answered, view, &way)
        return field(answered, MUST_COMMIT)

    # -- what came --------------------------------------------------------------------------------

    cdef int _judge_page(self, object answered) except -1:
        answer = field(answered, ANSWER)
        cdef int64_t status
        if (
            field(answer, FAILURE) is None
            and field(answer, BEGINNING) is None
            and field(answer, FINDINGS) is None
        ):
            status = field(answer, STATUS)
            if 200 <= status < 300 and self._type(answer) & WANTED:
                put_field(answered, OUTCOME, KEPT)
                return 0
        self._judge(answered)
        return 0

    cdef int _type(self, object answer) except -1:
        """Return what the content type of an answer says, as bits; each type is looked at once."""
        cdef object told = header_of(answer, "content-type")
        cdef PyObject *met = PyDict_GetItem(self._types, told)
        cdef int bits = 0
        if met is not NULL:
            return <object> met
        if self._is_wanted(told):
            bits |= WANTED
        if not self._may_be_list(told):
            bits |= PLAIN
        if told is None or len(told) <= LONGEST_TYPE:
            if len(self._types) >= MOST_TYPES:
                self._types.clear()
            self._types[told] = bits
        return bits

    cdef int _read_page(self, object answered) except -1:
        cdef bytes text
        if field(answered, OUTCOME) is not KEPT:
            return 0
        answer = field(answered, ANSWER)
        findings = field(answer, FINDINGS)
        if self._reader is not None:
            self._reader(answered)
        elif findings is None and self._type(answer) & PLAIN and not (
            self._has_sitemaps and may_be_packed(field(answer, BODY))
        ):
            body, told = field(answer, BODY), header_of(answer, "content-type")
            put_field(answered, FACTS, self._scan(body, told))
        else:
            put_field(answered, FACTS, read_page(answer, self._job))
        text = <bytes?> field(facts_of(answered), CONTENT)
        if not text:
            return 0
        put_field(answered, TEXT, text)
        if findings is not None and self._reader is None:
            answered.fingerprint = findings.fingerprint
        else:
            put_field(answered, FINGERPRINT, fingerprint(text))
        return 0

    cdef int _charge_page(self, object answered) except -1:
        facts = facts_of(answered)  # plugins may have changed them
        if field(answered, OUTCOME) is not KEPT or self._charged or field(facts, IS_LIST):
            self._charge(answered)
            return 0
        size = PyBytes_GET_SIZE(<bytes?> field(field(answered, ANSWER), BODY))
        url = field(field(answered, REQUEST), URL)
        if not self._budget.keep(field(answered, RESERVED), size, url):
            self._does_not_fit(answered)
        return 0

    cdef int _extract(self, object answered) except -1:
        outcome = field(answered, OUTCOME)
        if outcome is REDIRECTED:
            self._extract_redirect(answered)
        if outcome is not KEPT:
            return 0
        facts, found = facts_of(answered), field(answered, RAW_LINKS)
        if found is None:
            found = self._links_of(field(answered, ANSWER), facts)
        url, base = field(field(answered, REQUEST), URL), field(facts, BASE)
        if base:
            url = parse(base, url) or url
        links, refused, ahead = self._router.resolve(
            field(answered, PARTITION), field(answered, PAGE_NUMBER), found, url, REQUISITES,
            not field(answered, IS_FOREIGN),
        )
        put_field(answered, LINKS, links)
        put_field(answered, REFUSED, refused)
        if ahead is not None:
            put_field(answered, AHEAD, ahead)
        return 0

    cdef object _links_of(self, object answer, object facts):
        """Return the links of a page, with the reasons for those that are not followed."""
        by_name, rels = field(answer, BY_NAME), field(facts, RELS)
        if (
            by_name is None
            or self._tries_forms
            or not HEADERS_WITH_LINKS.isdisjoint(by_name)
            or "x-robots-tag" in <dict> by_name
            or field(facts, IS_NOFOLLOW)
            or not self._records_outside and is_outside(rels)
        ):
            return links_of_page(answer, facts, self._job)
        kinds = field(facts, KINDS)
        reasons = unfollowed(kinds, rels, self._by_kind, self._nofollow)
        return RawLinks(
            field(facts, HREFS), kinds, field(facts, TEXTS), rels, field(facts, TIMES), reasons
        )

    cdef int _keep(self, object answered, View view, Way *way) except -1:
        """Hand everything to the archive."""
        answer, facts, outcome = field(answered, ANSWER), facts_of(answered), field(answered, OUTCOME)
        findings = field(answer, FINDINGS)
        cdef bint is_kept = outcome is KEPT, is_foreign = field(answered, IS_FOREIGN)
        cdef bint was_kept = small(view.outcome, way.page) == KEPT_NUMBER
        cdef int64_t source = source_of(view, way.page), source_page = 0
        cdef int guess = small(view.guess, way.page)
        source_id, is_noindex, is_noarchive = 0, False, False
        put_field(answered, IS_FIRST_TIME, is_kept and not was_kept)
        if source >= 0:
            source_id = large(view.source_id, source)
            source_page = whole(view.source_page, source)
        if is_kept:
            if header_of(answer, "x-robots-tag") is None:
                is_noindex, is_noarchive = field(facts, IS_NOINDEX), field(facts, IS_NOARCHIVE)
            else:
                is_noindex, is_noarchive = self._showing_wishes(answered)
        place = self._store.append(
            Capture(
                field(answered, KEY), PAGE, recorded(answered), half(view.distance, way.page),
                field(answered, REQUEST), answer, field(answered, LINKS),
                field(facts, TITLE), field(facts, DESCRIPTION),
                b"" if is_foreign else field(facts, CONTENT),
                field(facts, LANGUAGE), field(facts, CHARSET), field(answered, FINGERPRINT),
                rule_name(guess) if guess else "",
                field(answered, EXTRA), field(answered, TRIPLES),
                view.state.place_of(way.page) if is_kept and was_kept else None,
                field(answered, REFUSED),
                is_noindex, is_noarchive, is_noarchive and self._obeys_noarchive,
                source_id, small(view.hops, way.page) > 0, b"",
                url_of(view.table.key(source_page - 1)) if source_page else "",
                findings.unread if findings is not None else "", field(answered, ITEMS),
            )
        )
        put_field(answered, PLACE, place)
        return 0

    # -- the decision -----------------------------------------------------------------------------

    cdef int _rest(self, object answered, View view, Way *way) except -1:
        """Let the host rest, and find out whether a kill must not make us forget that."""
        reach("answer.stored")
        outcome, partition = field(answered, OUTCOME), field(answered, PARTITION)
        cdef double pause = -1.0
        politeness = self._ports.job.politeness
        if politeness is not self._pauses.politeness:  # an order has changed a pause
            self._pauses = UsualPauses(politeness, self._pauses.clock_ahead)
        if outcome is not REFUSED_ADDRESS and outcome not in AWAY:
            pause = self._pauses.after(field(answered, ANSWER), view, way)
        if pause < 0:
            pause = self._rest_after(
                partition, way.host, field(answered, ANSWER), outcome, way.site
            )
        for owe in self._owed:
            pause = owe(partition, way.host, outcome, pause)
        put_field(answered, PAUSE, pause)
        put_field(answered, MUST_COMMIT, outcome in AWAY or (
            pause > FORGETTABLE
            and pause > resume_pause(self._job, view.state, way.host) + FORGETTABLE
        ))
        return 0

    cdef int _finish(self, object answered) except -1:
        answer, outcome = field(answered, ANSWER), field(answered, OUTCOME)
        cdef double ended = field(answer, ENDED)
        cdef double pause = field(answered, PAUSE)
        status = field(answer, STATUS)
        # Most pages that are found are never due again.
        due = 0.0 if outcome is KEPT and not self._revisit_seconds else self._due(answered)
        field(answered, PARTITION).finish(
            Fetched(
                ended, field(answered, PAGE_NUMBER), recorded(answered), status,
                PyBytes_GET_SIZE(<bytes?> field(answer, BODY)), due, ended + pause,
                field(answered, PLACE) if status else None,
            )
        )
        return 0

    # -- what follows from it ---------------------------------------------------------------------

    cdef int _route(self, object answered, View view, Way *way) except -1:
        """Send the links on, unless a feature takes them."""
        put_field(answered, KNOWN_URLS, len(view.table))
        if small(view.guess, way.page):
            for take in self._guess_taken:
                if take(answered):
                    return 0
        for take in self._taken:
            if take(answered):
                return 0
        for hear in self._heard:
            hear(answered)
        self._router.route(
            field(answered, PARTITION), field(field(answered, ANSWER), ENDED),
            field(answered, PAGE_NUMBER), field(answered, KEY), field(answered, LINKS),
            ahead=field(answered, AHEAD),
        )
        return 0

    cdef int _end(self, object answered, View view, Way *way) except -1:
        """Note a page that seems empty, and close a host that has given enough."""
        if (
            self._notes_shells
            and field(answered, IS_FIRST_TIME)
            and len(field(answered, TEXT)) < SHELL_TEXT_BYTES
        ):
            note_shell(answered)
        if field(answered, OUTCOME) is KEPT and (
            field(field(answered, ANSWER), TRUNCATED)
            or way.occasions & IS_KNOWN and view.state.limits.truncated
        ):
            note_size(answered)
        if (
            self._most_of_a_host
            and whole(view.kept, way.host) >= self._most_of_a_host
            and not small(view.closed, way.host)
        ):
            self._close_host(answered)
        return 0
