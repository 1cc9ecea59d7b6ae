"""Web pages of others get nothing: each way in is tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.app import OPERATIONS
from lycosa.web.rest.operations import API
from lycosa.web.rest.problems import LARGEST_BODY_BYTES
from served_crawl import BEARER, TOKEN, app_over

OWN = "http://127.0.0.1:8890"
FRIEND = "https://app.example.org"
CRAWLS = f"{API}/crawls"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    CrawlDirectory.create(tmp_path / "crawls" / "one", Job.of(seeds=["http://a.test/"]))
    CrawlDirectory.create(tmp_path / "secret", Job.of(seeds=["http://secret.test/"]))
    (tmp_path / "crawls" / "link").symlink_to(tmp_path / "secret")
    return tmp_path / "crawls"


@pytest.fixture
def client(root: Path) -> Iterator[TestClient]:
    crawls, app = app_over(root, (FRIEND,))
    yield TestClient(app, OWN, raise_server_exceptions=False)
    crawls.close()


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8890", "localhost.evil.test", "127.0.0.1.nip.test", "", "a b"]
)
def test_a_name_that_resolves_to_us_is_refused(client: TestClient, host: str) -> None:
    for path in ("/", CRAWLS, "/health", "/sparql", "/static/api.js"):
        assert client.get(path, headers={**BEARER, "Host": host}).status_code == 403, path


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8890", "10.0.0.7"]
)
def test_addresses_and_localhost_are_answered(client: TestClient, host: str) -> None:
    assert client.get(CRAWLS, headers={**BEARER, "Host": host}).status_code == 200


@pytest.mark.parametrize("operation", OPERATIONS, ids=[one.name for one in OPERATIONS])
def test_no_operation_works_without_the_token(client: TestClient, operation: object) -> None:
    method, path = operation.method, API + operation.path  # type: ignore[attr-defined]
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"token={TOKEN}"}):
        answer = client.request(method, f"{path}?token={TOKEN}", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "path",
    ["/metrics", "/anything", f"{API}/openapi.json", "/api", "/crawl/a", "/sparql", "/sparql/one"],
)
def test_what_is_not_known_to_be_open_needs_the_token(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 401


@pytest.mark.parametrize(
    "origin",
    ["http://evil.test", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8890", FRIEND + "."],
)
def test_a_page_of_another_origin_is_refused(client: TestClient, origin: str) -> None:
    headers = {**BEARER, "Origin": origin}
    for answer in (client.get(CRAWLS, headers=headers), client.post(CRAWLS, headers=headers)):
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_our_own_is_answered(client: TestClient) -> None:
    headers = {**BEARER, "Origin": OWN, "Sec-Fetch-Site": "same-origin"}
    assert client.get(CRAWLS, headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_another_site_makes_is_refused(client: TestClient, site: str) -> None:
    headers = {**BEARER, "Sec-Fetch-Site": site}
    for path in (CRAWLS, "/", "/static/api.js", "/sparql"):
        assert client.get(path, headers=headers).status_code == 403
    visit = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/crawl/one/now", headers=visit).status_code == 200
    assert client.get(CRAWLS, headers={**BEARER, **visit}).status_code == 403
    assert client.get("/", headers={**visit, "Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert client.post("/", headers=visit).status_code == 403


def test_a_form_of_another_page_changes_nothing(client: TestClient, root: Path) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = '{"name": "made", "seeds": ["http://b.test/"]}'
    answers = [
        client.post(CRAWLS, content=body, headers={**form, "Origin": "http://evil.test"}),
        client.post(CRAWLS, content=body, headers={**form, "Sec-Fetch-Site": "cross-site"}),
        client.post(CRAWLS, content=body, headers=form),
        client.post(CRAWLS, content=body, headers={**BEARER, **form}),
        client.post(CRAWLS, content=body, headers={**BEARER, "Content-Type": "text/plain"}),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 401, 415, 415]
    assert not (root / "made").exists()


def test_an_allowed_origin_still_needs_the_token(client: TestClient) -> None:
    headers = {"Origin": FRIEND, "Sec-Fetch-Site": "cross-site"}
    asked = client.options(CRAWLS, headers={**headers, "Access-Control-Request-Method": "POST"})
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == FRIEND
    assert "Authorization" in asked.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in asked.headers
    assert client.get(CRAWLS, headers=headers).status_code == 401
    answer = client.get(CRAWLS, headers={**BEARER, **headers})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == FRIEND
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2f..%2f..%2f..%2fpyproject.toml",
        "/static//etc/passwd",
        "/static/pages/../../running.py",
        f"{CRAWLS}/..",
        f"{CRAWLS}/%2e%2e/progress",
        f"{CRAWLS}/..%2fsecret/progress",
        f"{CRAWLS}/%2fetc/log",
        f"{CRAWLS}/link/progress",
        f"{CRAWLS}/link",
        "/sparql/..%2fsecret",
    ],
)
def test_no_path_leads_out_of_the_served_folder(client: TestClient, path: str) -> None:
    answer = client.get(path, headers=BEARER)
    assert answer.status_code == 404
    assert "secret" not in answer.text
    assert "root:" not in answer.text


def test_only_folders_that_hold_a_crawl_have_a_name(client: TestClient) -> None:
    names = [one["name"] for one in client.get(CRAWLS, headers=BEARER).json()["crawls"]]
    assert names == ["one"]


@pytest.mark.parametrize(
    "path", ["/", "/new", "/crawl/one/now", CRAWLS, "/health", "/nowhere", "/static/api.js"]
)
def test_every_answer_forbids_scripts_of_others(client: TestClient, path: str) -> None:
    for headers in (BEARER, {}):
        answer = client.get(path, headers=headers)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers


def test_a_page_is_the_same_for_everybody_and_escapes_its_address(client: TestClient) -> None:
    name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27"
    answer = client.get(f"/crawl/{name.replace('%2F', '')}/now")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;" in answer.text
    assert client.get("/crawl/one/now", headers=BEARER).text == client.get("/crawl/one/now").text
    assert client.get("/crawl/one/nothing").status_code == 404


def test_a_request_that_is_too_long_is_refused(client: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"query": "'
        for _ in range(LARGEST_BODY_BYTES // 100_000 + 1):
            yield b" " * 100_000

    headers = {**BEARER, "Content-Type": "application/json"}
    sql = f"{CRAWLS}/one/sql"
    assert (
        client.post(sql, content=b" " * (LARGEST_BODY_BYTES + 1), headers=headers).status_code
        == 413
    )
    assert client.post(sql, content=pieces(), headers=headers).status_code == 413


def test_a_crawl_that_is_not_begun_says_so(client: TestClient) -> None:
    headers = {**BEARER, "Content-Type": "application/json"}
    answer = client.post(f"{CRAWLS}/one/pause", headers=headers)
    assert (answer.status_code, answer.json()["status"]) == (409, 409)
    assert "start it first" in answer.json()["detail"]
