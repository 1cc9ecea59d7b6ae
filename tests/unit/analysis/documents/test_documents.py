from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from lycosa.analysis.documents.document import Unreadable
from lycosa.analysis.documents.formats import read
from lycosa.analysis.documents.office import read_office
from lycosa.analysis.documents.reader import DocumentReader
from lycosa.extract.document_types import is_document
from lycosa_testweb.webs import document_files as make
from lycosa_testweb.webs.documents import DocumentRow, DocumentWeb

ROWS = DocumentWeb().rows


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(seconds=20)
    yield reader
    reader.close()


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_each_kind_of_document_is_read_or_its_fault_named(
    row: DocumentRow, reader: DocumentReader
) -> None:
    found = reader.read(row.body)
    assert (found.outcome, found.title) == (row.outcome, row.title)
    if row.outcome == "read":
        assert f"measured at the {row.word} gauge." in found.text
        assert found.text.count("The river rises") == 2
    else:
        assert not found.text


def test_lines_and_pages_of_a_pdf_stay_in_order() -> None:
    found = read(make.pdf([f"line {number}" for number in range(100)], "(a) \\ title"))
    assert (found.kind, found.pages, found.title) == ("pdf", 3, "(a) \\ title")
    assert found.text.split("\n") == [f"line {number}" for number in range(100)]


def test_entities_are_not_expanded(reader: DocumentReader) -> None:
    found = reader.read(make.laughs())
    assert found.outcome in ("read", "damaged") and len(found.text) < 100


def test_a_document_that_takes_too_long_is_given_up() -> None:
    reader = DocumentReader(seconds=0.001)
    try:
        slow = reader.read(make.bomb(90_000_000))
        assert slow.outcome == "too_slow"
    finally:
        reader.close()


def test_too_little_memory_has_a_name_and_the_next_document_is_read() -> None:
    small = DocumentReader(memory_bytes=200_000_000, seconds=60)
    try:
        assert small.read(make.epub([" " * 95_000_000])).outcome == "too_large"
        assert small.read(make.docx(["still here"])).text == "still here"
    finally:
        small.close()


def test_a_process_that_dies_of_a_document_is_replaced(reader: DocumentReader) -> None:
    assert reader.read(make.docx(["a"])).text == "a"
    assert reader._confined._process is not None
    os.kill(reader._confined._process.pid, signal.SIGSEGV)
    assert reader.read(make.docx(["a"])).outcome == "damaged"
    assert reader.read(make.docx(["a"])).text == "a"


def test_of_a_long_text_the_beginning_is_kept() -> None:
    found = read(make.docx(["word " * 1_100_000]))
    assert (found.outcome, len(found.text)) == ("read", 5_000_000)


def test_cut_documents_are_not_read(reader: DocumentReader) -> None:
    assert reader.read(make.pdf(["a"]), is_truncated=True).outcome == "cut_off"


def test_damage_anywhere_has_a_name(reader: DocumentReader) -> None:
    bodies = [row.body for row in ROWS if row.outcome == "read"]
    for body in bodies:
        for cut in range(0, len(body), max(1, len(body) // 12)):
            for broken in (body[:cut], body[:cut] + b"\xff\x00" + body[cut + 2 :]):
                found = reader.read(broken)
                assert found.outcome in (
                    {"read", "no_text", "damaged", "unsupported", "encrypted", "too_large"}
                )


def test_an_encrypted_office_file_is_told_from_an_old_one() -> None:
    ole = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512)
    assert read(ole + "EncryptedPackage".encode("utf-16-le")).outcome == "encrypted"
    assert read(ole + "WordDocument".encode("utf-16-le")).outcome == "unsupported"


def test_an_archive_that_is_no_document_is_not_read() -> None:
    with pytest.raises(Unreadable, match="unsupported"):
        read_office(make._zipped({"a.txt": "a"}))


def test_rtf_has_letters_beyond_ascii_and_no_fonts() -> None:
    found = read(make.rtf(["Grüße {\\b bold} \\'e9t\\'e9"], "T"))
    assert (found.text, found.title, found.kind) == ("Grüße bold été", "T", "rtf")


def test_documents_are_known_by_type_or_by_their_bytes() -> None:
    assert is_document("application/pdf", b"")
    assert not is_document("text/html", make.pdf(["a"]))
    for row in ROWS:
        if row.word:
            assert is_document("application/octet-stream", row.body), row.name
    assert not is_document("application/zip", make._zipped({"a.txt": "a"}))
    assert not is_document("application/octet-stream", b"MZ")
