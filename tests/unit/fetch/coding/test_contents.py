from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import brotli
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st
from isal import isal_zlib

from lycosa.fetch.coding import contents
from lycosa.fetch.coding.contents import MOST_CODINGS, Decoded, codings_of, decode
from seeds import examples


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


def quick_brotli(data: bytes) -> bytes:
    return bytes(brotli.compress(data, quality=5))


def two_members(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


def streamed_zstd(data: bytes) -> bytes:
    engine = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    return engine.compress(data) + engine.flush()


def two_frames(data: bytes) -> bytes:
    half = len(data) // 2
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    return zstandard.compress(data[:half]) + skippable + streamed_zstd(data[half:])


WAYS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", two_members),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", quick_brotli),
    ("zstd", zstandard.compress),
    ("zstd", streamed_zstd),
    ("zstd", two_frames),
]
ways = pytest.mark.parametrize(("coding", "encode"), WAYS)

TEXT = b"".join(b"line %d of a page that is like others\n" % n for n in range(3_000))
NOISE = random.Random(1).randbytes(50_000)


@cache
def encoded(encode: Callable[[bytes], bytes], data: bytes) -> bytes:
    return encode(data)


@ways
@given(data=st.binary(max_size=2_000))
def test_what_was_encoded_is_decoded(
    coding: str, encode: Callable[[bytes], bytes], data: bytes
) -> None:
    assert decode(encode(data), [coding], 2_000) == Decoded(data)


@ways
@pytest.mark.parametrize("data", [TEXT, NOISE, TEXT + NOISE, b"\0" * 1_000_000])
def test_large_content_is_decoded_whole(
    coding: str, encode: Callable[[bytes], bytes], data: bytes
) -> None:
    assert decode(encode(data), [coding], len(data)) == Decoded(data)
    assert decode(encode(data), [coding], len(data) - 1) == Decoded(data[:-1], is_cut=True)


def drawn(lengths: list[tuple[int, bool]], seed: int) -> list[bytes]:
    """Return pieces of these lengths, of noise or of one line again and again."""
    chance = random.Random(seed)
    return [
        chance.randbytes(length)
        if is_noise
        else (chance.randbytes(40) * (length // 40 + 1))[:length]
        for length, is_noise in lengths
    ]


def flushed_gzip(pieces: list[bytes]) -> bytes:
    engine = zlib.compressobj(wbits=31)
    sent = b"".join(engine.compress(piece) + engine.flush(zlib.Z_SYNC_FLUSH) for piece in pieces)
    return sent + engine.flush()


def flushed_deflate(pieces: list[bytes]) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    sent = b"".join(engine.compress(piece) + engine.flush(zlib.Z_FULL_FLUSH) for piece in pieces)
    return sent + engine.flush()


def flushed_brotli(pieces: list[bytes]) -> bytes:
    engine = brotli.Compressor(quality=2)
    sent = b"".join(engine.process(piece) + engine.flush() for piece in pieces)
    return sent + bytes(engine.finish())


def flushed_zstd(pieces: list[bytes]) -> bytes:
    engine = zstandard.ZstdCompressor(level=1).compressobj()
    flush = zstandard.COMPRESSOBJ_FLUSH_BLOCK
    sent = b"".join(engine.compress(piece) + engine.flush(flush) for piece in pieces)
    return sent + engine.flush()


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", flushed_gzip),
        ("gzip", lambda pieces: b"".join(map(gzip.compress, pieces)) or gzip.compress(b"")),
        ("deflate", flushed_deflate),
        ("br", flushed_brotli),
        ("zstd", flushed_zstd),
        ("zstd", lambda pieces: b"".join(map(zstandard.compress, pieces))),
    ],
    ids=["gzip", "gzip members", "deflate", "br", "zstd", "zstd frames"],
)
@settings(max_examples=examples(15), deadline=None)
@given(
    lengths=st.lists(st.tuples(st.integers(0, 1_500_000), st.booleans()), max_size=4),
    seed=st.integers(0, 99),
    bound=st.integers(0, 4_000_000),
)
@example(lengths=[(2_850_000, False)], seed=1, bound=2_850_000)
@example(lengths=[(1_500_000, True), (1_350_000, False)], seed=1, bound=4_000_000)
def test_content_in_any_pieces_comes_out_whole_or_up_to_the_bound(
    coding: str,
    encode: Callable[[list[bytes]], bytes],
    lengths: list[tuple[int, bool]],
    seed: int,
    bound: int,
) -> None:
    pieces = drawn(lengths, seed)
    data = b"".join(pieces)
    assert decode(encode(pieces), [coding], bound) == Decoded(data[:bound], len(data) > bound)


