"""Turns replies of answering processes into answers or errors."""

from __future__ import annotations

from lycosa.query.protocol import QueryReply
from lycosa.serve.web.problems import Refusal

STATUSES = {
    "refused": 422,
    "not-acceptable": 406,
    "too-large": 413,
    "too-slow": 503,
    "busy": 503,
    "failed": 500,
    "unguarded": 500,
}


def answered(reply: QueryReply) -> QueryReply:
    """Return a reply that is an answer; raise `Refusal` for any other."""
    if reply.kind != "answer":
        raise Refusal(STATUSES.get(reply.kind, 500), reply.text)
    return reply
