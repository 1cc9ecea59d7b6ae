"""Lines of the index, compiled and in plain Python."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.storage.warc import cdx
from seeds import examples

SIMPLE = re.compile(r"/[A-Za-z0-9/._~+-]*+")


def surt(url: str) -> str:
    slash = url.index("/", 8)
    site, rest = cdx._site(url[:slash]), url[slash:]
    if SIMPLE.fullmatch(rest) and "//" not in rest and "/." not in rest:
        path = rest.lower()
        return f"{site}{path[:-1] if len(path) > 1 and path[-1] == '/' else path}"
    return site + cdx._rest(rest)


def timestamp(microseconds: int) -> str:
    return cdx._second(microseconds // 1_000_000)


def line(entry: cdx.IndexEntry) -> str:
    kind = '"warc/revisit"' if entry.is_revisit else cdx.mime(entry.content_type)
    digest = (entry.digest or "-").removeprefix("sha1:")
    # A canonical URL is printable ASCII without quotes: JSON as it stands, but for back slashes.
    url = entry.url.replace("\\", "\\\\")
    return (
        f'{surt(entry.url)} {timestamp(entry.began)} {{"url": "{url}", "mime": {kind},'
        f' "status": "{entry.status}", "digest": "{digest}", "length": "{entry.length}",'
        f' "offset": "{entry.offset}", "filename": "{entry.file}"}}\n'
    )


ENTRIES = st.builds(
    cdx.IndexEntry,
    st.builds(
        lambda site, path: f"{site}/{path}",
        st.sampled_from(["http://www.A.test", "https://www2.b.test:8443", "http://10.0.0.1:80"]),
        st.text("/aB.~+-_9?&=;%2\\\\()", max_size=14),
    ),
    st.integers(0, 4_000_000_000_000_000),
    st.sampled_from(["", "text/html", "Text/HTML; charset=x", 'a"b']),
    st.sampled_from([200, 304]),
    st.sampled_from([None, "", "sha1:ABC", "ABC"]),
    st.integers(0, 1 << 40),
    st.integers(0, 1 << 40),
    st.just("a.warc.gz"),
    st.booleans(),
)


@settings(max_examples=examples(400))
@given(st.lists(ENTRIES, max_size=6))
def test_lines_are_those_of_the_plain_functions(entries: list[cdx.IndexEntry]) -> None:
    for entry in entries:
        assert cdx.line(entry) == line(entry)
        assert cdx.surt(entry.url) == surt(entry.url)
