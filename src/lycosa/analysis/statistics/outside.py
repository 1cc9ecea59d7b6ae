"""Links to hosts that got no request, summed by host, by domain and by top-level domain.

    outside          by host
    outside_domains  by registrable domain (`lycosa.frontier.partitioners`): `bbc.co.uk`
    outside_tlds     by top-level domain: `uk`; of addresses, which have none, it is empty

Pages and URLs count once in each row, so those of a domain are not the sum over its hosts.
"""

from __future__ import annotations

import pyarrow as pa

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection
from lycosa.frontier.partitioners import reversed_domain_of

_AWAY = """
    create temp table away as
    with targets as (
        select regexp_extract(target_url, '^[a-z]+://(\\[[^\\]]*\\]|[^/:]+)', 1) as host,
            source_id, target_id
        from current_links anti join (select distinct url_id from pages) asked
        on target_id = asked.url_id
    )
    select host, source_id, target_id
    from targets
    anti join (select host from pages union select host from hosts) known using (host)
    where host != ''
"""
_COUNTS = """count(*) as links, count(distinct source_id) as pages,
    count(distinct target_id) as targets from away"""
_HOSTS = f"select host, {_COUNTS} group by all order by links desc, host"
_DOMAINS = f"""
    select domain, count(distinct host) as hosts, {_COUNTS} join named using (host)
    group by all order by links desc, domain
"""
_TLDS = f"""
    select tld, count(distinct domain) as domains, count(distinct host) as hosts, {_COUNTS}
    join named using (host) group by all order by links desc, tld
"""


def write_outside(connection: Connection, results: Results) -> None:
    """Write the three tables, from `current_links`, `pages` and `hosts`."""
    connection.execute(_AWAY)
    hosts = connection.execute("select distinct host from away").fetchall()
    connection.register("named", _named([host for (host,) in hosts]))
    results.write(connection, "outside", _HOSTS)
    results.write(connection, "outside_domains", _DOMAINS)
    results.write(connection, "outside_tlds", _TLDS)
    connection.unregister("named")
    connection.execute("drop table away")


def _named(hosts: list[str]) -> pa.Table:
    """Return hosts with their domain and top-level domain."""
    domains, tlds = [], []
    for host in hosts:
        name = host.rstrip(".").lower()
        is_address = host.startswith("[") or name.rpartition(".")[2].isdigit()
        turned = host if is_address else reversed_domain_of(".".join(name.split(".")[::-1]))
        domains.append(host if is_address else ".".join(turned.split(".")[::-1]))
        tlds.append("" if is_address else turned.partition(".")[0])
    schema = pa.schema([("host", pa.string()), ("domain", pa.string()), ("tld", pa.string())])
    return pa.table([hosts, domains, tlds], schema=schema)