def test_a_brotli_body_of_megabytes_keeps_its_end() -> None:
    chance = random.Random(1)
    words = [chance.randbytes(chance.randrange(2, 9)).hex().encode() for _ in range(3_000)]
    data = b" ".join(chance.choice(words) for _ in range(400_000))[:2_850_000]
    assert decode(quick_brotli(data), ["br"], 10_000_000) == Decoded(data)


def reference(coding: str, sent: bytes) -> bytes:
    """Return what an engine that is handed everything byte by byte has to say."""
    engines: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
        "gzip": lambda: zlib.decompressobj(31).decompress,
        "br": lambda: brotli.Decompressor().process,
        "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress,
    }
    engine = engines[coding]()
    return b"".join(engine(sent[at : at + 1]) for at in range(len(sent)))


@pytest.mark.parametrize(
    ("coding", "encode"),
    [("gzip", gzip.compress), ("br", quick_brotli), ("zstd", zstandard.compress)],
)
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
@example(data=None)
def test_of_what_breaks_off_or_is_damaged_nothing_is_lost_that_can_be_decoded(
    coding: str, encode: Callable[[bytes], bytes], data: st.DataObject | None
) -> None:
    content = b"\0" * 1_500_000 + TEXT + NOISE[:3_000]
    sent = encoded(encode, content)
    if data is None:
        tries = [(sent[:at], at) for at in range(1, len(sent), 1 + len(sent) // 40)]
    else:
        at = data.draw(st.integers(0, len(sent) - 1))
        junk = data.draw(st.binary(max_size=4))
        # Damage may cost what stands in the step before it.
        tries = [(sent[:at], at), (sent[:at] + junk + sent[at + len(junk) :], max(0, at - 256))]
    for part, good_until in tries:
        expected = reference(coding, part[:good_until])
        assert decode(part, [coding], 10_000_000).content.startswith(expected)


@ways
@given(cut=st.integers(1, 400), most=st.sampled_from([10, 100_000_000]))
def test_what_is_broken_off_gives_its_beginning(
    coding: str, encode: Callable[[bytes], bytes], cut: int, most: int
) -> None:
    content, is_cut, is_corrupt = decode(encoded(encode, TEXT)[:-cut], [coding], most)
    assert TEXT.startswith(content)
    assert is_cut or is_corrupt or content == TEXT


@ways
@given(at=st.integers(0, 30_000), junk=st.binary(min_size=1, max_size=20))
def test_damage_never_raises(
    coding: str, encode: Callable[[bytes], bytes], at: int, junk: bytes
) -> None:
    sent = bytearray(encoded(encode, NOISE))
    sent[at : at + len(junk)] = junk
    content, _, _ = decode(bytes(sent), [coding], 100_000)
    assert len(content) <= 100_000


@given(
    st.binary(max_size=300),
    st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd"]), max_size=5),
)
def test_no_bytes_make_it_raise(body: bytes, codings: list[str]) -> None:
    decode(body, codings, 1_000)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_costs_no_more_than_its_bound(coding: str) -> None:
    encoders: dict[str, Callable[[bytes], bytes]] = {
        "gzip": lambda data: gzip.compress(data) * 30,
        "deflate": zlib.compress,
        "br": lambda data: brotli.compress(data, quality=1),
        "zstd": lambda data: zstandard.compress(data) * 30,
    }
    bomb = encoders[coding](b"\0" * 60_000_000)
    tracemalloc.start()
    content, is_cut, _ = decode(bomb, [coding], 1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(content), is_cut) == (1_000_000, True)
    assert peak < 12_000_000


def test_a_bomb_within_a_bomb_ends_at_the_bound() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 50_000_000))
    assert decode(bomb, ["gzip", "gzip"], 10_000) == Decoded(b"\0" * 10_000, is_cut=True)


