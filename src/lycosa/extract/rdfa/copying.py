"""Copies `rdfa:Pattern` statements to the subjects that ask for them (HTML+RDFa 1.1, 3.3).

A subject with an `rdfa:copy` of an `rdfa:Pattern` gets the pattern's statements, those with further
copies included; a pattern that was copied is then no longer part of the document.
"""

from __future__ import annotations

COPY = b"<http://www.w3.org/ns/rdfa#copy>"
_IS_PATTERN = (
    b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/rdfa#Pattern> ."
)


def with_copies(triples: bytes, room: int) -> bytes:
    """Return triples with their patterns copied; nothing is copied beyond `room` bytes."""
    said: dict[bytes, dict[bytes, None]] = {}
    for line in triples.splitlines():
        subject, _, rest = line.partition(b" ")
        said.setdefault(subject, {})[rest] = None
    copied: set[bytes] = set()
    waiting = [(subject, rest) for subject in said for rest in said[subject]]
    while waiting:
        subject, rest = waiting.pop()
        if not rest.startswith(COPY):
            continue
        pattern = rest[len(COPY) + 1 : -2]
        if _IS_PATTERN not in said.get(pattern, {}):
            continue
        copied.add(pattern)
        said[subject].pop(rest, None)
        # Patterns that copy each other come here again; what is looked at is charged too.
        room -= len(said[pattern])
        if room < 0:
            return triples
        for other in list(said[pattern]):
            if other != _IS_PATTERN and other not in said[subject]:
                room -= len(subject) + len(other) + 2
                if room < 0:
                    return triples
                said[subject][other] = None
                waiting.append((subject, other))
    return b"".join(
        b"%b %b\n" % (subject, rest)
        for subject, about in said.items()
        if subject not in copied
        for rest in about
    )
