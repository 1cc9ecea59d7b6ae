"""Plugins by their names: entry points of packages that are found on the path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lycosa.errors import PluginError
from lycosa.features.plugins.loader import installed, load_hooks, with_plugins
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.job import Job
from lycosa.runtime.processes.assignments import worker_count

MODULE = """\
from lycosa import Plugin

def made(settings):
    settings.setdefault("seen", True)
    return Plugin("inner", columns={"n": int}, version=settings.get("version", ""))

plain = Plugin("inner")
nonsense = 5

def failing(settings):
    raise OSError("no such file")
"""

POINTS = {
    "made": "shelf_of_plugins:made",
    "plain": "shelf_of_plugins:plain",
    "nonsense": "shelf_of_plugins:nonsense",
    "failing": "shelf_of_plugins:failing",
    "missing": "no_module_of_that_name:plugin",
}


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "shelf-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 2.5\n")
    lines = [f"{name} = {value}" for name, value in POINTS.items()]
    (info / "entry_points.txt").write_text("\n".join(["[lycosa.plugins]", *lines, ""]))
    (tmp_path / "shelf_of_plugins.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)


def job(*use: str, **settings: dict[str, Any]) -> Job:
    return Job.of(plugins={"use": use, "settings": settings})


def test_a_job_without_plugins_has_no_hooks() -> None:
    assert load_hooks(job()) is None


def test_plugins_are_found_by_name_and_told_their_settings() -> None:
    wanted = job("plain", "made", made={"version": "7"})
    hooks = load_hooks(wanted)
    assert hooks is not None
    assert [(plugin.name, plugin.version) for plugin in hooks.plugins] == [
        ("plain", "2.5"),
        ("made", "7"),
    ]
    assert hooks.local == ()
    assert wanted.plugins.settings == {"made": {"version": "7"}}


def test_a_given_plugin_is_taken_before_an_installed_one() -> None:
    mine = Plugin("plain", columns={"x": int})
    hooks = load_hooks(job("plain"), [mine])
    assert hooks is not None
    assert (hooks.plugins, hooks.local) == ((mine,), ("plain",))


def test_given_plugins_come_after_those_of_the_job_and_are_written_into_it() -> None:
    mine = Plugin("mine")
    hooks = load_hooks(job("plain"), [mine])
    assert hooks is not None
    assert hooks.names == ("plain", "mine")
    assert with_plugins(job("plain"), [mine]).plugins.use == ("plain", "mine")


def test_an_unknown_name_is_an_error_that_lists_the_installed_ones() -> None:
    with pytest.raises(PluginError) as caught:
        load_hooks(job("wordcout"))
    assert "there is no plugin `wordcout`" in str(caught.value)
    assert ", ".join(sorted(POINTS)) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nonsense", "is 5"),
        ("failing", "cannot be loaded: OSError: no such file"),
        ("missing", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named_with_its_package(name: str, said: str) -> None:
    with pytest.raises(PluginError) as caught:
        load_hooks(job(name))
    assert f"the plugin `{name}` (shelf 2.5)" in str(caught.value)
    assert said in str(caught.value)


def test_given_plugins_must_be_plugins_with_names_of_their_own() -> None:
    with pytest.raises(PluginError, match="there are two plugins `a`"):
        load_hooks(job(), [Plugin("a"), Plugin("a")])
    with pytest.raises(PluginError, match="is not a Plugin"):
        load_hooks(job(), ["plain"])  # type: ignore[list-item]


def test_functions_of_a_process_cannot_be_shared_by_workers() -> None:
    many = Job.of(crawl={"workers": 3})
    with pytest.raises(PluginError, match=r"`mine` are functions of this process, which 3 workers"):
        load_hooks(many, [Plugin("mine")])
    hooks = load_hooks(Job(), [Plugin("mine")])
    assert worker_count(Job(), None, hooks) == 1
    assert worker_count(many, None, load_hooks(job("plain"))) == 3


def test_the_installed_plugins_are_listed_with_their_packages() -> None:
    assert {name: installed()[name] for name in POINTS} == dict.fromkeys(POINTS, "shelf 2.5")
