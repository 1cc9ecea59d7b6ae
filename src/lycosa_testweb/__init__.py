"""A synthetic web to test crawlers on, and a referee that judges how polite they are.

A web answers as a pure function of the request and the moment (`web`), so it can have millions of
pages and needs no memory. It is served on loopback, or brought to a simulated crawl under a virtual
clock, without sockets. The referee sees what the servers see, also across kills of the crawler.

The web knows the truth about itself (links, robots rules, page counts, versions) by construction.
It parses nothing with the crawler's own code and imports none of it, so that the two can contradict
each other.

    web        the protocol of a web: answers and addresses, and the truth for judges
    generated  a web of any size, made from a seed
    webs       webs made for one purpose, drawn by hand or misbehaving
    servers    serves a web on loopback sockets
    carrier    brings requests to a web without sockets
    referee    judges a client by what the servers saw
    robots     robots files together with their meaning
    walk       the pages that a crawl of limited depth must hold
    mixing     reproducible random numbers by hash
    windows    windows of time in which something is out of order
    parts      the parts of a URL, as a server needs them
    command    the command `lycosa testweb`
    sections   the habits: trees, traps, copies, news and others
    lists      sites with lists of several pages, with an end and without
    topics     a web of any size whose pages have topics, which it knows
"""

from lycosa_testweb.carrier import InProcessCarrier
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import Breach, BreachKind, RefereeRules
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.web import Reply, Truth, Web, request_for
from lycosa_testweb.webs.graph import Faults, GraphWeb, OtherNames

__all__ = [
    "Breach",
    "BreachKind",
    "Faults",
    "GeneratedWeb",
    "GraphWeb",
    "Group",
    "InProcessCarrier",
    "OtherNames",
    "Referee",
    "RefereeRules",
    "Reply",
    "Robots",
    "Truth",
    "Web",
    "request_for",
]
