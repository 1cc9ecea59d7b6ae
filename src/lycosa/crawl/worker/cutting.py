"""Gives requests that are under way at a stop some seconds, and then ends them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from lycosa.crawl.ports import Ports
from lycosa.model.clock import Timer

log_messages = logging.getLogger(__name__)


class Cutting:
    """Ends every request once; one per worker."""

    def __init__(
        self, ports: Ports, in_flight: Callable[[], int], on_cut: Callable[[], None]
    ) -> None:
        self._clock = ports.clock
        self._transport = ports.transport
        self._apart = ports.apart
        self._seconds = ports.job.fetch.stop_seconds
        self._in_flight = in_flight
        self._on_cut = on_cut
        self._timer: Timer | None = None
        self.has_begun = False
        """From now on an answer decides nothing: its page stays pending, as if not asked for."""

    def cut_later(self) -> None:
        """Cut after the time that a stop allows; the first call counts."""
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.now() + self._seconds, self._cut)

    def cancel(self) -> None:
        """Cut nothing: all have been answered, or the operator has raised the limit."""
        if self._timer is not None and not self.has_begun:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        if not (count := self._in_flight()):
            return
        log_messages.info(
            "%s still under way %g s after the stop: cut, and asked for again by `resume`",
            "1 request was" if count == 1 else f"{count} requests were",
            self._seconds,
        )
        self.has_begun = True
        self._transport.cut_all()
        if self._apart is not None:
            self._apart.cut_all()
        self._on_cut()
