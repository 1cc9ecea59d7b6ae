"""Studies of crawls with known results: counts are right, and a killed study does no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lycosa.analysis.statistics.histograms import PAGES, SITES
from lycosa.analysis.statistics.ranks import link_weight
from lycosa.analysis.study.build import study
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import connected
from lycosa.errors import ConfigError, LycosaError, StoreError
from lycosa.model.records import LinkKind, Outcome, Purpose
from lycosa.model.url.key import key_of, url_of
from seeds import few_of
from unit.analysis.study.drawn_crawl import BEGAN, HTML, Fetch, id_of, rows, write

A, B, C, D = (f"test.a:/{name}" for name in "abcd")
OTHER = "test.b:s/"


def by(folder: Path, name: str, column: str) -> dict[Any, dict[str, Any]]:
    return {row[column]: row for row in rows(folder, name)}


def edges(folder: Path) -> dict[str, tuple[int, int]]:
    """Return how many links lead to each page and away from it, by its path."""
    return {
        row["url"].rpartition("/")[2]: (row["in_degree"], row["out_degree"])
        for row in rows(folder, "ranks")
    }


def test_links_count_between_pages_that_were_kept(tmp_path: Path) -> None:
    missing = Fetch(D, outcome=Outcome.NOT_FOUND, status=404)
    write(tmp_path, [Fetch(A, [A, B, C, D, OTHER]), Fetch(B, [A]), Fetch(C), missing])
    found = study(tmp_path)
    assert (found.facts["pages"], found.facts["links"], found.facts["sites"]) == (3, 3, 1)
    assert edges(tmp_path) == {"a": (1, 2), "b": (1, 1), "c": (1, 0)}
    assert sum(row["pagerank"] for row in rows(tmp_path, "ranks")) == pytest.approx(1)


def test_images_are_no_links_between_pages(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B], kind=LinkKind.IMAGE), Fetch(B)])
    assert study(tmp_path).facts["links"] == 0
    assert by(tmp_path, "link_kinds", "kind")["image"]["links"] == 1


def test_a_link_through_redirects_is_a_link_to_where_they_lead(tmp_path: Path) -> None:
    def moved(key: str, to: str) -> Fetch:
        headers = (HTML, ("Location", to))
        return Fetch(key, outcome=Outcome.REDIRECTED, status=301, headers=headers)

    write(tmp_path, [Fetch(A, [C]), moved(C, "/d"), moved(D, "http://a.test/b"), Fetch(B)])
    study(tmp_path)
    assert edges(tmp_path) == {"a": (0, 1), "b": (1, 0)}


def test_redirects_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    circle = [
        Fetch(key, outcome=Outcome.REDIRECTED, status=302, headers=(HTML, ("Location", to)))
        for key, to in ((C, "/d"), (D, "/c"))
    ]
    write(tmp_path, [Fetch(A, [C]), *circle])
    assert study(tmp_path).facts["links"] == 0


def test_the_links_of_a_page_are_those_it_had_at_last(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B], "old"), Fetch(B), Fetch(C)])
    write(tmp_path, [Fetch(A, [C], "new")], BEGAN + 1000)
    found = study(tmp_path)
    assert (found.facts["pages"], found.facts["fetches"]) == (3, 4)
    assert edges(tmp_path) == {"a": (0, 1), "b": (0, 0), "c": (1, 0)}


def test_a_page_that_did_not_change_keeps_its_links(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B], "same"), Fetch(B)])
    write(tmp_path, [Fetch(A, [], "same")], BEGAN + 1000)
    study(tmp_path)
    assert edges(tmp_path) == {"a": (0, 1), "b": (1, 0)}


def test_a_page_that_lost_its_links_has_none(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B], "old"), Fetch(B)])
    write(tmp_path, [Fetch(A, [], "new")], BEGAN + 1000)
    study(tmp_path)
    assert edges(tmp_path) == {"a": (0, 0), "b": (0, 0)}


def test_open_segments_are_studied_too_and_a_growing_crawl_is_studied_again(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B])])
    assert study(tmp_path).facts["pages"] == 1
    write(tmp_path, [Fetch(B, [A])], BEGAN + 1000, is_sealed=False)
    assert list(tmp_path.glob("pages/*.arrows"))
    found = study(tmp_path)
    assert found.is_new
    assert edges(tmp_path) == {"a": (1, 1), "b": (1, 1)}
    assert not study(tmp_path).is_new
    assert study(tmp_path, rebuild=True).is_new


def test_sites_add_up(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B, OTHER]), Fetch(B, [OTHER]), Fetch(OTHER, [A], depth=2)])
    study(tmp_path)
    sites, pages = by(tmp_path, "sites", "site"), rows(tmp_path, "ranks")
    assert set(sites) == {"http://a.test", "https://b.test"}
    for site, row in sites.items():
        own = [page for page in pages if page["site"] == site]
        assert row["pages"] == len(own)
        assert row["pagerank_sum"] == pytest.approx(sum(page["pagerank"] for page in own))
        assert row["pagerank_mean"] == pytest.approx(row["pagerank_sum"] / len(own))
        assert (row["in_degree"], row["out_degree"], row["part"]) == (1, 1, "scc")
    assert [sites[s]["inner_links"] for s in ("http://a.test", "https://b.test")] == [1, 0]
    assert sites["https://b.test"]["deepest"] == 2
    assert {(r["source"], r["target"]): r["links"] for r in rows(tmp_path, "site_links")} == {
        ("http://a.test", "https://b.test"): 2,
        ("https://b.test", "http://a.test"): 1,
    }


def test_heads_tell_servers_and_ages(tmp_path: Path) -> None:
    def served(key: str, days: int) -> Fetch:
        date = f"Tue, {14 - days:02} Nov 2023 22:13:20 GMT"  # the moment of BEGAN is the 14th
        return Fetch(key, headers=(HTML, ("Server", "Thttpd"), ("last-modified", date)))

    strange = Fetch(C, headers=(HTML, ("Server", "Thttpd"), ("Last-Modified", "yesterday")))
    write(tmp_path, [served(A, 2), served(B, 4), strange])
    study(tmp_path)
    (site,) = rows(tmp_path, "sites")
    ages = (site["least_age_days"], site["mean_age_days"], site["most_age_days"])
    assert ages == pytest.approx((2, 3, 4), abs=0.001)
    assert rows(tmp_path, "servers") == [{"server": "Thttpd", "sites": 1, "pages": 3}]
    assert rows(tmp_path, "ages") == [{"months": 0, "pages": 2}]


def test_a_date_beyond_the_calendar_is_none(tmp_path: Path) -> None:
    late = ("Last-Modified", "Fri, 31 Dec 9999 23:59:59 -0100")
    write(tmp_path, [Fetch(A, headers=(HTML, late))])
    study(tmp_path)
    (site,) = rows(tmp_path, "sites")
    assert (site["pages"], site["mean_age_days"]) == (1, None)


def test_headers_are_counted_by_answers_and_sites(tmp_path: Path) -> None:
    strict = ("Strict-Transport-Security", "max-age=9")
    twice = (HTML, ("Server", "Thttpd"), strict, ("strict-transport-security", "max-age=10"))
    write(tmp_path, [Fetch(A, headers=twice), Fetch(B), Fetch(OTHER, headers=(HTML, strict))])
    study(tmp_path)
    found = by(tmp_path, "headers", "header")
    assert found["content-type"] == {
        "header": "content-type",
        "about": None,
        "answers": 3,
        "sites": 2,
    }
    safe = found["strict-transport-security"]
    assert (safe["about"], safe["answers"], safe["sites"]) == ("security", 2, 2)
    assert (found["server"]["about"], found["server"]["answers"]) == ("server", 1)


def test_multimedia_is_known_by_its_suffix_or_by_the_kind_of_the_link(tmp_path: Path) -> None:
    shown = ["test.a:/x.JPG?size=2", "test.a:/picture", "test.a:/film.webm"]
    write(
        tmp_path,
        [
            Fetch(A, shown, kind=LinkKind.IMAGE),
            Fetch(B, ["test.a:/song.mp3", "test.a:/page.html"]),
            Fetch(C, ["test.a:/stream"], kind=LinkKind.MEDIA),
            Fetch(D, ["test.a:/x.JPG?size=2"]),
        ],
    )
    study(tmp_path)
    found = {
        (r["medium"], r["kind"], r["known_by"]): (r["links"], r["targets"])
        for r in rows(tmp_path, "multimedia")
    }
    assert found == {
        ("image", "image", "suffix"): (1, 1),
        ("image", "image", "kind"): (1, 1),
        ("video", "image", "suffix"): (1, 1),
        ("audio", "anchor", "suffix"): (1, 1),
        ("audio or video", "media", "kind"): (1, 1),
        ("image", "anchor", "suffix"): (1, 1),
    }


def test_heads_of_a_sealed_segment_are_read_once(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, headers=(HTML, ("Server", "Thttpd")))])
    study(tmp_path)
    for path in (tmp_path / "warc").glob("*.warc.gz"):
        path.unlink()  # the archive has been moved to another disk
    study(tmp_path, rebuild=True)
    assert rows(tmp_path, "servers")[0]["server"] == "Thttpd"


def test_small_tables_count(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            Fetch(A, ["org.away:/x.PDF", B], "one and the same", language="en-GB"),
            Fetch(B, ["org.away:/y.mp3?z"], "one and the same", language="en"),
            Fetch(C, [], "x" * 1500, language="de"),
            Fetch(D, outcome=Outcome.NOT_FOUND, status=404),
            Fetch("test.a:/robots.txt", purpose=Purpose.ROBOTS),
        ],
    )
    study(tmp_path)
    assert {r["outcome"]: r["fetches"] for r in rows(tmp_path, "outcomes")} == {
        "kept": 3,
        "not_found": 1,
    }
    assert {r["status"]: r["fetches"] for r in rows(tmp_path, "statuses")} == {200: 3, 404: 1}
    assert {r["language"]: r["pages"] for r in rows(tmp_path, "languages")} == {"en": 2, "de": 1}
    assert [(r["medium"], r["links"]) for r in rows(tmp_path, "multimedia")] == [("audio", 1)]
    assert {r["from_bytes"]: r["pages"] for r in rows(tmp_path, "sizes")} == {16: 2, 1024: 1}
    assert by(tmp_path, "types", "type")["text/html"]["pages"] == 3
    assert {r["suffix"]: r["links"] for r in rows(tmp_path, "file_types")} == {"pdf": 1, "mp3": 1}
    assert rows(tmp_path, "outside") == [{"host": "away.org", "links": 2, "pages": 2, "targets": 2}]
    assert [r["url"][-1] for r in rows(tmp_path, "duplicates")] == ["a", "b"]
    (polite,) = rows(tmp_path, "politeness")
    assert (polite["requests"], polite["requests_at_once"]) == (5, 0)
    assert polite["least_pause_seconds"] == pytest.approx(9.75)


def test_a_duplicate_names_the_page_that_was_fetched_first(tmp_path: Path) -> None:
    body = "<html>the same on two hosts"
    keys = ["test.z:/first", "test.a:/second", "test.a:/third"]
    write(tmp_path, [Fetch(key, body=body) for key in keys])
    # The original is fetched again, later than its copies, and is the original still.
    write(tmp_path, [Fetch(keys[0], body=body), Fetch("test.a:/other")], BEGAN + 1000)
    study(tmp_path)
    named = {r["url"]: (r["duplicate_of"], r["original_url"]) for r in rows(tmp_path, "duplicates")}
    original = (id_of(keys[0]), "http://z.test/first")
    assert named == {
        "http://z.test/first": (None, None),
        "http://a.test/second": original,
        "http://a.test/third": original,
    }


def test_near_duplicates_stand_in_one_set_and_others_in_none(tmp_path: Path) -> None:
    fingerprints = (0b1, 0b111, 0b11111, 0xFFFF << 40)
    pages = [Fetch(key, fingerprint=f) for key, f in zip((A, B, C, D), fingerprints, strict=True)]
    write(tmp_path, pages)
    told: list[str] = []
    study(tmp_path, tell=told.append)
    assert "near duplicates: sort 7 of 7" in told
    found = rows(tmp_path, "near_duplicates")
    assert [(r["set"], r["alike"], r["url"][-1]) for r in found] == [
        (1, 3, "a"),
        (1, 3, "b"),
        (1, 3, "c"),
    ]


class Killed(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize("step", few_of([9, 1, 2], 1))
def test_a_study_that_is_killed_leaves_the_old_one_or_none(tmp_path: Path, step: int) -> None:
    write(tmp_path, [Fetch(A, [B])])
    study(tmp_path)
    write(tmp_path, [Fetch(B)], BEGAN + 1000)
    left = step

    def die(place: str) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Killed

    with pytest.raises(Killed):
        study(tmp_path, reach=die)
    manifest = Results(tmp_path).manifest()
    if step == 1:
        assert manifest is not None and manifest["pages"] == 1
        assert len(rows(tmp_path, "ranks")) == 1
    else:
        assert Results(tmp_path).tables() == {}
    assert study(tmp_path).facts["pages"] == 2
    assert len(rows(tmp_path, "ranks")) == 2
    assert not list(Results(tmp_path).folder.glob("*.tmp"))


def test_what_a_killed_study_had_put_aside_is_removed(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    aside = Results(tmp_path).folder / "lycosa-study-x.tmp"
    aside.mkdir(parents=True)
    (aside / "much.data").touch()
    study(tmp_path)
    assert not aside.exists()


def test_what_was_made_of_a_segment_is_made_again_when_it_is_damaged(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, headers=(HTML, ("Server", "Thttpd")))])
    study(tmp_path)
    for kind in ("heads", "tongues"):
        (made,) = (Results(tmp_path).folder / kind).iterdir()
        made.write_bytes(b"not Parquet")
        (made.parent / "lycosa-0-99999.parquet").touch()  # of a segment that is gone
    study(tmp_path, rebuild=True)
    assert rows(tmp_path, "servers")[0]["server"] == "Thttpd"
    assert len(list(made.parent.iterdir())) == 1


def test_two_studies_at_a_time_are_one_too_many(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    with Results(tmp_path).locked(), pytest.raises(LycosaError, match="another process"):
        study(tmp_path)


def test_another_version_of_the_tables_is_made_again(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    study(tmp_path)
    path = Results(tmp_path).folder / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 0}))
    assert study(tmp_path).is_new


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"version": 5, "tables": 7}',
        '{"version": 5, "tables": {}, "columns": {"a": 1}}',
        '{"version": 5, "tables": {"hosts": NaN}}',
        "[" * 100_000,
    ],
    ids=range(6),
)
def test_a_manifest_of_another_shape_is_no_study(content: str, tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    study(tmp_path)
    (Results(tmp_path).folder / "study.json").write_text(content)
    assert Results(tmp_path).tables() == {}
    assert study(tmp_path).is_new


def test_where_there_is_nothing_to_study_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no crawl here"):
        study(tmp_path)
    write(tmp_path, [])
    with pytest.raises(LycosaError, match=r"no page has been fetched yet(.|\n)*lycosa resume"):
        study(tmp_path)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("kind", few_of(["pages", "links"], 1))
def test_a_damaged_file_ends_the_study_and_the_old_one_stays(tmp_path: Path, kind: str) -> None:
    write(tmp_path, [Fetch(A, [B])])
    study(tmp_path)
    (path,) = tmp_path.glob(f"{kind}/*.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match=r"cannot be read(.|\n)*lycosa verify .* --repair"):
        study(tmp_path)
    assert Results(tmp_path).tables()


def test_a_crawl_that_kept_nothing_has_a_study(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, outcome=Outcome.NOT_FOUND, status=404)])
    facts = study(tmp_path).facts
    assert (facts["pages"], facts["links"], facts["sites"]) == (0, 0, 1)
    assert rows(tmp_path, "ranks") == []


def test_pagerank_is_there_plain_and_weighted_by_what_the_links_are(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B, C]), Fetch(B, [A]), Fetch(C, [A])])
    study(tmp_path)
    found = rows(tmp_path, "ranks")
    assert sum(row["weighted_pagerank"] for row in found) == pytest.approx(1)
    assert [row["weighted_rank"] for row in found if row["url"].endswith("/a")] == [1]


def test_links_within_a_site_and_boilerplate_weigh_less(tmp_path: Path) -> None:
    near, far, everywhere = "test.a:/near", "test.b:/far", "test.a:/everywhere"
    seldom = "test.a:/seldom"
    pages = [f"test.a:/{number}" for number in range(20)]
    fetches = [Fetch(page, [everywhere]) for page in pages[2:]]
    fetches += [Fetch(pages[0], [near, far]), Fetch(pages[1], [everywhere, seldom])]
    write(tmp_path, [*fetches, *map(Fetch, (near, far, everywhere, seldom))])
    study(tmp_path)
    ranks = {key_of(row["url"]): row for row in rows(tmp_path, "ranks")}
    assert ranks[near]["pagerank"] == pytest.approx(ranks[far]["pagerank"])
    assert ranks[near]["weighted_pagerank"] < ranks[far]["weighted_pagerank"]
    shared = ranks[pages[1]]["weighted_pagerank"] * 0.85
    least = ranks[pages[2]]["weighted_pagerank"]
    assert ranks[seldom]["weighted_pagerank"] - least == pytest.approx(shared * 0.8, rel=0.1)


def test_a_link_weighs_more_if_it_is_repeated_or_stands_first_and_less_in_a_form() -> None:
    with connected([]) as connection:
        connection.execute(
            "create table current_links as select * from (values (1, 'anchor', 1),"
            " (1, 'anchor', 3), (1, 'form', 1)) t(source_id, kind, times)"
        )
        weights = connection.sql(f"select {link_weight(connection)} from current_links").fetchall()
        assert [weight for (weight,) in weights] == [1.0, 2.0, 0.5]
        connection.execute("alter table current_links add column position integer")
        connection.execute(
            "update current_links set position = case times when 3 then 40 else 0 end"
        )
        weights = connection.sql(
            f"select {link_weight(connection)} as weight from current_links order by weight"
        ).fetchall()
        assert [weight for (weight,) in weights] == [0.5, 1.0, 1.0]


def test_histograms_have_every_page_and_site_once_for_each_property(tmp_path: Path) -> None:
    dated = (HTML, ("Last-Modified", "Tue, 14 Nov 2023 10:00:00 GMT"))
    write(tmp_path, [Fetch(A, [B, C], headers=dated), Fetch(B, [A]), Fetch(C), Fetch(OTHER)])
    study(tmp_path)
    found: dict[tuple[str, str], int] = {}
    for row in rows(tmp_path, "histograms"):
        assert row["from_value"] <= row["least"] <= row["most"]
        assert row["most"] < row["to_value"] or row["most"] == row["from_value"] == 0
        place = row["over"], row["property"]
        found[place] = found.get(place, 0) + row["nodes"]
    assert {over: {name for each, name in found if each == over} for over, _ in found} == {
        "pages": set(PAGES),
        "sites": set(SITES),
    }
    known = {("pages", "age_days"): 1, ("sites", "mean_age_days"): 1}
    known |= {("sites", f"{which}_age_days"): 1 for which in ("least", "most")}
    for place, nodes in found.items():
        assert nodes == known.get(place, 4 if place[0] == "pages" else 2), place


def test_links_to_other_sites_are_summed_by_domain_and_top_level_domain(tmp_path: Path) -> None:
    away = ["uk.co.away.www:/1", "uk.co.away.news:/2", "uk.co.other:/", "org.away:/x"]
    write(tmp_path, [Fetch(A, [*away, "127.0.0.9:/"], "one"), Fetch(B, [away[0]], "two")])
    study(tmp_path)
    domains = {r.pop("domain"): r for r in rows(tmp_path, "outside_domains")}
    assert domains["away.co.uk"] == {"hosts": 2, "links": 3, "pages": 2, "targets": 2}
    assert set(domains) == {"away.co.uk", "other.co.uk", "away.org", "127.0.0.9"}
    tlds = {r.pop("tld"): r for r in rows(tmp_path, "outside_tlds")}
    assert tlds["uk"] == {"domains": 2, "hosts": 3, "links": 4, "pages": 2, "targets": 3}
    assert set(tlds) == {"uk", "org", ""}


def test_languages_of_pages_name_the_page(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [], "words " * 30, language="en")])
    study(tmp_path)
    (found,) = rows(tmp_path, "page_languages")
    assert found["url"] == url_of(A) and found["language"] == "en"
