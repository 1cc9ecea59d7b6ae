"""An alarm: one timer that is only ever brought forward.

A worker asks for its next tick from many places, each with a moment of its own. Only the earliest
counts: the tick does everything that is due. `Alarm` is compiled, because every page asks.
"""

from __future__ import annotations

from lycosa.crawl.worker._pump import Alarm

__all__ = ["NEVER", "Alarm"]

NEVER = float("inf")
