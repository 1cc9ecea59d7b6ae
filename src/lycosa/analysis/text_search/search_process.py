"""Answers searches from standard input on standard output, in a process without network.

`python -m lycosa.analysis.text_search.search_process FOLDER MEMORY_BYTES ENDS_WITH_PARENT`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.text_search.search import TextSearch
from lycosa.analysis.text_search.search_pool import SearchRequest
from lycosa.analysis.text_search.things import Things
from lycosa.analysis.triples.answering import run
from lycosa.analysis.triples.protocol import QueryReply
from lycosa.errors import LycosaError


def _answer(search: TextSearch, request: SearchRequest) -> QueryReply:
    try:
        return QueryReply("answer", body=msgspec.msgpack.encode(search.run(request.ask)))
    except LycosaError as error:
        return QueryReply("failed", str(error))
    except Exception as error:
        return QueryReply("failed", f"{type(error).__name__}: {error}")


def main(folder: str, *limits: str) -> None:
    """Run the process."""
    store = TextStore(Path(folder))
    about = Things(Path(folder)).pages_about

    @contextmanager
    def opened() -> Iterator[Callable[[SearchRequest], QueryReply]]:
        with store.reading() as (index, manifest):
            search = TextSearch(index, manifest, about)
            yield partial(_answer, search)
            del index, search

    run(limits, SearchRequest, store.current, opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
