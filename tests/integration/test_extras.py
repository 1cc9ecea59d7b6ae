"""A plain `pip install lycosa` crawls; a command that needs more says what to type.

The environment is this one without the packages of the extras: links to all other packages.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import lycosa
import lycosa_testweb
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import Listen, SocketWeb

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
EXTRAS: dict[str, list[str]] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
STUDY = (
    "duckdb, numpy, py3langid, scipy\n  install, in the clone of Lycosa: pip install '.[study]'\n"
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of packages that has none of the extras."""
    folder = tmp_path_factory.mktemp("plain")
    extras = {
        Requirement(text).name
        for name in ("search", "serve", "study", "testweb")
        for text in EXTRAS[name]
    }
    for found in Path(sysconfig.get_path("purelib")).iterdir():
        if found.name.split("-")[0].split(".")[0] not in extras and found.suffix != ".pth":
            (folder / found.name).symlink_to(found)
    for package in (lycosa, lycosa_testweb):
        (folder / package.__name__).symlink_to(Path(package.__path__[0]))
    return folder


def run(plain: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    # Without `site` the packages of the environment are out of sight.
    return subprocess.run(
        [sys.executable, "-S", "-m", "lycosa", *map(str, words)],
        env={"PYTHONPATH": str(plain), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("study", ("study", "nowhere")),
        ("report", ("report", "nowhere")),
        ("sql", ("sql", "nowhere", "select 1")),
        ("export", ("export", "ranks", "nowhere", "-o", "ranks.csv")),
    ],
)
def test_a_command_without_its_packages_says_what_to_type(
    plain: Path, command: str, words: tuple[str, ...]
) -> None:
    done = run(plain, *words)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr == f"lycosa {command} needs {STUDY}"


def test_search_without_its_packages_says_what_to_type(plain: Path) -> None:
    asked = "duckdb, tantivy\n  install, in the clone of Lycosa: pip install '.[search]'\n"
    done = run(plain, "search", "nowhere", "word")
    assert (done.returncode, done.stderr) == (1, f"lycosa search needs {asked}")
    done = run(plain, "index", "nowhere", "--only", "text")
    assert (done.returncode, done.stderr) == (1, f"lycosa index --only text needs {asked}")


def test_serve_without_its_packages_says_what_to_type(plain: Path, tmp_path: Path) -> None:
    CrawlDirectory.create(tmp_path / "crawl", Job.of(seeds=["http://a.test/"]))
    asked = (
        "starlette, uvicorn, jinja2\n  install, in the clone of Lycosa: pip install '.[serve]'\n"
    )
    for flags in ((), ("--only", "sparql")):
        done = run(plain, "serve", tmp_path / "crawl", "--port", "0", *flags)
        assert (done.returncode, done.stderr) == (1, f"lycosa serve needs {asked}")
    done = run(plain, "replay", tmp_path / "crawl", "--player", tmp_path)
    assert (done.returncode, done.stderr) == (1, f"lycosa replay needs {asked}")
    words = ("--serve", "--quiet", "--set", "limits.seconds=1")
    done = run(plain, "crawl", "http://127.0.0.1:1/", "-o", tmp_path / "new", *words)
    assert "--serve needs starlette, uvicorn, jinja2\n  install," in done.stderr
    assert (tmp_path / "new" / "log").exists()  # the crawl went on without its page


def test_the_test_web_speaks_https_by_an_extra(plain: Path) -> None:
    done = run(plain, "testweb", "--kind", "small")
    assert done.returncode != 0
    assert "pip install '.[testweb]', or serve http alone: --no-tls" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_crawl_needs_no_extra(plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    with SocketWeb(GeneratedWeb.tree(1, 2), tls=False, listen=Listen(folder=tmp_path)) as server:
        flags = ["--allow-private", "--set", f"fetch.hosts_file={server.hosts_file}"]
        done = run(plain, "crawl", "http://www.s0.test/", "-o", path, "--delay", "0.1s", *flags)
    assert done.returncode == 0, done.stderr
    assert run(plain, "status", path).returncode == 0


def test_a_filter_by_language_needs_one_and_says_so(plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    done = run(plain, "crawl", "http://localhost:9/", "-o", path, "--language", "de")
    assert (done.returncode, path.exists()) == (2, False)
    asked = "numpy, py3langid\n  install, in the clone of Lycosa: pip install '.[study]'\n"
    assert done.stderr == f"[extract] languages needs {asked}"


def test_rendering_needs_a_browser_and_says_so(plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    named = ("--render", "auto", "--set", "render.browser=/nowhere/chromium")
    done = run(plain, "crawl", "http://localhost:9/", "-o", path, *named)
    assert (done.returncode, path.exists()) == (2, False)
    assert "/nowhere/chromium is not a program that can be run" in done.stderr


def test_the_extra_all_has_what_a_user_may_want() -> None:
    named = {Requirement(text) for text in EXTRAS["all"]}
    assert {extra for one in named for extra in one.extras} == set(EXTRAS) - {"all", "dev"}
    developed = {Requirement(text).name for text in EXTRAS["dev"]}
    for extra in ("search", "study", "testweb"):
        assert {Requirement(text).name for text in EXTRAS[extra]} <= developed
