"""The keys about pages that are rendered in a browser."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key

MODES = ("off", "auto", "always")


class Render(Record):
    """Rendering pages in a browser, for links and text that scripts make."""

    mode: str = key(
        "off",
        "Pages to render: `none`; with `auto` pages that seem empty without scripts, and pages"
        " of sites where samples (the first pages and some later ones) had more links or text when"
        " rendered; with `always` all pages with scripts. The parts of a page are fetched like any"
        " URL, and count as such.",
        choices=MODES,
    )
    seconds: float = key(
        20.0,
        "Time limit of one page in the browser, not counting the time in which its parts are"
        " fetched.",
        unit="seconds",
        least=1,
        most=600,
    )
    memory_bytes: int = key(
        1_500_000_000,
        "Memory limit of a browser with all its processes. A browser that exceeds it is ended,"
        " and so is the page that it renders.",
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
        "Most times that a page is rendered: it is rendered again whenever missing parts have"
        " arrived.",
        unit="rounds",
        least=1,
        most=20,
    )
    burst_parts: int = key(
        1,
        "Most missing parts of a page that are fetched from one host in a row without a pause,"
        " followed by as many pauses, so that the page is rendered sooner. The pause of the IP"
        " address is kept. There is no such row on a host that names a Crawl-delay, Request-rate or"
        " Visit-time, fails, refuses or is slow, nor with the partitioners `url-hash` and"
        " `url-sum`.",
        unit="parts",
        least=1,
        most=20,
    )
    views: int = key(
        0,
        "Most views of a page to render, each as a page of its own: what a router shows by the "
        "fragment (`#/guide`, `#!guide`). They count as pages in the limits, and nothing is asked "
        "of the server for the document again.",
        unit="views",
        most=10_000,
    )
    clicks: int = key(
        60,
        "Elements of a page to try: buttons, menus, and others that listen to clicks. No data is"
        " ever sent, and only forms with GET are tried.",
        unit="elements",
        most=10_000,
    )
    sample_pages: int = key(
        3,
        "With `auto`: the number of pages with scripts by which a site is judged.",
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
        "Let Chromium run without its own sandbox if it cannot have one: as root, or in a"
        " container without user namespaces. A page that breaks out of the browser then has the "
        "rights of the crawl; run the crawl as another user instead. The variable"
        " `LYCOSA_WITHOUT_SANDBOX=1` does the same for a whole machine.",
    )
    browser: str = key(
        "",
        "The Chromium to use; empty means the system's, or the one that Playwright has installed.",
    )
