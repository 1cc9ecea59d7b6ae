"""The REST interface over a crawl of a hostile site: reading, asking, steering at rest."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from integration.small_servers import serving_site
from lycosa.cli.main import main
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.rest.making import makings
from lycosa.web.rest.operations import API
from served_crawl import BEARER, SCRIPT, app_over, crawled, hostile, when_made

OWN = "http://127.0.0.1:8890"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("house") / "site")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    crawls, app = app_over(folder)
    yield TestClient(app, OWN, headers=BEARER)
    crawls.close()


def get(client: TestClient, path: str, **values: Any) -> Any:
    answer = client.get(f"{API}/crawls/site{path}", params=values)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(client: TestClient, path: str, body: object = None, status: int = 202) -> Any:
    answer = client.post(f"{API}/crawls/site{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def seed_of(folder: Path) -> str:
    return str(CrawlDirectory(folder).job().seeds[0])


def test_the_front_page_of_an_ended_crawl_is_its_list_of_pages(folder: Path) -> None:
    crawls, app = app_over(folder)
    here = TestClient(app, OWN, follow_redirects=False, client=("127.0.0.1", 50_000))
    answer = here.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/crawl/site/pages")
    assert answer.headers["cache-control"] == "no-store"
    assert here.get("/crawl/site/pages").status_code == 200
    assert here.get("/?all").status_code == 200
    # The name of the crawl is not told to a client on another machine, which has sent no token.
    elsewhere = TestClient(app, OWN, follow_redirects=False, client=("192.0.2.1", 50_000))
    assert elsewhere.get("/").status_code == 200
    assert "site" not in elsewhere.get("/").headers.get("location", "")
    crawls.close()
    with CrawlDirectory(folder).locked(lambda text: None):
        crawls, app = app_over(folder)
        running = TestClient(app, OWN, follow_redirects=False, client=("127.0.0.1", 50_000))
        assert running.get("/").status_code == 200
        crawls.close()


def test_the_list_and_the_frame_agree_with_the_log(client: TestClient) -> None:
    listed = client.get(f"{API}/crawls").json()
    assert [one["name"] for one in listed["crawls"]] == ["site"]
    assert listed["can_create"] is False
    assert listed["crawls"][0]["has_text_index"] and listed["crawls"][0]["has_triples"]
    frame = get(client, "/progress")
    assert frame["pages"] == frame["outcomes"]["kept"] >= 13
    assert frame["pending"] == 0
    assert frame["state"] in ("resting", "ended")


def test_rows_come_page_by_page_and_each_once(client: TestClient) -> None:
    whole = get(client, "/pages", limit=10_000)
    found: list[Any] = []
    cursor = ""
    while True:
        some = get(client, "/pages", limit=4, cursor=cursor)
        assert len(some["rows"]) <= 4
        found += some["rows"]
        cursor = some["next"]
        if not cursor:
            break
    assert found == whole["rows"]
    kept = get(client, "/pages", limit=10_000, outcome="kept")["rows"]
    assert 0 < len(kept) < len(found)
    wrong = client.get(f"{API}/crawls/site/pages", params={"cursor": "1.x"})
    assert wrong.status_code == 422


def test_rows_come_as_csv_and_as_parquet(client: TestClient) -> None:
    whole = get(client, "/links", limit=10_000)
    path = f"{API}/crawls/site/links"
    table = client.get(path, params={"format": "csv", "limit": 10_000})
    assert table.headers["content-disposition"] == 'attachment; filename="links.csv"'
    rows = list(csv.reader(io.StringIO(table.text)))
    assert rows[0] == whole["columns"] and len(rows) - 1 == len(whole["rows"])
    file = client.get(path, params={"format": "parquet", "limit": 5})
    assert pq.read_table(io.BytesIO(file.content)).num_rows == 5
    assert 'rel="next"' in file.headers["link"]


def test_prometheus_gets_figures_of_every_crawl_with_the_token(client: TestClient) -> None:
    told = client.get("/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    families = {family.name: family for family in text_string_to_metric_families(told.text)}
    kept = {
        sample.labels["outcome"]: sample.value for sample in families["lycosa_fetches"].samples
    }["kept"]
    assert kept == get(client, "/progress")["outcomes"]["kept"] >= 13
    assert {sample.labels["crawl"] for sample in families["lycosa_up"].samples} == {"site"}
    assert client.get("/metrics", headers={"Authorization": ""}).status_code == 401


def test_hosts_are_filtered_and_sorted(client: TestClient) -> None:
    found = get(client, "/hosts", sort="host", order="ascending")
    assert found["total"] == 1 and found["hosts"][0]["host"] == "127.0.0.1"
    assert found["hosts"][0]["kept"] >= 13
    assert get(client, "/hosts", filter="nothing")["total"] == 0


def test_a_url_is_explained_with_its_captures_and_links(client: TestClient, folder: Path) -> None:
    seed = seed_of(folder)
    facts = get(client, "/url", url=seed)
    assert facts["is_known"] and facts["outcome"] == "kept"
    assert facts["captures"][0]["title"].startswith(SCRIPT)
    assert len(facts["links_out"]) >= 13 and len(facts["links_in"]) >= 1
    assert "analytical engine" in facts["text"]
    assert get(client, "/captures", url=seed)["captures"] == facts["captures"]
    unknown = get(client, "/url", url="http://unknown.test/")
    assert not unknown["is_known"]


def test_archived_bodies_are_only_downloads(client: TestClient, folder: Path) -> None:
    seed = seed_of(folder)
    fetch = get(client, "/url", url=seed)["captures"][0]["fetch_id"]
    for part, kind in (
        ("body", "application/octet-stream"),
        ("headers", "text/plain"),
        ("text", "text/plain"),
    ):
        for fetch_id in (fetch, ""):
            values = {"url": seed, "fetch_id": fetch_id}
            answer = client.get(f"{API}/crawls/site/captures/{part}", params=values)
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(kind)
            assert answer.headers["content-disposition"].startswith("attachment;")
            assert "sandbox" in answer.headers["content-security-policy"]
    body = client.get(f"{API}/crawls/site/captures/body", params={"url": seed})
    assert b"The analytical engine" in body.content
    missing = client.get(f"{API}/crawls/site/captures/body", params={"url": seed, "fetch_id": "7"})
    assert missing.status_code == 422


def test_search_finds_and_marks(client: TestClient) -> None:
    found = get(client, "/search", q="analytical engine")
    assert found["outcome"] == "found" and found["total"] >= 13
    snippet = found["hits"][0]["snippet"]
    begin, end = snippet["marks"][0]
    assert snippet["text"][begin:end].lower() in ("analytical", "engine")


def test_sql_reads_and_nothing_else(client: TestClient) -> None:
    answer = post(
        client, "/sql", {"query": "select count(*) n from pages where outcome='kept'"}, 200
    )
    assert answer["columns"] == ["n"] and answer["rows"][0][0] >= 13
    cut = post(client, "/sql", {"query": "select url from pages", "limit": 2}, 200)
    assert len(cut["rows"]) == 2 and cut["is_cut"]
    for query in (
        "drop table pages",
        "select 1; select 2",
        "select * from read_csv('/etc/passwd')",
        "nonsense",
    ):
        assert "detail" in post(client, "/sql", {"query": query}, 422)


def test_sparql_knows_usual_prefixes_and_cannot_write(client: TestClient) -> None:
    query = "SELECT ?name { ?thing a schema:Person ; schema:name ?name } LIMIT 3"
    names = post(client, "/sparql", {"query": query}, 200)["results"]["bindings"]
    assert names[0]["name"]["value"].startswith("Ada <script>")
    assert post(client, "/sparql", {"query": "INSERT DATA { <a:a> <a:a> <a:a> }"}, 422)
    direct = client.get("/sparql", params={"query": "ASK { ?s ?p ?o }"})
    assert direct.json()["boolean"] is True
    assert "default-src 'none'" in direct.headers["content-security-policy"]
    assert client.post("/sparql", data={"update": "CLEAR ALL"}).status_code == 403


def test_the_site_is_checked(client: TestClient) -> None:
    found = get(client, "/checks", most=1)
    assert found["pages"] > 0
    assert found["findings"] == sum(check["count"] for check in found["checks"])
    for check in found["checks"]:
        assert check["title"] and check["mend"] and len(check["findings"]) == 1 <= check["count"]
        assert check["findings"][0]["url"].startswith("http")
    refused = client.get(f"{API}/crawls/site/checks", params={"most": 0})
    assert refused.status_code == 400


def test_the_audit_is_clean_and_the_log_has_lines(client: TestClient) -> None:
    audit = get(client, "/audit")
    assert audit["is_clean"] and audit["requests"] >= 13 and not audit["breaches"]
    assert "ends:" in "\n".join(get(client, "/log", lines=5)["lines"])


def test_an_order_given_twice_under_one_key_is_one_order(client: TestClient) -> None:
    path = f"{API}/crawls/site/blocked"
    headers = {"Idempotency-Key": "once"}
    first = client.post(path, json={"host": "b.test"}, headers=headers)
    again = client.post(path, json={"host": "b.test"}, headers=headers)
    assert first.status_code == again.status_code == 202
    assert again.json() == {"number": first.json()["number"], "is_new": False}
    other = client.post(f"{API}/crawls/site/retry", json={}, headers=headers)
    assert other.status_code == 422 and "different" in other.text
    elsewhere = client.post(path, json={"host": "c.test"}, headers=headers)
    assert elsewhere.status_code == 422 and "different" in elsewhere.text
    listed = get(client, "/orders")["orders"]
    assert [one["order"] for one in listed].count({"kind": "block", "host": "b.test"}) == 1


def test_a_key_used_again_for_another_body_is_refused(client: TestClient, folder: Path) -> None:
    limits, headers = f"{API}/crawls/site/limits", {"Idempotency-Key": "two-limits"}
    values: dict[str, int | None] = {"limits.pages": 700, "limits.seconds": 90000}
    assert client.patch(limits, json={"values": values}, headers=headers).status_code == 202
    assert client.patch(limits, json={"values": values}, headers=headers).status_code == 202
    for other in ({"limits.pages": 800, "limits.seconds": 90000}, {"limits.pages": 700}):
        assert client.patch(limits, json={"values": other}, headers=headers).status_code == 422
    values = dict.fromkeys(values)
    assert client.patch(limits, json={"values": values}).status_code == 202
    seeds, headers = f"{API}/crawls/site/seeds", {"Idempotency-Key": "seeds"}
    first, second = (f"{seed_of(folder)}page/{number}" for number in (1, 2))
    assert client.post(seeds, json={"seeds": [first]}, headers=headers).status_code == 202
    assert client.post(seeds, json={"seeds": [first]}, headers=headers).json()["is_new"] is False
    assert client.post(seeds, json={"seeds": [second]}, headers=headers).status_code == 422


def test_a_rule_is_previewed_added_listed_and_removed(client: TestClient) -> None:
    rule = {"action": "reject", "prefix": ["http://127.0.0.1/page/"]}
    assert post(client, "/rule-preview", rule, 200)["fits"] == 0
    number = post(client, "/rules", rule)["number"]
    assert {"number": number, "rule": rule} in get(client, "/rules")["rules"]
    removed = client.delete(f"{API}/crawls/site/rules/{number}")
    assert removed.status_code == 202
    assert all(one["number"] != number for one in get(client, "/rules")["rules"])
    assert client.delete(f"{API}/crawls/site/rules/{number}").status_code == 422


def test_limits_change_and_politeness_cannot_be_loosened(client: TestClient) -> None:
    path = f"{API}/crawls/site/limits"
    assert client.patch(path, json={"values": {"limits.pages": 500}}).status_code == 202
    assert client.patch(path, json={"values": {"limits.pages": None}}).status_code == 202
    for values in ({"politeness.delay_seconds": 0}, {"fetch.allow_private": 1}, {"robots.obey": 0}):
        refused = client.patch(path, json={"values": values})
        assert refused.status_code == 422, values
    assert get(client, "/limits")["job"]["politeness.delay_seconds"] == 0.01


def test_events_stream_frames_with_ids(folder: Path) -> None:
    import urllib.request

    from served_crawl import serving

    with serving(folder) as address:
        wanted = urllib.request.Request(f"{address}{API}/crawls/site/events", headers=BEARER)
        with urllib.request.urlopen(wanted, timeout=20) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = [stream.readline().decode() for _ in range(5)]
        assert lines[0] == "retry: 2000\n"
        assert lines[2].startswith("id: ") and lines[3] == "event: frame\n"
        assert '"pages":' in lines[4]


def test_a_crawl_is_created_started_and_listed_where_a_folder_is_served(tmp_path: Path) -> None:
    crawls, app = app_over(tmp_path)
    client = TestClient(app, OWN, headers=BEARER, client=("127.0.0.1", 40_000))
    with serving_site(hostile) as port:
        seed = f"http://127.0.0.1:{port}/"
        preview = client.post(
            f"{API}/scope", json={"seeds": [seed], "urls": ["http://other.test/"]}
        )
        assert [one["is_wanted"] for one in preview.json()["urls"]] == [True, False]
        wanted = {"name": "made", "seeds": [seed], "max_pages": 3, "recipe": "dataset"}
        unknown = client.post(f"{API}/crawls", json={**wanted, "recipe": "cake"})
        assert unknown.status_code == 422 and "the recipes: archive" in unknown.text
        begun = client.post(f"{API}/crawls", json=wanted)
        assert begun.status_code == 201, begun.text
        assert client.post(f"{API}/crawls", json=wanted).status_code == 409
        refused = client.post(
            f"{API}/crawls", json={"name": "other", "seeds": ["https://example.org/"]}
        )
        assert refused.status_code == 422 and "contact" in refused.text
        for name in ("../x", "a/b", ".hidden", "-o"):
            assert client.post(f"{API}/crawls", json={**wanted, "name": name}).status_code == 400
        crawls.children._all[0].wait(60)
    names = [one["name"] for one in client.get(f"{API}/crawls").json()["crawls"]]
    assert names == ["made"]
    job = CrawlDirectory(tmp_path / "made").job()
    assert (job.crawl.recipe, job.structured.forms) == ("dataset", ())
    assert client.get(f"{API}/crawls/made/progress").json()["pages"] == 3
    crawls.close()


def test_the_list_of_pages_has_each_url_once_and_says_how_many(client: TestClient) -> None:
    counts = get(client, "/page-list/counts")
    rows, cursor = [], ""
    while True:
        some = get(client, "/page-list", limit=4, cursor=cursor, sort="url", order="ascending")
        rows += some["rows"]
        cursor = some["next"]
        if not cursor:
            break
    urls = [row["url"] for row in rows]
    assert urls == sorted(set(urls))
    assert len(urls) == counts["total"] == sum(counts["by"]["outcome"].values())
    kept = get(client, "/page-list", outcome="kept", limit=1000)["rows"]
    assert len(kept) == counts["by"]["outcome"]["kept"] == get(client, "/progress")["pages"]
    assert any(SCRIPT in row["title"] for row in kept)
    assert get(client, "/page-list", text="script", host="127.0.0.1")["rows"]


def test_the_list_of_pages_is_given_as_csv_that_no_spreadsheet_runs(client: TestClient) -> None:
    answer = client.get(
        f"{API}/crawls/site/page-list", params={"format": "csv", "limit": 5, "sort": "url"}
    )
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(lines) == 5 and "kept" in {one["outcome"] for one in lines}
    following = answer.headers["Link"].partition(">")[0].removeprefix("<")
    more = list(csv.DictReader(io.StringIO(client.get(following).text)))
    assert len(more) == 5 and not {one["url"] for one in lines} & {one["url"] for one in more}


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"sort": "url_id"}, 400),
        ({"sort": "url; drop"}, 400),
        ({"order": "up"}, 400),
        ({"limit": 0}, 400),
        ({"cursor": "zzz"}, 422),
        ({"text": "x" * 3000}, 400),
    ],
)
def test_a_wrong_question_to_the_list_is_refused(
    client: TestClient, values: dict[str, Any], status: int
) -> None:
    answer = client.get(f"{API}/crawls/site/page-list", params=values)
    assert answer.status_code == status, answer.text


def test_index_study_and_copy_are_made_in_the_background(client: TestClient) -> None:
    for kind in ("page-list/copy", "index", "study", "report"):
        assert post(client, f"/{kind}")["state"] in ("making", "ready")
        state = when_made(client, kind)
        assert state["state"] == "ready" and state["made"]
    assert get(client, "/report")["is_current"]


@pytest.mark.parametrize("kind", ["study", "report"])
def test_a_making_ends_with_the_server(folder: Path, kind: str) -> None:
    crawls, app = app_over(folder)
    with TestClient(app, OWN, headers=BEARER) as client:
        assert post(client, f"/{kind}")["state"] == "making"
        making = makings._all[folder.resolve(), kind]
        assert making.is_running
    crawls.close()
    assert making.process.returncode is not None
    assert makings._all == {}


def test_a_making_that_fails_says_why(tmp_path: Path) -> None:
    with serving_site(hostile) as port:
        words = ["crawl", f"http://127.0.0.1:{port}/", "-o", str(tmp_path / "site"), "--quiet"]
        assert main([*words, "--delay", "1ms", "--max-pages", "2"]) == 0
    table = next((tmp_path / "site" / "pages").glob("*.parquet"))
    table.write_bytes(b"no table")
    crawls, app = app_over(tmp_path / "site")
    with TestClient(app, OWN, headers=BEARER) as client:
        post(client, "/page-list/copy")
        state = when_made(client, "page-list/copy")
    crawls.close()
    assert state["state"] == "failed"
    assert "verify" in state["problem"]
