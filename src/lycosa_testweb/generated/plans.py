"""Ready-made plans: the webs that most tests want."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lycosa_testweb.generated.missing import Shell, SoftError, ToFront
from lycosa_testweb.generated.plan import Listed, Mixture, Plan, Traits
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.section import Section
from lycosa_testweb.generated.weather import Overload, Pace, RetryAfter
from lycosa_testweb.robots import Robots
from lycosa_testweb.sections import (
    Archive,
    Bulletins,
    Calendar,
    Catalogue,
    Cellar,
    Copies,
    Errors,
    Ghosts,
    Hidden,
    Kind,
    Maze,
    Moves,
    News,
    Press,
    Rooms,
    Series,
    Sessions,
    Sitemaps,
    Thicket,
    Tree,
    Vault,
    Withered,
)
from lycosa_testweb.sections.sitemaps import INDEX_PATH
from lycosa_testweb.windows import Windows

_SLOW = Pace(median_seconds=1.5, spread=0.8)
_OFTEN = Windows(period_seconds=120.0, window_seconds=15.0)
_RARELY = Windows(period_seconds=1800.0, window_seconds=90.0, share=0.5)


_MIXED_ROBOTS: tuple[tuple[Robots, float], ...] = tuple(
    (ROBOTS_KINDS[name], weight)
    for name, weight in (
        ("none", 30.0),
        ("some", 30.0),
        ("crawl-delay", 8.0),
        ("fine crawl-delay", 4.0),
        ("own crawl-delay", 3.0),
        ("own group", 3.0),
        ("wildcards", 3.0),
        ("moved", 3.0),
        ("moved abroad", 2.0),
        ("moved six times", 1.0),
        ("failing at times", 5.0),
        ("refused at times", 3.0),
        ("failing", 1.0),
        ("silent", 1.0),
        ("all", 1.0),
        ("forbidden", 2.0),
    )
)
_MIXED_OVERLOADS = (
    (None, 70.0),
    (Overload(_RARELY), 15.0),
    (Overload(_RARELY, 503, RetryAfter.DATE), 10.0),
    (Overload(_RARELY, retry_after=RetryAfter.UNSAID), 5.0),
)


def small() -> Plan:
    """A dozen hosts on five addresses; every section, every kind of weather."""
    kinds = ROBOTS_KINDS
    return Listed(
        (
            Traits((Tree(3, 2, triples=2), Vault()), kinds["some"]),
            Traits((Thicket(30),), kinds["crawl-delay"], language="de", topic="railways"),
            Traits((Moves(),), kinds["none"], scheme="https", has_annex=True),
            Traits((Errors(),), kinds["empty"], pace=_SLOW),
            Traits((Vault(),), kinds["wildcards"], language="fr", topic="cooking"),
            Traits(
                (Sitemaps(), Copies(), Ghosts()),
                replace(kinds["crlf"], sitemaps=(INDEX_PATH,)),
                language="es",
            ),
            Traits((Hidden(), News()), kinds["own group"], language="it", topic="gardens"),
            Traits((Thicket(8),), kinds["moved abroad"], Overload(_OFTEN)),
            Traits(
                (Thicket(8), Vault()),
                kinds["failing at times"],
                Overload(_OFTEN, 503, RetryAfter.DATE),
                topic="astronomy",
            ),
            Traits(
                (Calendar(), Maze(), Sessions()),
                kinds["exception"],
                Overload(_OFTEN, retry_after=RetryAfter.UNSAID),
            ),
            Traits((Vault(),), kinds["all"]),
            Traits((Vault(),), kinds["failing"]),
            Traits((Tree(2, 1),), kinds["none"], has_address=False),
        ),
        addresses=5,
    )


def forgetful() -> Plan:
    """Hosts with many dead links: those that say so, those that do not, those that cannot."""
    kinds, dying = ROBOTS_KINDS, (Withered(), Vault())
    return Listed(
        (
            Traits(dying, kinds["none"]),
            Traits(dying, kinds["some"], missing=SoftError()),
            Traits(dying, kinds["none"], scheme="https", missing=SoftError(words=60)),
            Traits(
                dying,
                kinds["wildcards"],
                Overload(_OFTEN),
                missing=SoftError(1500, advertisements=2),
                language="de",
            ),
            Traits(dying, kinds["none"], missing=ToFront(), topic="gardens"),
            Traits((Tree(4, 3),), kinds["none"], missing=Shell(), has_annex=True),
            Traits((Catalogue(),), kinds["none"], topic="railways"),
        ),
        addresses=4,
    )


def endless(pages_per_host: int = 120) -> Plan:
    """Hosts with traps beside honest pages, one kind each and all at once; and honest ones.

    Two of the honest ones look like traps: an archive by date, and a catalogue of pages that differ
    in two words. The last but one shows error pages that lead to more of them, the last one is twin
    to the first.
    """
    around, sessions = Thicket(pages_per_host, abroad_share=0.0), Sessions(seconds=1.0)
    return Listed(
        (
            Traits((around, Archive())),
            Traits((around, Calendar())),
            Traits((around, Maze())),
            Traits((around, sessions)),
            Traits((around, Rooms())),
            Traits((around, Calendar(), Maze(), sessions, Rooms())),
            Traits((around, Catalogue(), Copies())),
            Traits((around, Withered()), missing=SoftError()),
            Traits((around, Archive()), twin=0),
        ),
        addresses=9,
    )


@dataclass(frozen=True, slots=True)
class Secrets:
    """The shares of a secretive web that are unlinked, and that do not exist."""

    length: int = 30
    linked_share: float = 0.4
    hole_share: float = 0.05
    folder_share: float = 0.9
    first: int = 1
    pages_per_host: int = 150
    """Of the linked pages around what is hidden."""


def secretive(secrets: Secrets = Secrets(), copies: int = 2) -> Plan:  # noqa: B008  frozen
    """Hosts with hidden pages, one kind of series or several each, and hosts without any.

    The last ones never pay: a thicket, a tree, error pages with status 200, an application that
    shows one shell, a catalogue that has a page for everything.
    """
    around = Thicket(secrets.pages_per_host)

    def series(*kinds: Kind) -> tuple[Section, ...]:
        return (
            around,
            *(
                Series(
                    kind,
                    secrets.length,
                    secrets.linked_share,
                    secrets.hole_share,
                    secrets.first,
                )
                for kind in kinds
            ),
        )

    cellar = Cellar(folder_share=secrets.folder_share)
    hosts = [Traits(series(kind)) for kind in Kind]
    hosts += [
        Traits((*series(Kind.NUMBER, Kind.DAY), cellar)),
        Traits((*series(Kind.PADDED, Kind.PAGING), cellar), missing=ToFront()),
        Traits((*series(Kind.HEXADECIMAL, Kind.FOLDER), cellar), missing=SoftError()),
        Traits((around, cellar)),
        Traits((cellar,)),
        Traits((around,)),
        Traits((Tree(4, 4),)),
        Traits((around,), missing=SoftError(words=80)),
        Traits((Tree(3, 5),), missing=Shell()),
        Traits((Catalogue(),)),
        Traits((around, Calendar(), Sessions()), ROBOTS_KINDS["some"]),
    ]
    return Listed(tuple(hosts * copies), addresses=len(hosts) * copies)


def wide(hosts: int, addresses: int, pages_per_host: int) -> Plan:
    """Large hosts, with mixed demands and failures."""
    return Mixture(
        hosts,
        addresses,
        sections=(
            ((Thicket(pages_per_host),), 8.0),
            ((Thicket(pages_per_host), Vault(), Moves()), 2.0),
        ),
        robots=_MIXED_ROBOTS,
        overloads=_MIXED_OVERLOADS,
        paces=((Pace(), 90.0), (_SLOW, 10.0)),
        https_share=0.3,
        dead_share=0.01,
    )


def varied(hosts: int, addresses: int, pages_per_host: int = 16) -> Plan:
    """Hosts of all sorts, with everything that a study of the web looks at."""
    around = Thicket(pages_per_host, abroad_share=0.25)
    return Mixture(
        hosts,
        addresses,
        sections=(
            ((Press(), around), 4.0),
            ((Copies(), Press(4), around), 2.0),
            ((Tree(3, 2, triples=2), Vault(), Moves(), around), 2.0),
            ((Withered(), Copies(3), around), 1.0),
            ((Calendar(), Sessions(), around), 1.0),
        ),
        robots=_MIXED_ROBOTS,
        overloads=_MIXED_OVERLOADS,
        https_share=0.3,
        dead_share=0.04,
        servers=(
            ("nginx/1.26.2", 8.0),
            ("Apache/2.4.62 (Debian)", 6.0),
            ("nginx", 3.0),
            ("Caddy", 2.0),
            ("lighttpd/1.4.69", 1.0),
            ("", 2.0),
        ),
        dated_share=0.6,
    )


def lively(hosts: int = 3) -> Plan:
    """Return hosts with pages that change each at a rate of its own."""
    bulletins = Bulletins(24, fastest_seconds=1.0, slowest_seconds=7200.0)
    return Listed((Traits((bulletins,), validators=True),) * hosts, addresses=hosts)


def tree(levels: int, fanout: int, triples: int, hosts: int) -> Plan:
    """Hosts that each are one tree, from `/` down."""
    site = Traits((Tree(levels, fanout, triples, folder=""),))
    return Listed((site,) * hosts, addresses=hosts)
