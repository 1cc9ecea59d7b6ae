"""Runs a crawl in a cell of a Jupyter notebook, with a progress bar below it.

The kernel of a notebook runs an event loop in the thread in which cells are executed. So the
crawl runs in a thread of its own, and the cell waits for it, as it waits for any other function.
Interrupting the kernel stops the crawl cleanly; interrupting it again stops it at once.

IPython is not needed and not imported, unless a notebook has done so.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from html import escape
from importlib import import_module
from typing import Any, TypeVar

from lycosa.crawl.status.progress import Progress

Result = TypeVar("Result")


def in_notebook() -> bool:
    """Return whether this thread runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def in_thread(crawl: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Call a function in a thread and wait; an interrupt asks it to stop, and the wait goes on."""
    done: list[Result] = []
    failed: list[BaseException] = []

    def call() -> None:
        try:
            done.append(crawl())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=call, name="lycosa-crawl")
    thread.start()
    while thread.is_alive():
        try:
            thread.join(0.2)
        except KeyboardInterrupt:
            stop()
    if failed:
        raise failed[0]
    return done[0]


class ProgressBar:
    """A bar and a line below the cell; without a limit of pages, the line alone."""

    def __init__(self, most_pages: int = 0) -> None:
        display: Any = import_module("IPython.display")
        self._html = display.HTML
        self._most_pages = most_pages
        self._handle = display.display(self._html("<div>Lycosa begins</div>"), display_id=True)

    def show(self, progress: Progress) -> None:
        """Show the progress of the crawl."""
        self._update(
            progress.pages,
            f"{progress.pages:,} pages, {progress.pending:,} URLs pending,"
            f" {progress.pages_per_second:.1f} pages a second, {progress.seconds:.0f} s",
        )

    def end(self, pages: int, reason: str) -> None:
        """Show the number of pages, and the reason why the crawl ended."""
        self._update(pages, f"{pages:,} pages; ended: {reason}")

    def fail(self) -> None:
        """Show that an error ended it; the error itself is shown by the notebook."""
        self._handle.update(self._html("<div>Lycosa: failed</div>"))

    def _update(self, pages: int, said: str) -> None:
        bar = ""
        if self._most_pages:
            bar = f'<progress max="{self._most_pages}" value="{pages}"></progress> '
        self._handle.update(self._html(f"<div>{bar}Lycosa: {escape(said)}</div>"))
