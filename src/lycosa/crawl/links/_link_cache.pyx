"""Caches what references resolve to, because the pages of a site repeat their links; compiled.

A reference is resolved against the URL of its page, made canonical, judged by the job's
rules and hashed. All that depends on the *folder* of the page and on the reference alone,
and the pages of a folder link to much the same places, as pages of a site have much the same
menus. So the result is remembered by folder and reference. Each key has one `Target`, on which
other modules note what they find out about it.

A reference that needs more of the page than its folder (`#part`, `?page=2`, or an empty one) is
resolved for its page alone. A reference with a scheme and a host needs nothing of the page: its
target is remembered once for all folders.

Where the rules look at nothing but the site (as those of a crawl that stays on the hosts of its
seeds), a site is judged once, by the first of its keys. Where the first rule accepts what begins in
some way, such keys are not judged one by one.

Always true (tests/unit/crawl/links/test_link_cache.py, against the plain twin beside it):
  * `targets(hrefs, base)` is what resolving and judging each of them by itself would give;
  * within one page two references lead to the same `Target` if their keys are the same.

Memory: at most `most` references (`[caches] references`), some 500 bytes each; when they are more,
everything is forgotten, and what is still in use is back after a page or two.
"""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8String, PyUnicode_FindChar
from libc.stdint cimport uint64_t

from lycosa.model.links._columns cimport Target, sift, target_of
from lycosa.model.links._pagination cimport kinds_with_pagination
from lycosa.model.url._ada cimport Page, url_of_key

from xxhash import xxh3_64_intdigest

from lycosa.model.links import NO_LINKS, Links
from lycosa.model.url import refusal

MOST_REFERENCES = 20_000

LONGEST_REFUSED = 200
"""Characters that are recorded of a reference that is not a URL of the web."""

cdef str NO_SITE = "/"      # no key begins with a slash


