"""Writes the graph of pages or of sites as GraphML or GEXF, for Gephi and libraries for graphs.

A node has a label, which such programs show: the title of a page, or its URL where it has none; the
name of a site. The database makes the lines, so that no Python runs for a node or an edge.

    GraphML   http://graphml.graphdrawing.org/specification.html (Gephi takes the key `label`)
    GEXF      https://gexf.net, version 1.2, which Gephi and networkx both read
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

from lycosa.analysis.study.tables import Connection

FORMATS = ("graphml", "gexf")
_BATCH_ROWS = 50_000
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_NOT_IN_XML = r"[\x{0}-\x{8}\x{B}\x{C}\x{E}-\x{1F}\x{FFFE}\x{FFFF}]"
"""Characters that XML 1.0 has no way to write (section 2.2)."""
_GEXF_TYPES = {"int": "integer"}


class Graph(NamedTuple):
    """The nodes and edges of a graph: columns, and the queries that give them."""

    id: str
    fields: dict[str, str]
    """The columns of the nodes, with their types in GraphML; `label` is one of them."""
    nodes: str
    weight: str
    """The column with the weight of an edge; "" if all edges are alike."""
    edges: str


PAGES = Graph(
    "url_id",
    {
        "label": "string",
        "url": "string",
        "title": "string",
        "site": "string",
        "depth": "int",
        "pagerank": "double",
        "hub": "double",
        "authority": "double",
        "part": "string",
    },
    """
    (
        select ranks.*, title, case when title != '' then title else url end as label
        from ranks left join (
            select url_id, arg_max(pages.title, fetched_at) as title
            from pages where outcome = 'kept' group by url_id
        ) using (url_id)
    )
    """,
    "",
    """
    (
        select source_id as source, target_id as target
        from edges semi join ranks source on source_id = source.url_id
        semi join ranks target on target_id = target.url_id
    )
    """,
)
SITES = Graph(
    "site",
    {
        "label": "string",
        "site": "string",
        "pages": "long",
        "bytes": "long",
        "pagerank_sum": "double",
        "part": "string",
    },
    "(select *, regexp_replace(site, '^[a-z]+://', '') as label from sites)",
    "links",
    "site_links",
)


def write_graph(connection: Connection, file: IO[str], form: str, graph: Graph) -> None:
    """Write a graph whose tables are in the database."""
    parts = _graphml(graph) if form == "graphml" else _gexf(graph)
    for text, query in parts:
        file.write(text)
        if query:
            for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
                file.write("\n".join(batch.column(0).to_pylist()) + "\n" if len(batch) else "")


def _graphml(graph: Graph) -> Iterator[tuple[str, str]]:
    """Yield texts, each with the query whose lines follow it."""
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    )
    for name, kind in graph.fields.items():
        head += f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'
    if graph.weight:
        name = graph.weight
        head += f'<key id="{name}" for="edge" attr.name="{name}" attr.type="int"/>\n'
    data = "".join(
        f" || coalesce('<data key=\"{name}\">' || {_value(name, kind)} || '</data>', '')"
        for name, kind in graph.fields.items()
    )
    yield (
        head + '<graph edgedefault="directed">\n',
        f"select '<node id=\"' || {_text(graph.id)} || '\">'{data} || '</node>' from {graph.nodes}",
    )
    end = "'\"/>'"
    if graph.weight:
        end = f"'\"><data key=\"{graph.weight}\">' || {graph.weight} || '</data></edge>'"
    yield (
        "",
        f"select '<edge source=\"' || {_text('source')} || '\" target=\"' || {_text('target')}"
        f" || {end} from {graph.edges}",
    )
    yield "</graph>\n</graphml>\n", ""


def _gexf(graph: Graph) -> Iterator[tuple[str, str]]:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
        '<graph defaultedgetype="directed" mode="static">\n<attributes class="node">\n'
    )
    fields = {name: kind for name, kind in graph.fields.items() if name != "label"}
    for name, kind in fields.items():
        kind = _GEXF_TYPES.get(kind, kind)
        head += f'<attribute id="{name}" title="{name}" type="{kind}"/>\n'
    data = "".join(
        f" || coalesce('<attvalue for=\"{name}\" value=\"' || {_value(name, kind)} || '\"/>', '')"
        for name, kind in fields.items()
    )
    yield (
        head + "</attributes>\n<nodes>\n",
        f"select '<node id=\"' || {_text(graph.id)} || '\" label=\"' || {_text('label')}"
        f" || '\"><attvalues>'{data} || '</attvalues></node>' from {graph.nodes}",
    )
    weight = f" || '\" weight=\"' || {graph.weight}" if graph.weight else ""
    yield (
        "</nodes>\n<edges>\n",
        f"select '<edge id=\"' || row_number() over () || '\" source=\"' || {_text('source')}"
        f" || '\" target=\"' || {_text('target')}{weight} || '\"/>' from {graph.edges}",
    )
    yield "</edges>\n</graph>\n</gexf>\n", ""


def _value(name: str, kind: str) -> str:
    return _text(name) if kind == "string" else name


def _text(column: str) -> str:
    """Return the SQL that makes a value harmless in XML."""
    column = f"regexp_replace({column}::varchar, '{_NOT_IN_XML}', '', 'g')"
    for character, entity in _ENTITIES.items():
        column = f"replace({column}, '{character}', '{entity}')"
    return column
