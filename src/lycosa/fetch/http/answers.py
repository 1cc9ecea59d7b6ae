"""Builds an `Answer` from what came over a connection.

It is pure: head lines, body bytes and the reason of a failed transfer, if it failed, go in; the
answer comes out. The head decides. If it is complete and its status is not a success (a
redirect, a 404, a 429), the answer stands even if its body broke off, because
nothing depends on that body, and a `Retry-After` must not be lost with it. A success whose body
broke off is a failure, so that it is tried again; the bytes that arrived are its `beginning`, for
a caller that has tried often enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.fetch.coding.chunks import Framing, dechunk
from lycosa.fetch.coding.contents import codings_of, decode
from lycosa.fetch.coding.heads import BadHead, Head, Headers, read_head
from lycosa.model.records import Answer, Outcome

if TYPE_CHECKING:
    from lycosa.fetch.http._exchange import Received

LONGEST_HEAD_BYTES = 262_144
"""A longer head is not an answer."""
_BLANKS = (b"\r\n", b"\n")

_BODY_MATTERS = frozenset({Outcome.CUT_SHORT, Outcome.TIMEOUT, Outcome.BAD_ANSWER})
_BROKEN_OFF = {Outcome.CUT_SHORT: "disconnect", Outcome.TIMEOUT: "time"}


def compose(
    received: Received, asked: bytes, times: tuple[float, float], most_bytes: int
) -> Answer:
    """Return the answer of a transfer that has ended."""
    began, ended = times
    failure = received.verdict
    # The archive must not have a request that the host never got.
    if not received.was_asked:
        asked = b""
    if failure is not None and not (received.was_asked and received.has_begun):
        return Answer(0, (), b"", began, ended, failure, False, asked)
    try:
        head = received.head or _last_head(received.lines)
    except BadHead:
        return Answer(0, (), b"", began, ended, failure or Outcome.BAD_ANSWER, False, asked)
    if head is None:
        part = b"".join(received.lines)
        return Answer(0, (), b"", began, ended, failure or Outcome.CUT_SHORT, False, asked, part)
    if len(head.sent) > LONGEST_HEAD_BYTES:
        return Answer(0, (), b"", began, ended, Outcome.BAD_ANSWER, False, asked)
    sent = body = received.body()
    status, headers = head.status, head.headers
    # 1xx is interim: the final answer never came (RFC 9110, 15.2). After 101 none follows.
    if status < 200 and status != 101:
        failure = failure or Outcome.CUT_SHORT
        return Answer(0, (), b"", began, ended, failure, False, asked, head.sent, sent)
    is_short, problem = received.is_cut, None
    if head.is_coded:
        body, is_part, problem = _content(sent, headers, most_bytes, received.is_cut)
        is_short = is_short or is_part
    # A broken chunk says more than the end of the connection that followed it.
    if problem is not None and failure in (None, Outcome.CUT_SHORT):
        failure = problem
    if failure is not None:
        if 200 <= status < 300 or failure not in _BODY_MATTERS:
            beginning = None
            if body and (cause := _BROKEN_OFF.get(failure)) is not None:
                beginning = Answer(
                    *(status, headers, body, began, ended, None, True),
                    *(asked, head.sent, sent, head.by_name, cause),
                )
            return Answer(
                *(0, (), b"", began, ended, failure, False),
                *(asked, head.sent, sent),
                beginning=beginning,
            )
        # An error or a redirect says enough by its head, whatever its body lacks.
        is_short = True
    return Answer(
        status, headers, body, began, ended, None, is_short, asked, head.sent, sent, head.by_name
    )


def _last_head(lines: list[bytes]) -> Head | None:
    """Return the last answer's head, or None if it broke off."""
    if not lines or lines[-1] not in _BLANKS:
        return None
    begin = len(lines) - 1
    while begin > 0 and lines[begin - 1] not in _BLANKS:
        begin -= 1
    return read_head(b"".join(lines[begin:]))


def _content(
    sent: bytes, headers: Headers, most_bytes: int, is_cut: bool
) -> tuple[bytes, bool, Outcome | None]:
    """Return the content, whether it is only its beginning, and what is wrong with it."""
    transfer = codings_of(_values(headers, "transfer-encoding"))
    codings = codings_of(_values(headers, "content-encoding"))
    codings += [name for name in transfer if name != "chunked"]
    body, framing = sent, Framing.WHOLE
    if "chunked" in transfer:
        body, framing = dechunk(sent)
    decoded = decode(body, codings, most_bytes)
    if framing is Framing.BAD:
        return decoded.content, True, Outcome.BAD_ANSWER
    if framing is Framing.CUT and sent and not is_cut:
        return decoded.content, True, Outcome.CUT_SHORT
    if decoded.is_corrupt and not decoded.content and not is_cut:
        return b"", True, Outcome.BAD_ANSWER
    return decoded.content, decoded.is_cut or decoded.is_corrupt, None


def _values(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]
