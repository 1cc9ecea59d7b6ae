"""The output formats of query results, and the choice of the one that a client prefers.

This module does not import the store, so a program that only passes results on need not load it.
"""

from __future__ import annotations

TABLE = "table"
RESULT_FORMS = ("json", "xml", "csv", "tsv")
GRAPH_FORMS = ("turtle", "ntriples", "nquads", "trig", "rdfxml", "jsonld")
FORMS = (TABLE, *RESULT_FORMS, *GRAPH_FORMS)

MEDIA_TYPES = {
    "json": "application/sparql-results+json",
    "xml": "application/sparql-results+xml",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "turtle": "text/turtle; charset=utf-8",
    "ntriples": "application/n-triples; charset=utf-8",
    "nquads": "application/n-quads; charset=utf-8",
    "trig": "application/trig; charset=utf-8",
    "rdfxml": "application/rdf+xml",
    "jsonld": "application/ld+json",
}
_ACCEPTED = {media.partition(";")[0]: form for form, media in MEDIA_TYPES.items()} | {
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/plain": "ntriples",
}


def chosen_form(accept: str, forms: tuple[str, ...]) -> str | None:
    """Return the available format that a client prefers (RFC 9110, 12.5.1)."""
    best: tuple[float, int] | None = None
    chosen: str | None = None
    for entry in accept.split(","):
        media, *parameters = (part.strip().lower() for part in entry.split(";"))
        quality = _quality(parameters)
        for place, form in enumerate(forms):
            name = MEDIA_TYPES[form].partition(";")[0]
            if media == "*/*" or media == f"{name.partition('/')[0]}/*":
                rank = (quality, -100 - place)
            elif _ACCEPTED.get(media) == form:
                rank = (quality, -place)
            else:
                continue
            if quality > 0 and (best is None or rank > best):
                best, chosen = rank, form
    return chosen


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
