"""Finds the plugins that a job names, and makes `Hooks` of them.

A name in `[plugins] use` is one of the plugins that the caller passes in, or else an entry point
of the group `lycosa.plugins`. The entry point names a `Plugin`, or a function that is called with
the settings of the job (`[plugins.settings.NAME]`) and returns one.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lycosa.errors import PluginError
from lycosa.model.job import Job

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from lycosa.features.plugins.hooks import Hooks
    from lycosa.features.plugins.plugin import Plugin

GROUP = "lycosa.plugins"


def load_hooks(job: Job, given: Sequence[Plugin] = ()) -> Hooks | None:
    """Return the hooks of a job's plugins; None if it uses none.

    Plugins of the caller need not be named in the job; they come last if they are not.
    """
    here = _by_name(given)
    if here and job.crawl.workers > 1:
        raise PluginError(
            f"the plugins `{'`, `'.join(here)}` are functions of this process, which "
            f"{job.crawl.workers} workers cannot reach\n"
            "  use one worker ([crawl] workers = 1), or install them as a package and name that"
        )
    names = dict.fromkeys([*job.plugins.use, *here])
    if not names:
        return None
    from lycosa.features.plugins.hooks import (
        Hooks,
    )  # imported here: only crawls with plugins come here

    points = entry_points() if any(name not in here for name in names) else {}
    plugins = []
    for name in names:
        plugin = here.get(name) or _load(name, points, job.plugins.settings.get(name, {}))
        plugins.append(plugin)
    return Hooks(plugins, tuple(here))


def with_plugins(job: Job, given: Sequence[Plugin]) -> Job:
    """Return the job with the names of given plugins, so that it says what it is crawled with."""
    use = tuple(dict.fromkeys([*job.plugins.use, *_by_name(given)]))
    return dataclasses.replace(job, plugins=dataclasses.replace(job.plugins, use=use))


def entry_points() -> dict[str, EntryPoint]:
    """Return the plugins that are installed, by name, without loading them."""
    # the import takes 20 ms, and most crawls need no plugin
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def installed() -> dict[str, str]:
    """Return the names of the installed plugins, each with the package that has it."""
    return {
        name: f"{point.dist.name} {point.dist.version}" if point.dist else point.value
        for name, point in sorted(entry_points().items())
    }


def _by_name(given: Sequence[Plugin]) -> dict[str, Plugin]:
    if not given:
        return {}
    from lycosa.features.plugins.plugin import (
        Plugin,
    )  # imported here: only crawls with plugins come here

    found: dict[str, Plugin] = {}
    for plugin in given:
        if not isinstance(plugin, Plugin):
            raise PluginError(
                f"{plugin!r:.200} is not a Plugin\n"
                "  pass Plugin objects, as in plugins=[Plugin('mine', on_page=look)], and name "
                "installed ones in the job"
            )
        if plugin.name in found:
            raise PluginError(f"there are two plugins `{plugin.name}`\n  rename one of them")
        found[plugin.name] = plugin
    return found


def _load(name: str, points: Mapping[str, EntryPoint], settings: Mapping[str, Any]) -> Plugin:
    from lycosa.features.plugins.plugin import Plugin

    point = points.get(name)
    if point is None:
        raise PluginError(
            f"there is no plugin `{name}`\n"
            f"  installed: {', '.join(sorted(points)) or 'none'}; resume a crawl whose plugins are "
            "functions from Python: lycosa.run(DIR, plugins=[...])"
        )
    package = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        found = point.load()
        if callable(found) and not isinstance(found, Plugin):
            found = found(copy.deepcopy(dict(settings)))
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the plugin `{name}` ({package}) cannot be loaded: {type(error).__name__}: {error}\n"
            f"  fix or remove its package, or remove it from [plugins] use"
        ) from error
    if not isinstance(found, Plugin):
        raise PluginError(
            f"the plugin `{name}` ({package}) is {found!r:.200}\n"
            f"  its entry point must name a lycosa.Plugin, or a function that returns one"
        )
    version = found.version or (point.dist.version if point.dist else "")
    return dataclasses.replace(found, name=name, version=version)
