"""Questions that try to make a SPARQL endpoint ask another host, and some that only look like it.

`{there}` is the address that they try to reach. The crawl that they are put to says
`<http://s.test/> <http://p.test/p> <http://p.test/>`, so that the patterns before `SERVICE` match.
"""

from __future__ import annotations

PREFIXES = (
    "PREFIX ex: <http://p.test/> PREFIX : <http://p.test/> PREFIX a.b: <http://p.test/> "
    "PREFIX h: <{there}> "
)

ATTACKS = (
    "SELECT * { SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { service <{there}> { ?a ?b ?c } }",
    "SELECT * { sErViCe SILENT <{there}> { ?a ?b ?c } }",
    "SELECT * { SERVICE h:x { ?a ?b ?c } }",
    "SELECT * { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p :.SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p a.b:.SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ex:p ex: . OPTIONAL { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } } UNION { ?s ?p ?o } }",
    "SELECT * { GRAPH ?g { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { ?s ?p ?o FILTER EXISTS { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?s ?p :.SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { ?s ?p ?o MINUS { ?s ?p :.SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { { SELECT * { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } } } }",
    "SELECT * { ?s ?p ex:.SERVICE SILENT <{there}> { ?a ?b ?c } }",
    "CONSTRUCT { ?a ?b ?c } { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } }",
    "ASK { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } }",
    "DESCRIBE ?s { ?s ?p ex:.SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT (EXISTS { SERVICE <{there}> {} } AS ?e) {}",
    "SELECT * { ?s ?p ?o } ORDER BY (EXISTS { SERVICE <{there}> {} })",
    "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING(EXISTS { SERVICE <{there}> {} })",
    "SELECT * { SERVICESILENT <{there}> { ?a ?b ?c } }",
    "SELECT * { SERVICEh:x { ?a ?b ?c } }",
    "SELECT * {SERVICE SILENTh:x{}}",
    "PREFIX : <{there}> SELECT * { SERVICE:x { ?a ?b ?c } }",
    "PREFIX : <{there}> SELECT * { SERVICE # a comment\n:x # another\n { ?a ?b ?c } }",
    "SELECT * { VALUES ?u { <{there}> } SERVICE ?u { ?a ?b ?c } }",
    "SELECT * { BIND(<{there}> AS ?u) LATERAL { SERVICE ?u { ?a ?b ?c } } }",
    "SELECT * { ?s ?p ?o LATERAL { SERVICE <{there}> { ?a ?b ?c } } }",
    "SELECT * { #\rSERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p ?o # '\n . SERVICE <{there}> { ?a ?b ?c } # '\n }",
    "SELECT * { ?s ?p ?o FILTER(1 <2)SERVICE <{there}> { ?a ?b ?c } FILTER(3> 2) }",
    "SELECT * { ?s ?p ?o FILTER(true)SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { VALUES ?x { 1 }SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p [].SERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p <http://p.test/>SERVICE <{there}> {} }",
    "SELECT * { ?s ?p trueSERVICE <{there}> {} }",
    "SELECT * { ?s aSERVICE <{there}> {} }",
    "SELECT * { ?s ?p 'it\\'s'.SERVICE <{there}> { ?a ?b ?c } }",
    'SELECT * { ?s ?p """a"b""" . SERVICE <{there}> { ?a ?b ?c } }',
    "SELECT * { \\u0053ERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { \\U00000053ERVICE <{there}> { ?a ?b ?c } }",
    "SELECT * { ?s ?p ?o #\\u000a SERVICE <{there}> { ?a ?b ?c }\n . SERVICE <{there}> {} }",
    "SELECT * { SERVICE <http://name.that.is.not.test/x> { ?a ?b ?c } }",
    "SELECT * { ?s ?p ex:.SERVICE <http://name.that.is.not.test/x> { ?a ?b ?c } }",
    "SELECT * { SERVICE <file:///etc/passwd> { ?a ?b ?c } }",
    "LOAD <{there}>",
    "LOAD SILENT <{there}> INTO GRAPH <http://g.test/>",
    "INSERT { ?a ?b ?c } WHERE { SERVICE <{there}> { ?a ?b ?c } }",
    "ASK {} ; LOAD <{there}>",
    "ADD <{there}> TO DEFAULT",
)
"""None of them may be answered, and none may reach anything."""

HARMLESS = {
    "SELECT ?s FROM <{there}> { GRAPH <{there}> { ?s ?p ?o } }": 0,
    "SELECT ?s FROM NAMED <{there}> { GRAPH ?g { ?s ?p ?o } }": 0,
    "SELECT ?s { GRAPH <{there}> { ?s ?p ?o } }": 0,
    "SELECT ?x { BIND(' SERVICE <{there}> { ?a ?b ?c } ' AS ?x) }": 1,
    'SELECT ?x { BIND(""" SERVICE " <{there}> """ AS ?x) } # SERVICE <{there}> {}': 1,
    "SELECT ?service { ?service ?p ex: }": 1,
    "SELECT ?s { ?s ex:p ex: . OPTIONAL { ?s ex:SERVICE ?o . ?s ex:x.SERVICE ?b } }": 1,
    "PREFIX service: <http://p.test/> SELECT ?s { ?s service:p service: }": 1,
    "SELECT ?x { VALUES ?x { <{there}/SERVICE> 'x'@en-service } }": 2,
}
"""These are answered, with so many rows, and reach nothing either."""


def spelt(question: str, there: str) -> str:
    """Return a question that is about an address."""
    return (PREFIXES + question).replace("{there}", there)
