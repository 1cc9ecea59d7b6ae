"""A synthetic web to test crawlers on, and a referee that judges how polite they are.

A web answers as a pure function of the request and the moment (`web`), so it can have millions of
pages and needs no memory. It is served on loopback, or brought to a simulated crawl under a virtual
clock, without sockets. The referee sees what the servers see, also across kills of the crawler.

The web knows the truth about itself (links, robots rules, page counts, versions) by construction.
It parses nothing with the crawler's own code and imports none of it, so that the two can contradict
each other.

    web           the protocol of a web: answers and addresses, and the truth for judges
    generated     a web of any size, made from a seed
    plan          describes a generated web: its hosts and their traits
    plans         ready-made plans: the webs that most tests want
    section       the protocol of a section: one folder of a site with one habit
    sections      the habits: trees, traps, copies, news and others
    page          a page before it is HTML: status, text, links, triples
    words         texts for pages, by language and topic
    forms         spellings of one and the same link
    missing       replies of a host to URLs that it does not have
    weather       latency and overload of a host
    windows       windows of time in which something is out of order
    mixing        reproducible random numbers by hash
    robots        robots files together with their meaning
    robots_kinds  the kinds of robots files that generated hosts have
    graph         a web drawn by hand, for exact tests
    papers        webs that repeat the tables of the RDFa spider's paper
    books         a small library with structured data in every form
    misbehaviour  a web of misbehaving hosts, and the outcomes that are right
    misdeeds      what those servers send: one generator per misdeed
    wild_pages    pages that are valid HTTP but hard to read
    raw           the protocol of a web that needs sockets
    carrier       brings requests to a web without sockets
    server        serves a web on loopback sockets
    connection    one HTTP/1.1 connection of that server
    doors         ways to accept connections: at once, slowly, never
    places        loopback addresses and the hosts file
    certificates  TLS certificates, good and bad
    referee       judges a client by what the servers saw
    rulebook      the rules that it judges by, and breaches of them
    ledger        its memory: hosts, addresses, requests
    robots_watch  the robots files that each site has shown the client
    record        records what a server saw, for a judge in another process
    walk          the pages that a crawl of limited depth must hold
    parts         the parts of a URL, as a server needs them
    command       the command `lycosa testweb`
"""

from lycosa.testweb.carrier import InProcessCarrier
from lycosa.testweb.generated import GeneratedWeb
from lycosa.testweb.graph import Faults, GraphWeb, OtherNames
from lycosa.testweb.referee import Referee
from lycosa.testweb.robots import Group, Robots
from lycosa.testweb.rulebook import Breach, BreachKind, RefereeRules
from lycosa.testweb.web import Reply, Truth, Web, request_for

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
