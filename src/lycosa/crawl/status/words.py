"""Outcomes and refusals in the words of screens, web pages and reports.

Tables, JSON and the reference have the names themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lycosa.model.records import Answer, Outcome

OUTCOMES = {
    "client_error": "refused (4xx)",
    "server_error": "server error (5xx)",
    "disallowed": "forbidden by robots.txt",
    "unavailable": "unavailable (503)",
    "too_many_requests": "too many requests (429)",
    "name_failure": "no address for the name",
    "connect_failure": "no connection",
    "timeout": "no answer in time",
    "soft_404": "error page with status 200",
    "stale_connection": "connection closed without an answer",
    "host_limit": "beyond the pages of a host",
    "probe_honest": "made-up URL, answered by 404 or 410",
    "probe_soft": "made-up URL, answered by a page",
    "probe_inconclusive": "made-up URL, answered by something else",
}

REFUSALS = {
    "too-deep": "too far from the seeds",
    "out-of-scope": "outside the scope",
    "loopback-only": "away from the servers on this machine",
    "known-copy": "other views of kept pages",
    "nofollow": "marked nofollow",
    "refused-port": "port of another service",
    "outside-html": "outside the element html",
    "post": "POST that the job does not name",
    "too-many-redirects": "too many redirects in a row",
    "scheme": "neither http nor https",
    "credentials": "with a user name or password",
    "too-long": "too long",
    "invalid": "not a URL",
}


def in_words(name: str) -> str:
    """Return an outcome or a refusal as a person would say it; other names without underscores."""
    told = OUTCOMES.get(name) or REFUSALS.get(name)
    return told or (name if ":" in name else name.replace("_", " "))


def outcome_in_words(outcome: Outcome) -> str:
    """Return an outcome as a person would say it."""
    return in_words(outcome.name.lower())


def answer_in_words(answer: Answer) -> str:
    """Return the failure of an answer in words, or its status."""
    if answer.failure is None:
        return f"status {answer.status}"
    return outcome_in_words(answer.failure)


def with_code(name: str) -> str:
    """Return the words, and behind them the name that tables and JSON have, where it is another."""
    words = in_words(name)
    if words == name:
        return name
    return f"{words[:-1]}; {name})" if words.endswith(")") else f"{words} ({name})"
