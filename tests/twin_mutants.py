"""Mutants of compiled parts that have a plain twin: edits that the tests against it have to catch.

Each is a slip of one line on the way of a page, from the request to the fold.
"""

from __future__ import annotations

from typing import NamedTuple

from broken_builds import Edit

ANSWERS = "lycosa.crawl.answers"
LINKS = "lycosa.crawl.links"
STAGES_TEST = "crawl/answers/test_page_stages.py"


class TwinMutant(NamedTuple):
    """An edit, and the file of tests that has to notice, within `tests/unit`."""

    edit: Edit
    tests: str


def _routes(name: str, old: str, new: str) -> TwinMutant:
    return TwinMutant(Edit(name, f"{LINKS}._routes", old, new), STAGES_TEST)


def _stages(name: str, old: str, new: str) -> TwinMutant:
    return TwinMutant(Edit(name, f"{ANSWERS}._page_stages", old, new), STAGES_TEST)


def _pagination(name: str, old: str, new: str, part: str = "") -> TwinMutant:
    edit = Edit(name, "lycosa.model.links._pagination", old, new, part)
    return TwinMutant(edit, "model/links/test_pagination.py")


TWIN_MUTANTS = [
    # The request.
    TwinMutant(
        Edit(
            "robots-rules-of-another-site",
            "lycosa.crawl.worker._sending",
            "        cached = (partition._number, site)\n",
            "        cached = partition._number\n",
        ),
        "crawl/worker/test_sending.py",
    ),
    TwinMutant(
        Edit(
            "the-newest-partition-is-always-in-turn",
            "lycosa.crawl.worker._pump",
            "            number = next(iter(turns))\n",
            "            number = next(reversed(turns))\n",
        ),
        "crawl/worker/test_sending.py",
    ),
    # The answer on the wire.
    TwinMutant(
        Edit(
            "chunks-end-without-a-line",
            "lycosa.fetch.coding._chunks",
            '    elif p[0] != c"\\r":\n        return BAD\n',
            "",
        ),
        "fetch/http/test_framing.py",
    ),
    TwinMutant(
        Edit(
            "rubbish-behind-gzip-is-overlooked",
            "lycosa.fetch.http._exchange",
            "return content if engine.eof and not engine.unused_data else None",
            "return content if engine.eof else None",
        ),
        "fetch/http/test_usual_content.py",
    ),
    # The stages.
    _stages(
        "pages-are-not-charged",
        "        if not self._budget.keep(field(answered, RESERVED), size, url):\n",
        "        if size < 0:\n",
    ),
    _stages(
        "pages-kept-again-are-first",
        "put_field(answered, IS_FIRST_TIME, is_kept and not was_kept)",
        "put_field(answered, IS_FIRST_TIME, is_kept)",
    ),
    _stages(
        "hosts-that-stay-away-are-not-committed",
        "put_field(answered, MUST_COMMIT, outcome in AWAY or (",
        "put_field(answered, MUST_COMMIT, (",
    ),
    _stages(
        "a-host-gives-one-page-more",
        "whole(view.kept, way.host) >= self._most_of_a_host",
        "whole(view.kept, way.host) > self._most_of_a_host",
    ),
    _stages(
        "noarchive-by-header-alone",
        "is_noindex, is_noarchive = field(facts, IS_NOINDEX), field(facts, IS_NOARCHIVE)",
        "is_noindex, is_noarchive = field(facts, IS_NOINDEX), False",
    ),
    # The links.
    _routes(
        "one-redirect-too-many",
        "            if hops > MOST_HOPS:\n",
        "            if hops > MOST_HOPS + 1:\n",
    ),
    _routes(
        "one-redirect-too-few",
        "            if hops > MOST_HOPS:\n",
        "            if hops >= MOST_HOPS:\n",
    ),
    _routes(
        "links-too-deep-count-as-one",
        "partition.count_refusal(TOO_DEEP, too_deep)",
        "partition.count_refusal(TOO_DEEP)",
    ),
    _routes(
        "links-at-the-edge-are-not-named",
        "if distance >= self._deep_from:",
        "if distance > self._deep_from:",
    ),
    _routes(
        "refused-links-are-not-counted",
        "            partition.count_refusal(reason, count)\n",
        "            partition.count_refusal(reason, 1)\n",
    ),
    TwinMutant(
        Edit(
            "deep-links-are-counted-twice",
            "lycosa.model.links._columns",
            "                too_deep += 1\n",
            "                too_deep += 2\n",
            part="_ways.pxi",
        ),
        "model/links/test_twin.py",
    ),
    TwinMutant(
        Edit(
            "a-query-belongs-to-the-folder",
            f"{LINKS}._link_cache",
            '        or first == u"%"\n',
            '        or first == u"%" or first == u"?"\n',
        ),
        "crawl/links/test_link_cache.py",
    ),
    # Links to other pages of a list.
    _pagination(
        "days-of-a-calendar-are-pages",
        "if said < 1 or word == OF_A_TIME or is_beside_year(key, site, number):",
        "if said < 1 or word == OF_A_TIME:",
    ),
    _pagination(
        "the-last-page-of-a-list-is-next",
        "return value <= 2 if own < 0 else -1 <= value - own <= 1",
        "return value <= 2 if own < 0 else -1 <= value - own",
    ),
    _pagination(
        "pages-of-other-sites-are-of-the-list",
        "if key.size < site or memcmp(own.text, key.text, site) or target.key == own_key:",
        "if key.size < site or target.key == own_key:",
    ),
    _pagination(
        "a-target-stays-in-the-list-of-another-page",
        "(kind == ANCHOR or kind == ALTERNATE) and (<Target> targets[i]).listed == turn:",
        "(kind == ANCHOR or kind == ALTERNATE) and (<Target> targets[i]).listed:",
    ),
    _pagination(
        "the-last-word-of-a-letter-is-not-known",
        "for i in range(first_known[letter], first_known[letter + 1]):",
        "for i in range(first_known[letter], first_known[letter + 1] - 1):",
        part="_list_words.pxi",
    ),
    _pagination(
        "an-offset-in-a-path-is-a-place",
        "return OTHER if known.kind == OF_A_PLACE and not is_query else known.kind",
        "return known.kind",
        part="_list_words.pxi",
    ),
    _pagination(
        "digits-in-common-are-cut-off",
        "        start -= 1\n    while end < key.size",
        "        break\n    while end < key.size",
        part="_list_numbers.pxi",
    ),
    # The archive and its index.
    TwinMutant(
        Edit(
            "copies-elsewhere-are-unchanged",
            "lycosa.storage.archive._appending",
            "return 0, earlier, earlier.url == field(field(capture, REQUEST), URL)",
            "return 0, earlier, True",
        ),
        "storage/archive/test_appending.py",
    ),
    TwinMutant(
        Edit(
            "stamps-of-the-index-stand-still",
            "lycosa.storage.warc._cdx_lines",
            "if self._last_stamp is None or second != self._last_second:",
            "if self._last_stamp is None:",
        ),
        "storage/warc/test_cdx_lines.py",
    ),
    # Features that are on by default.
    TwinMutant(
        Edit(
            "the-longest-list-is-no-trap",
            "lycosa.features.novelty._seen",
            "(0 < led_to <= AHEAD or",
            "(0 < led_to < AHEAD or",
        ),
        "features/novelty/test_seen.py",
    ),
    # The fold, and the frontier.
    TwinMutant(
        Edit(
            "urls-of-closed-sites-are-pending",
            "lycosa.frontier.fold._admitted",
            "            opened += not small(self._closed, site)\n",
            "            opened += 1\n",
        ),
        "frontier/fold/test_admitted_twin.py",
    ),
    TwinMutant(
        Edit(
            "pauses-may-become-shorter",
            "lycosa.frontier.fold._fetched",
            "        if host_due > real(self._host_due, host):\n",
            "        if host_due:\n",
        ),
        "frontier/fold/test_fetched.py",
    ),
    TwinMutant(
        Edit(
            "guesses-that-are-linked-stay-guesses",
            "lycosa.frontier._page_steps",
            "            if small(self._guess, page) and key != source:\n",
            "            if False:\n",
        ),
        "frontier/test_page_steps.py",
    ),
]
