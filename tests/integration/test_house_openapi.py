"""The published OpenAPI document, used by a client that was not written here: Schemathesis.

It makes requests that fit the document and requests that do not, and checks every answer: no server
error, a documented status, media type and record, no operation without the token.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.web.rest.operations import API
from served_crawl import BEARER, crawled, serving

STARTING = ("start_crawl", "make_report", "create_crawl", "preview_scope")
"""They start processes, one for each request; `make soak` tries them, too."""
CONFIG = """
seed = 1
[parameters]
"path.name" = "site"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "404", "409", "413", "422"]
"""
"""A request that fits the document may still be refused for what it says: no SQL, no such URL."""


def tried(folder: Path, examples: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Try the interface of a crawl, and return what Schemathesis says."""
    config = folder.parent / "schemathesis.toml"
    config.write_text(CONFIG)
    program = Path(sys.executable).parent / "schemathesis"
    with serving(folder) as address:
        command = [str(program), "--config-file", str(config), "run"]
        command += [f"{address}{API}/openapi.json", "--max-examples", str(examples), *words]
        command += ["--header", f"Authorization: {BEARER['Authorization']}", "--workers", "1"]
        command += ["--request-timeout", "60", "--generation-database", "none", "--no-color"]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=folder.parent,
            env={**os.environ, "SCHEMATHESIS_HOOKS": ""},
        )


def test_every_request_is_answered_as_the_document_says(tmp_path: Path) -> None:
    leaving_out = [word for name in STARTING for word in ("--exclude-operation-id", name)]
    words = ["--phases", "fuzzing", *leaving_out]
    done = tried(crawled(tmp_path / "site"), 1, *words)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
def test_many_requests_are_answered_as_the_document_says(tmp_path: Path) -> None:
    done = tried(crawled(tmp_path / "site"), 100)
    assert done.returncode == 0, done.stdout + done.stderr
