"""The keys about pages that are rendered in a browser."""

from __future__ import annotations

from lycosa.config.keys import Record, key

MODES = ("off", "auto", "always")


class Render(Record):
    """Rendering pages in a browser, for links and text that scripts make."""

    mode: str = key(
        "off",
        "Which pages are rendered: none; with `auto` those that seem empty without scripts, and "
        "those of sites whose first pages had more links or text when rendered; or `always` all "
        "pages with scripts. What a page needs is fetched like any URL, and counts as one.",
        choices=MODES,
    )
    seconds: float = key(
        20.0,
        "How long one page may take in the browser, without the time in which its parts come.",
        unit="seconds",
        least=1,
        most=600,
    )
    memory_bytes: int = key(
        1_500_000_000,
        "Memory that a browser may take, all its processes together. Beyond it the browser is "
        "ended, and so is the page that it renders.",
        unit="bytes",
        least=300_000_000,
    )
    processes: int = key(
        1,
        "Browsers of each worker, each with processes of its own; one renders a page at a time.",
        unit="browsers",
        least=1,
        most=32,
    )
    rounds: int = key(
        6,
        "How often a page is rendered at most: again whenever parts have come that it lacked.",
        unit="rounds",
        least=1,
        most=20,
    )
    clicks: int = key(
        60,
        "Elements of a page that are tried: buttons, menus, and whatever listens to clicks. "
        "Nothing is ever sent, and no form but one with GET is even tried.",
        unit="elements",
        most=10_000,
    )
    sample_pages: int = key(
        3,
        "With `auto`: pages with scripts by which a site is judged.",
        unit="pages",
        least=1,
        most=100,
    )
    screenshots: bool = key(
        False,
        "Keep a picture of every page that is rendered: PNG, the first 1280 by 800 pixels, in the "
        "archive beside the document. Images, style sheets and fonts of these pages are fetched "
        "as well, each a request of its own.",
    )
    without_sandbox: bool = key(
        False,
        "Let Chromium run without its own sandbox where it can have none: as root, or in a "
        "container without user namespaces. A page that breaks out of the browser then has the "
        "rights of the crawl; run the crawl as another user instead. The variable "
        "`LYCOSA_WITHOUT_SANDBOX=1` says the same for a machine.",
    )
    browser: str = key(
        "",
        "The Chromium to use; empty means the one of the system, or one that Playwright has "
        "installed.",
    )
