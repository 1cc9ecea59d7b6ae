"""Extract the structured data of one document: all triples, or those that a job would keep.

{"file", "base"?, "media_type"?}    → {"ntriples", "left_out"}
"""

from __future__ import annotations

from pathlib import Path

from lycosa.crawl.answers.reading import read_page
from lycosa.extract.structured.distiller import Distiller, Found, Page
from lycosa.features.triples import distiller_of
from lycosa.model.job import Job
from lycosa.model.records import Answer
from lycosa.operate.checking.batch import Batch, Given, optional_text, text
from lycosa.operate.checking.pages import answer_of_file

JSON_LD = "application/ld+json"
MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".jsonld": JSON_LD,
    ".json": JSON_LD,
}
"""Media types by file name ending; any other file is taken for HTML."""


def media_type_of(path: Path) -> str:
    """Return the media type that a file's name suggests."""
    return MEDIA_TYPES.get(path.suffix.lower(), "text/html")


def distil(answer: Answer, base: str, job: Job, *, is_filtered: bool) -> Found:
    """Return the triples of a document in any of the forms that the job reads."""
    content_type = answer.header("content-type") or "text/html"
    distiller = distiller_of(job) if is_filtered else Distiller(job.structured.forms)
    if content_type.partition(";")[0].strip().lower() == JSON_LD:
        return distiller.distil_json_ld(answer.body, base)
    facts = read_page(answer, job)
    # A crawl uses the scan's result for the forms of a page; a check tries all of them.
    facts.has_rdfa = facts.has_microdata = facts.has_json_ld = facts.has_meta = True
    return distiller.distil(Page(answer.body, base, content_type, facts), "b")


def batch(job: Job, *, is_filtered: bool) -> Batch:
    """Return a batch for lines about documents in files."""

    def answer(given: Given) -> dict[str, object]:
        path = Path(text(given, "file"))
        base = optional_text(given, "base") or path.absolute().as_uri()
        media_type = optional_text(given, "media_type") or media_type_of(path)
        found = distil(answer_of_file(path, media_type, job), base, job, is_filtered=is_filtered)
        return {"ntriples": found.triples.decode(), "left_out": dict(found.left_out)}

    return Batch("triples", answer)