@cython.final
@cython.auto_pickle(False)
cdef class Targets:
    """Remembers the targets of the references of recent pages; one for each worker."""

    cdef object scope, judge
    cdef Py_ssize_t most, count
    cdef dict by_folder     # folder → reference → target
    cdef dict absolute      # reference → target
    cdef dict judged        # key → target
    cdef dict by_key        # key that was accepted → target
    cdef dict by_site       # site with its slash → why its URLs are refused, "" if they are not
    cdef bint is_by_site
    cdef tuple accepted     # beginnings of keys that need no verdict
    cdef str last_site, last_reason

    def __init__(self, scope not None, Py_ssize_t most=MOST_REFERENCES):
        self.scope, self.judge, self.most = scope, scope.judge, most
        self.forget()

    def targets(self, hrefs, str base not None):
        """Return where references of a page lead whose base is this URL."""
        return self.found(list(hrefs), base)

    def links(
        self, raw not None, str base not None, str excused not None, by, uncounted, table=None, page=0
    ):
        """Return the links of a page to follow, the others, and the number of those by reason.

        `lycosa.model.links.sifted` describes what is made of the references, and the parameters.
        Links to other pages of the page's own list get their kind where the table is given that
        has the page's own key.
        """
        cdef list targets = self.found(raw.hrefs, base), kinds = None, followed, others
        if table is not None:
            kinds = kinds_with_pagination(targets, raw, table, page)
        followed, others, counts = sift(targets, raw, kinds, excused, by, uncounted)
        return Links(*followed), Links(*others) if others else NO_LINKS, counts

    def of_key(self, str key not None):
        """Return the target that a key stands for, without asking the rules."""
        return self.by_key.get(key) or target_of(key, url_of_key(key), id_of(key), "")

    def forget(self):
        """Forget everything: the rules have changed, or page numbers may have."""
        self.by_folder, self.absolute, self.judged, self.by_key = {}, {}, {}, {}
        self.by_site, self.last_site, self.last_reason = {}, NO_SITE, ""
        self.is_by_site = self.scope.judges_by_site
        self.accepted = self.scope.accepted_beginnings
        self.count = 0

    @property
    def folders(self):
        """How many folders have references that are remembered."""
        return len(self.by_folder)

    cdef list found(self, hrefs, str base):
        """Return where references lead; those that are not remembered are resolved."""
        cdef list all_hrefs = hrefs if type(hrefs) is list else list(hrefs)
        cdef Py_ssize_t i, size = len(all_hrefs), missing = 0
        cdef list targets = [None] * size
        cdef str folder = folder_of(base), href
        cdef PyObject *met = PyDict_GetItemWithError(self.by_folder, folder)
        cdef dict known = <dict> met if met is not NULL else {}
        for i in range(size):
            href = <str?> all_hrefs[i]
            met = PyDict_GetItemWithError(known, href)
            if met is NULL and is_absolute(href):
                met = PyDict_GetItemWithError(self.absolute, href)
            if met is not NULL:
                targets[i] = <object> met
            else:
                missing += 1
        if missing:
            self.resolve(all_hrefs, base, targets, known)
            self.count += missing
            if known:
                self.by_folder[folder] = known
            if self.count > self.most:
                self.forget()
        return targets

    cdef int resolve(self, list hrefs, str base, list targets, dict known) except -1:
        """Resolve the references that have no target yet."""
        cdef Page page = Page(base)
        cdef Py_ssize_t i
        for i in range(len(targets)):
            if targets[i] is None:
                targets[i] = self.resolved(<str> hrefs[i], page, known)
        return 0

    cdef Target resolved(self, str href, Page page, dict known):
        """Return where a reference leads, and remember it where it leads there from other pages, too."""
        cdef str key = page.key(href)
        cdef PyObject *met
        cdef Target target
        if key is None:
            target = refused(href, page.base)
        else:
            met = PyDict_GetItemWithError(self.judged, key)
            target = <Target> met if met is not NULL else self.judged_now(key)
        if is_absolute(href):
            self.absolute[href] = target
        elif needs_folder_alone(href):
            known[href] = target
        return target

    cdef Target judged_now(self, str key):
        """Return the target of a key that has not been judged."""
        cdef str wanted = key, reason
        cdef Target target
        cdef PyObject *met
        if self.is_by_site:
            reason = self.reason_of_site(key)
            if len(reason):
                wanted = None
        elif not self.accepted or not key.startswith(self.accepted):
            verdict = self.judge(key)
            wanted, reason = verdict.key, verdict.reason
        if wanted is None:
            target = target_of(key, url_of_key(key), id_of(key), reason)
        else:
            # A key has one target: a rule may turn several URLs into one.
            met = PyDict_GetItemWithError(self.by_key, wanted)
            if met is not NULL:
                target = <Target> met
            else:
                target = target_of(wanted, url_of_key(wanted), id_of(wanted), "")
                self.by_key[wanted] = target
        self.judged[key] = target
        return target

    cdef str reason_of_site(self, str key):
        """Return why the URLs of a key's site are refused, "" if they are not."""
        if key.startswith(self.last_site):  # most links lead to the site of the one before
            return self.last_reason
        cdef str site = key[: key.index("/") + 1]
        known = self.by_site.get(site)
        if known is None:
            verdict = self.judge(key)
            known = verdict.reason if verdict.key is None else ""
            self.by_site[site] = known
        self.last_site, self.last_reason = site, known
        return known


cdef inline uint64_t id_of(str key) except? 0:
    """Return the id of a URL, as `lycosa.storage.tables.rows.url_id` does."""
    return xxh3_64_intdigest(PyUnicode_AsUTF8String(key))


cdef Target refused(str href, str base):
    """Return the target of a reference that is not a URL of the web."""
    cdef str said = href[:LONGEST_REFUSED]  # of `data:` URLs, too, which may be long
    return target_of("", said, id_of(said), refusal(href, base) or "invalid")


cdef inline bint is_absolute(str href) except -1:
    """Tell whether a reference needs nothing of the page."""
    return (
        len(href) > 6
        and href[0] == u"h"
        and (href.startswith("https://") or href.startswith("http://"))
    )


cdef inline bint needs_folder_alone(str href) except -1:
    """Tell whether a reference begins with what needs nothing of the page but its folder."""
    cdef Py_UCS4 first
    if not len(href):
        return False
    first = href[0]
    return (
        u"a" <= first <= u"z"
        or u"A" <= first <= u"Z"
        or u"-" <= first <= u"9"  # `-`, `.`, `/` and digits
        or first == u"_"
        or first == u"~"
        or first == u"%"
    )


cpdef str folder_of(str url):
    """Return a URL up to the last slash of its path."""
    cdef Py_ssize_t query = PyUnicode_FindChar(url, u"?", 0, len(url), 1)
    cdef Py_ssize_t end = len(url) if query < 0 else query
    cdef Py_ssize_t fragment = PyUnicode_FindChar(url, u"#", 0, end, 1)
    if fragment >= 0:
        end = fragment
    return url[: max(PyUnicode_FindChar(url, u"/", 0, end, -1), 0)]