def test_codings_are_undone_from_the_last_to_the_first() -> None:
    sent = brotli.compress(gzip.compress(TEXT))
    assert decode(sent, ["gzip", "br"], len(TEXT)) == Decoded(TEXT)


def test_identity_is_no_coding() -> None:
    assert decode(b"abc", ["identity", ""], 10) == Decoded(b"abc")
    assert decode(b"abc", [], 2) == Decoded(b"ab", is_cut=True)


def test_an_unknown_coding_leaves_the_body_as_it_is() -> None:
    assert decode(b"abc", ["compress"], 10) == Decoded(b"abc", is_corrupt=True)
    assert decode(b"abc", ["gzip"] * (MOST_CODINGS + 1), 10) == Decoded(b"abc", is_corrupt=True)


def test_what_follows_a_gzip_stream_is_padding() -> None:
    assert decode(gzip.compress(TEXT) + b"\0" * 500, ["gzip"], len(TEXT)) == Decoded(TEXT)


def test_codings_are_read_from_headers() -> None:
    assert codings_of(["GZIP, br", "zstd"]) == ["gzip", "br", "zstd"]


def test_damage_late_in_a_stream_keeps_what_stands_before_it() -> None:
    sent = bytearray(gzip.compress(NOISE + TEXT))
    sent[45_000:45_020] = b"\xff" * 20
    content, is_cut, is_corrupt = decode(bytes(sent), ["gzip"], 10_000_000)
    assert (is_cut, is_corrupt) == (False, True)
    assert len(content) > 40_000
    assert content[:40_000] == NOISE[:40_000]


class Counting:
    """An engine that adds up how many bytes it is handed."""

    handed = 0

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def decompress(self, data: bytes, most_bytes: int) -> Any:
        Counting.handed += len(data)
        return self._engine.decompress(data, most_bytes)


@pytest.mark.parametrize("end", [b"", b"\x1f\x8b\x08damage"])
def test_members_without_number_cost_no_more_than_their_bytes(
    monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    for module in (isal_zlib, zlib):
        counting = SimpleNamespace(**vars(module))
        made = module.decompressobj
        counting.decompressobj = lambda wbits, made=made: Counting(made(wbits=wbits))
        monkeypatch.setattr(contents, module.__name__.rpartition(".")[2], counting)
    handed = []
    for count in (1_000, 2_000):
        Counting.handed = 0
        body = gzip.compress(b"") * count + gzip.compress(b"end") + end
        assert decode(body, ["gzip"], 1_000) == Decoded(b"end", is_corrupt=bool(end))
        handed.append(Counting.handed)
    assert handed[1] < 2.1 * handed[0]


def with_every_field(data: bytes) -> bytes:
    """A gzip member whose header has an extra field, a name, a comment and a checksum."""
    head = b"\x1f\x8b\x08\x1e" + b"\0" * 6 + b"\x03\x00abc" + b"name\0" + b"comment\0"
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little")
    return head + gzip.compress(data)[10:]


def two_wrong_members(data: bytes) -> bytes:
    """Two members, of which both checksums will be wrong."""
    half = len(data) // 2
    return _wrong(gzip.compress(data[:half]), 8) + gzip.compress(data[half:])


def _wrong(sent: bytes, from_end: int) -> bytes:
    at = len(sent) - from_end
    return sent[:at] + bytes([sent[at] ^ 0x55]) + sent[at + 1 :]


@pytest.mark.parametrize("size", [1, 100, 5_000, 200_000])
@pytest.mark.parametrize(
    ("coding", "encode", "from_end"),
    [
        ("gzip", gzip.compress, 8),
        ("gzip", gzip.compress, 1),  # the length, behind the checksum
        ("gzip", with_every_field, 8),
        ("gzip", two_wrong_members, 8),
        ("deflate", zlib.compress, 4),
    ],
)
def test_a_wrong_checksum_costs_nothing_of_the_content(
    coding: str, encode: Callable[[bytes], bytes], from_end: int, size: int
) -> None:
    data = (TEXT * 9)[:size]
    found = decode(_wrong(encode(data), from_end), [coding], 10_000_000)
    assert found == Decoded(data, is_corrupt=True)
    assert decode(_wrong(encode(data), from_end), [coding], size) == Decoded(data, is_corrupt=True)
