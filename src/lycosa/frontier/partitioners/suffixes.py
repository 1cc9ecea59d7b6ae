"""Lists of public suffixes: which part of a host's name is its registrable domain.

The list decides which partition a host belongs to, and a new release of it comes every week. A
crawl therefore keeps the list that it began with among the notes of its log: machines that were
installed on different days divide the URLs alike, and so does a crawl that is resumed next year.

Only the ICANN section of the public suffix list counts. With the private section every
user of a hosting service would be a domain of their own, spread over many owners, while
their pages come from the same few machines: one owner for `github.io` is the polite choice.

Cost: a crawl that begins reads, shortens and packs the list, some 3 ms; one that goes on unpacks
28 kB. Not here: who writes the note (`features.plugins.scheduling`).
"""

from __future__ import annotations

import hashlib
import re
import zlib
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

import publicsuffixlist
from publicsuffixlist import PublicSuffixList

from lycosa.errors import LogError

MOST_BYTES = 4_000_000
"""The longest list that is unpacked: fifty times today's."""


class Suffixes:
    """A list of public suffixes, a line each, with an empty line before and after."""

    def __init__(self, listed: bytes) -> None:
        """Take the lines as they are; `installed` and `unpacked` prepare them."""
        self.listed = listed
        self._under: dict[str, PublicSuffixList] = {}

    @cached_property
    def digest(self) -> str:
        """The list's identity: lists with one digest give every host one domain."""
        return hashlib.blake2b(self.listed, digest_size=8).hexdigest()

    def packed(self) -> bytes:
        """Return the list as a note keeps it."""
        return zlib.compress(self.listed, 1)

    def reversed_domain_of(self, reversed_host: str) -> str:
        """Return the registrable domain of a host, both reversed: `uk.co.bbc.www` → `uk.co.bbc`.

        A host that is itself a public suffix, has one label or is an IP address stands for
        itself. An unknown top-level domain counts as a suffix.
        """
        if reversed_host[0] == "[" or reversed_host.partition(".")[0].isdigit():
            return reversed_host
        labels = reversed_host.split(".")
        top = labels[0].lower()
        suffixes = self._under.get(top)
        if suffixes is None:
            suffixes = self._under[top] = self._suffixes_under(top)
        domain = suffixes.privatesuffix(".".join(labels[::-1]))
        if not domain:
            return reversed_host
        return ".".join(labels[: domain.count(".") + 1])

    def _suffixes_under(self, top: str) -> PublicSuffixList:
        """Return the suffixes under a top-level domain, in lower case: those that a host can have.

        The package takes 60 ms to prepare and encode all of its list, and few domains of it are
        met.
        """
        names = self._names_under(top)
        if top.startswith("xn--"):
            with suppress(UnicodeError):  # invalid names are not in the list
                names += self._names_under(top[4:].encode("ascii").decode("punycode"))
        names += [".".join(map(_in_ascii, name.split("."))) for name in names if not name.isascii()]
        return PublicSuffixList(names, accept_encoded_idn=False, accept_unknown=True)

    def _names_under(self, top: str) -> list[str]:
        listed, found = self.listed, []
        for ending in (f"\n{top}\n".encode(), f".{top}\n".encode()):
            end = listed.find(ending)
            while end >= 0:
                name = listed[listed.rfind(b"\n", 0, end + 1) + 1 : end + len(ending) - 1]
                found.append(name.decode())
                end = listed.find(ending, end + 1)
        return found


@cache
def installed() -> Suffixes:
    """Read the list that comes with the package, only when it is needed."""
    _, _, text = Path(publicsuffixlist.PSLFILE).read_bytes().partition(b"===BEGIN ICANN DOMAINS===")
    section = text.partition(b"===END ICANN DOMAINS===")[0]
    # Comments are half of the section, and change without a change of any domain.
    return Suffixes(b"\n" + re.sub(rb"(?m)^(?://.*)?\n", b"", section) + b"\n")


@cache
def installed_release() -> str:
    """Return the release of the installed package.

    The name of its metadata folder contains it; reading the metadata itself takes 30 ms.
    """
    folder = Path(publicsuffixlist.__file__).parent.parent
    found = list(folder.glob("publicsuffixlist-*.dist-info"))
    if len(found) == 1:
        return found[0].name.removeprefix("publicsuffixlist-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version("publicsuffixlist")


@cache
def unpacked(note: bytes) -> Suffixes:
    """Return the list that a crawl keeps; a note that holds none is refused."""
    listed = _lines(note)
    if not listed:
        raise LogError(
            "the crawl's list of public suffixes cannot be read, so the partitions of hosts are not"
            " known\n"
            "  repair the log: lycosa verify DIR --repair; on a server, restore it from a copy"
        )
    return Suffixes(listed)


def holds_list(note: bytes) -> bool:
    """Return whether a note can be unpacked."""
    return bool(_lines(note))


def _lines(note: bytes) -> bytes:
    """Unpack a note within bounds; nothing if it was damaged, which its checksum tells."""
    engine = zlib.decompressobj()
    try:
        listed = engine.decompress(note, MOST_BYTES)
        listed.decode()
    except (zlib.error, UnicodeDecodeError):
        return b""
    return listed if engine.eof and listed.endswith(b"\n") else b""


def _in_ascii(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
