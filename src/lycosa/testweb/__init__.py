"""A web in a box, and a referee beside it.

A web answers as a pure function of the request and the moment (`web`), so it can have
millions of pages and needs no memory: `GeneratedWeb` makes hosts, pages, robots files and
misfortunes out of a seed, `GraphWeb` is drawn by hand. A carrier (`carrier`) brings
requests to it under a virtual clock, without sockets; `server` serves it on loopback, and
`misbehaviour` is a web of what only sockets can do. The referee (`referee`) sees what
the servers see and judges whether the client was polite, also across kills.

The web knows the truth about itself (links, robots, page counts, versions) by
construction. It parses nothing with the crawler's own code and imports none of it, so
that the two can contradict each other.
"""

from lycosa.testweb.carrier import InProcessCarrier
from lycosa.testweb.generated import GeneratedWeb
from lycosa.testweb.graph import GraphWeb
from lycosa.testweb.referee import Referee
from lycosa.testweb.robots import Group, Robots
from lycosa.testweb.rulebook import Breach, BreachKind, RefereeRules
from lycosa.testweb.web import Reply, Truth, Web, request_for

__all__ = [
    "Breach",
    "BreachKind",
    "GeneratedWeb",
    "GraphWeb",
    "Group",
    "InProcessCarrier",
    "Referee",
    "RefereeRules",
    "Reply",
    "Robots",
    "Truth",
    "Web",
    "request_for",
]
