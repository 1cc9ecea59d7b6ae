"""`lycosa new plugin` writes a whole project, and never over anything that exists.

That its test passes when it is installed is shown by `test_howto_python.py`.
"""

from __future__ import annotations

import ast
import runpy
import tomllib
from pathlib import Path

import pytest

from lycosa.cli.main import main
from lycosa.testing import show_page

Captured = pytest.CaptureFixture[str]
FILES = [
    "README.md",
    "lycosa_word_heads.py",
    "pyproject.toml",
    "tests/page.html",
    "tests/test_word_heads.py",
]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_project_has_an_entry_point_a_module_a_test_and_a_page(
    tmp_path: Path, capsys: Captured
) -> None:
    assert main(["new", "plugin", "word-heads"]) == 0
    home = tmp_path / "lycosa-word-heads"
    assert files_in(home) == FILES
    assert capsys.readouterr().out.split() == [f"lycosa-word-heads/{file}" for file in FILES]
    project = tomllib.loads((home / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["lycosa.plugins"]
    assert points == {"word-heads": "lycosa_word_heads:plugin"}
    for file in home.rglob("*.py"):
        ast.parse(file.read_text())
    for file in home.rglob("*"):
        assert file.is_dir() or "{name}" not in file.read_text()


def test_headings_with_elements_in_them_are_emitted(tmp_path: Path) -> None:
    assert main(["new", "plugin", "heads"]) == 0
    home = tmp_path / "lycosa-heads"
    made = runpy.run_path(str(home / "lycosa_heads.py"))["plugin"]({})
    shown = show_page(made, home / "tests" / "page.html", url="https://example.org/list")
    assert [item.values for item in shown.items] == [{"text": "Ten walks"}]
    shown = show_page(made, "<h1><a href='/'>Quotes</a></h1>", url="https://example.org/")
    assert [item.values for item in shown.items] == [{"text": "Quotes"}]


@pytest.mark.parametrize("kind", ["folder", "empty", "file", "link"])
def test_nothing_that_exists_is_written_to(kind: str, tmp_path: Path, capsys: Captured) -> None:
    home = tmp_path / "mine"
    if kind == "file":
        home.write_text("mine")
    elif kind == "link":
        home.symlink_to(tmp_path / "elsewhere")
    else:
        home.mkdir()
    if kind == "folder":
        (home / "README.md").write_text("mine")
    before = files_in(tmp_path)
    assert main(["new", "plugin", "heads", "-o", "mine"]) == 1
    assert "exists already, and nothing in it was changed" in capsys.readouterr().err
    assert files_in(tmp_path) == before
    assert kind != "folder" or (home / "README.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["Heads", "1a", "a b", "a--b", "../a", "a.b", "", "ä"])
def test_a_name_that_no_package_can_have_is_refused(
    name: str, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["new", "plugin", name]) == 1
    assert "a plugin cannot be called" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "file").write_text("")
    assert main(["new", "plugin", "heads", "-o", "file/in"]) == 1
    assert "cannot be written: Not a directory" in capsys.readouterr().err


def test_the_name_of_an_installed_plugin_is_refused(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages" / "heads-1.0.dist-info"
    packages.mkdir(parents=True)
    (packages / "METADATA").write_text("Metadata-Version: 2.1\nName: heads\nVersion: 1.0\n")
    (packages / "entry_points.txt").write_text("[lycosa.plugins]\nheads = heads:plugin\n")
    monkeypatch.syspath_prepend(str(packages.parent))
    assert main(["new", "plugin", "heads"]) == 1
    assert "there is a plugin `heads` already, of the package heads 1.0" in capsys.readouterr().err
    assert not (tmp_path / "lycosa-heads").exists()
