"""Counts the words of every page, and stays out of the parts of a site that the job names."""

from typing import Any

from lycosa import Plugin, SeenPage


def plugin(settings: dict[str, Any]) -> Plugin:
    """Make the plugin from the job's [plugins.settings.wordcount]."""
    skip = settings.get("skip", ["/calendar/"])

    def count(page: SeenPage) -> None:
        page["words"] = len(page.text.split())

    def stay_out(url: str) -> str | None:
        return Plugin.reject("skipped") if any(part in url for part in skip) else None

    return Plugin("wordcount", columns={"words": int}, on_page=count, on_url=stay_out)
