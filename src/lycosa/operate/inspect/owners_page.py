"""Writes the page for owners of sites that `--contact` can point to: one HTML file without script.

The page names the operator and the crawler, its speed, and the ways to stop it. Figures and names
are those of a job. docs/for/site-owners.md tells the same to readers of the documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from lycosa.model.job import Job

_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "td,th{border:1px solid #999;padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "table{border-collapse:collapse}code{font-size:.95em;overflow-wrap:anywhere;white-space:pre-line}"
    ":root{color-scheme:light dark}"
)


def owners_page(job: Job, operator: str, mail: str, purpose: str = "") -> str:
    """Return the page; `operator` and `purpose` are sentences of the operator's own."""
    agent = escape(job.fetch.agent)
    title = f"About the crawler {agent}"
    rows = "".join(
        f"<tr><td><code>{escape(said)}</code></td><td>{does}</td></tr>\n"
        for said, does in _signs(job)
    )
    about = f"<p>{escape(purpose)}</p>\n" if purpose else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>This crawler is run by {escape(operator)}. If it troubles your site, write to "
        f'<a href="mailto:{escape(mail)}">{escape(mail)}</a>.</p>\n{about}'
        f"<h2>How it asks</h2>\n<ul>\n{''.join(_manners(job))}</ul>\n"
        f"<h2>What you can say to it</h2>\n"
        f"<table>\n<tr><th>you send</th><th>what it does</th></tr>\n{rows}</table>\n"
        f"<h2>What it has of your site</h2>\n"
        f"<p>Ask at the address above: the operator can show every request that was sent to your "
        f"site, and delete what was kept of it.</p>\n"
        f"<p>The crawler is Lycosa.</p>\n</body>\n</html>\n"
    )


def _manners(job: Job) -> Iterator[str]:
    politeness, fetch = job.politeness, job.fetch
    yield f"<li>Its User-Agent begins with <code>{escape(fetch.agent)}</code>.</li>\n"
    yield (
        "<li>It sends one request at a time to a host, and to an address that serves several"
        " hosts.</li>\n"
    )
    yield (
        f"<li>It rests {politeness.delay_seconds:g} seconds or more between two requests to a"
        " host; the slower the answer, the longer.</li>\n"
    )
    yield "<li>It reads <code>/robots.txt</code> first, and again each day (RFC 9309).</li>\n"
    yield "<li>It logs in nowhere and sends no form by POST"
    yield ", except where its operator has an account.</li>\n" if job.login.is_used else ".</li>\n"


def _signs(job: Job) -> Iterator[tuple[str, str]]:
    """Yield each signal that an owner may send, and its effect."""
    yield f"User-agent: {job.fetch.agent}\nDisallow: /", "asks for no page, a day later at most"
    yield "Crawl-delay: 30", "rests 30 seconds between two requests"
    yield "Request-rate: 1/5m", "rests five minutes between two requests"
    yield "Visit-time: 0600-0845", "asks for pages at that time of the day alone (UTC)"
    yield "429 or 503 with Retry-After: 3600", "leaves the whole host alone for an hour"
    if job.extract.obey_nofollow:
        yield '<meta name="robots" content="nofollow">', "does not follow the links of the page"
    if job.extract.obey_noindex:
        yield '<meta name="robots" content="noindex">', "keeps the text out of what is published"
    if job.extract.obey_noarchive:
        yield '<meta name="robots" content="noarchive">', "does not show its copy of the page"
    yield '<meta name="revisit-after" content="7 days">', "comes back after a week at the soonest"
