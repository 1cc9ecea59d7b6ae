"""Orders that the web pages list."""

from __future__ import annotations

from pathlib import Path

from lycosa.runtime.directory import CrawlDirectory


def list_orders(folder: Path) -> list[object]:
    from lycosa.runtime.orders.desk import known_orders

    return list(known_orders(CrawlDirectory(folder)))
