"""What is known of a payload and what is noted of it, compiled and in plain Python."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.model.records import Answer, Capture, Outcome, Place, Purpose, Request
from lycosa.model.url import reversed_host_of
from lycosa.storage.archive._appending import LEAST_BYTES, NO_PARTITION, Recent
from lycosa.storage.warc.exchange import Earlier, Message, message_of, tag_of
from seeds import examples

INDEXED = Place(7, 100, 0)
HELD = Place(8, 200, 50)
URLS = ["http://a.test/", "http://b.test/1"]


class Records:
    """Answers for records that cannot be read here: those at some places have the payload."""

    def __init__(self, is_confirmed: bool, is_held: bool) -> None:
        self.is_confirmed, self.is_held = is_confirmed, is_held

    def _confirmed(self, place: Place, answer: Answer, message: Message) -> Earlier | None:
        return Earlier(URLS[0], "date", "file", place.offset) if self.is_confirmed else None

    def _held(self, capture: Capture, message: Message) -> Earlier | None:
        return Earlier(URLS[1], "date", "held", 1) if self.is_held else None


def found(tag: int) -> Place | None:
    return INDEXED if tag % 3 == 0 else None


class Compiled(Records, Recent):
    def __init__(self, is_confirmed: bool, is_held: bool) -> None:
        Records.__init__(self, is_confirmed, is_held)
        Recent.__init__(self, found)


class Plain(Records):
    def __init__(self, is_confirmed: bool, is_held: bool) -> None:
        super().__init__(is_confirmed, is_held)
        self._recent: dict[Any, Place] = {}
        self._losses: dict[int, int] = {}
        self._waiting: list[Any] = []

    def look_for(self, capture: Capture, message: Message) -> tuple[int, Earlier | None, bool]:
        answer, size = capture.answer, message.payload_bytes
        if not size or answer.truncated:
            return 0, None, False
        if capture.held is not None and (held := self._held(capture, message)) is not None:
            return 0, held, True
        tag = tag_of(answer, message)
        place = self._recent.get((tag, self.sharer(capture)))
        if place is None and size >= LEAST_BYTES:
            place = found(tag)
        if place is not None:
            earlier = self._confirmed(place, answer, message)
            if earlier is not None:
                return 0, earlier, earlier.url == capture.request.url
        return (0, None, False) if capture.is_withheld else (tag, None, False)

    def note(self, tag: int, capture: Capture, place: Place, payload_bytes: int) -> None:
        key = tag, self.sharer(capture)
        partition = capture.request.partition if payload_bytes >= LEAST_BYTES else NO_PARTITION
        self._recent[key] = place
        self._waiting.append((partition, key, place))

    def sharer(self, capture: Capture) -> int | str:
        partition = capture.request.partition
        if partition < 0:
            return reversed_host_of(capture.key)
        if lost := self._losses.get(partition):
            return f"{partition} {lost}"
        return partition


CAPTURES = st.builds(
    lambda url, partition, body, truncated, held, withheld: Capture(
        "test.a:/",
        Purpose.PAGE,
        Outcome.KEPT,
        0,
        Request(url, "a.test", "", Purpose.PAGE, "", 1, partition),
        Answer(200, (), body, 0.0, 1.0, truncated=truncated),
        held=held,
        is_withheld=withheld,
    ),
    st.sampled_from(URLS),
    st.sampled_from([-1, 0, 1]),
    st.sampled_from([b"", b"short", b"x" * 300, b"y" * 300, b"z" * 256]),
    st.sampled_from([False, False, True]),
    st.sampled_from([None, None, HELD]),
    st.sampled_from([False, False, True]),
)


@settings(max_examples=examples(300))
@given(
    st.lists(st.tuples(CAPTURES, st.booleans(), st.booleans()), max_size=12),
    st.booleans(),
)
def test_payloads_are_known_and_noted_as_the_plain_functions_say(
    told: list[tuple[Capture, bool, bool]], is_confirmed: bool
) -> None:
    compiled, plain = Compiled(is_confirmed, True), Plain(is_confirmed, True)
    for number, (capture, is_held, is_lost) in enumerate(told):
        for one in (compiled, plain):
            one.is_held = is_held
            if is_lost:
                one._losses[0] = one._losses.get(0, 0) + 1
        message = message_of(capture.answer)
        known = compiled.look_for(capture, message)
        assert known == plain.look_for(capture, message)
        if known[0]:
            place, size = Place(1, number, 10), message.payload_bytes
            compiled.note(known[0], capture, place, size)
            plain.note(known[0], capture, place, size)
    assert compiled._recent == plain._recent
    assert list(compiled._waiting) == plain._waiting
    assert compiled._noted == len(plain._waiting)


def test_only_captures_are_taken() -> None:
    message = message_of(Answer(200, (), b"abc", 0.0, 1.0))
    with pytest.raises(TypeError, match="a capture is expected, not int"):
        Compiled(True, True).look_for(cast("Capture", 1), message)
