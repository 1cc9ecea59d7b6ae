"""A second crawl of a site costs what has changed, over real sockets, in an archive others read."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.second_crawl import ask_again, counts_of, crawled, is_edited

from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import find, table
from lycosa_testweb.parts import take_apart
from seeds import few_of, soak


@pytest.mark.parametrize(
    ("has_validators", "conditional"), few_of([(True, True), (False, True), (True, False)], 1)
)
def test_nine_tenths_that_have_not_changed_cost_next_to_nothing(
    has_validators: bool, conditional: bool, tmp_path: Path
) -> None:
    ways = {"has_validators": has_validators, "conditional": conditional}
    with crawled(tmp_path / "crawl", fanout=4, words=2000, **ways) as (
        web,
        directory,
        (first, second),
    ):
        pages = web.pages_within([web.home(0)], 9)
        changed = {url for url in pages if is_edited(take_apart(url).target)}
        unchanged = len(pages) - len(changed)
        assert 0.8 < unchanged / len(pages) < 0.96
        assert (first.requests, first.responses) == (len(pages), len(pages))
        assert second.requests == len(pages)
        assert second.responses == len(changed)
        if has_validators and conditional:
            assert (second.by_server, second.by_digest) == (unchanged, 0)
            assert second.sent_bytes < first.sent_bytes / 4
        else:
            assert (second.by_server, second.by_digest) == (0, unchanged)
            assert second.sent_bytes >= first.sent_bytes
        assert second.warc_bytes < first.warc_bytes / 2
        for url in pages:
            stored = find(directory.path, url)
            assert stored is not None and stored.status == 200
            assert (b"Edition 2" in stored.body) == (url in changed)


def test_an_unchanged_page_has_its_links_and_text_once(tmp_path: Path) -> None:
    with crawled(tmp_path / "crawl", has_validators=False, conditional=True) as found:
        web, directory, (first, second) = found
        texts = table(directory.path, "text", ["url_id"]).num_rows
        assert texts == first.responses + second.responses
        assert table(directory.path, "pages", ["url_id"]).num_rows == 2 * first.requests
        assert web.edition == 2


@soak
def test_a_third_crawl_refers_to_what_the_second_referred_to(tmp_path: Path) -> None:
    with crawled(tmp_path / "crawl", has_validators=False, conditional=True) as found:
        web, directory, (first, _) = found
        before = counts_of(directory)
        ask_again(directory)
        run_crawl(directory)
        grown = counts_of(directory)
        grown.subtract(before)
        assert grown["response"] == 0
        assert grown["identical-payload-digest"] == first.requests
        for url in web.pages_within([web.home(0)], 9):
            stored = find(directory.path, url)
            assert stored is not None and stored.status == 200
            edited = is_edited(take_apart(url).target)
            assert (b"Edition 2" in stored.body) == edited
