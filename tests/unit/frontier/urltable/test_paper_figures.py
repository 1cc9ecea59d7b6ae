"""Figures of the papers that draw how URLs are stored, told again of our table."""

from __future__ import annotations

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.urltable import CompactUrlTable
from lycosa.model.records import Admitted
from lycosa.model.url import key_of, url_of

SUN = [
    "http://www.sun.com/",
    "http://www.sgi.com/",
    "http://www.sun.com/news/",
    "http://www.sun.com/news/archive/",
]


def test_kspider_figures_8_and_9_a_url_is_found_by_its_text_and_by_its_number() -> None:
    """Each has the next number, in the order in which they came."""
    table = CompactUrlTable()
    assert [table.add(key_of(url)) for url in SUN] == [0, 1, 2, 3]
    assert [table.add(key_of(url)) for url in SUN] == [0, 1, 2, 3]
    assert [url_of(table.key(number)) for number in range(4)] == SUN
    assert table.find(key_of("http://www.sun.com/new")) is None


def test_kspider_figure_9_common_beginnings_are_stored_once() -> None:
    """A thousand URLs below one long folder cost little more than their own ends."""
    folder = "http://www.sun.com/" + "a-very-long-name/" * 20
    bare, deep = CompactUrlTable(), CompactUrlTable()
    bare.add_many([key_of(f"http://www.sun.com/{n}") for n in range(1000)])
    deep.add_many([key_of(f"{folder}{n}") for n in range(1000)])
    assert len(deep.pack()) - len(bare.pack()) < 1000 * len(folder) / 20


def test_rdfa_figures_4_to_8_urls_form_a_hierarchy_with_the_host_reversed() -> None:
    """Hosts of a domain are neighbours, and below each host its folders."""
    urls = [
        "http://www.example.com/a/1.html",
        "http://example.org/",
        "http://mail.example.com/",
        "http://www.example.com/b/",
        "http://www.example.com/a/2.html",
    ]
    table = CompactUrlTable()
    table.add_many([key_of(url) for url in urls])
    assert [url_of(key) for key, _ in table.walk()] == [
        "http://mail.example.com/",
        "http://www.example.com/a/1.html",
        "http://www.example.com/a/2.html",
        "http://www.example.com/b/",
        "http://example.org/",
    ]
    site = key_of("http://www.example.com/")
    assert [url_of(child) for child in table.children(site)] == [
        "http://www.example.com/a/",
        "http://www.example.com/b/",
    ]


def test_wire_figure_6_the_name_gives_the_site_and_site_and_path_give_the_document() -> None:
    state = PartitionState()
    keys = [key_of(url) for url in SUN]
    state.apply(Admitted(0.0, "", keys, [0] * len(keys)))
    numbers = [state.table.find(key) for key in keys]
    assert numbers == [0, 1, 2, 3]
    sun, sgi = (state.site_number(key_of(url)[:-1]) for url in SUN[:2])
    assert [state.pages.site[number] for number in range(4)] == [sun, sgi, sun, sun]
