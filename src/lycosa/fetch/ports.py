"""Ports at which other services than the web listen: they are not asked unless the job names them.

A page can link to any port, and a service that reads lines may take a request for commands of its
own. Browsers refuse the ports of the Fetch Standard; a crawler also stands near databases, which
browsers seldom do.

A job names a port by `[fetch] ports`, or an origin by a seed that stands in the job itself.

Always true: the ports of http and https, and every port from 32768 on, where systems choose ports
for programs, are not among those refused.
Not here: which addresses may be asked (`lycosa.fetch.guard`).
"""

from __future__ import annotations

from collections.abc import Iterable

_BROWSERS = """
0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115
117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563
587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667
6668 6669 6679 6697 10080
"""
"""The bad ports of the Fetch Standard (https://fetch.spec.whatwg.org/#port-blocking)."""

_SERVICES = {
    "Docker": (2375, 2376),
    "Elasticsearch": (9200, 9300),
    "etcd, ZooKeeper": (2181, 2379, 2380),
    "Kafka, AMQP, MQTT, NATS": (9092, 5672, 1883, 4222),
    "Kubernetes": (6443, 10250, 10255),
    "memcached": (11211,),
    "MongoDB": (27017, 27018, 27019),
    "Cassandra, CouchDB": (9042, 5984),
    "Oracle, SQL Server, MySQL, PostgreSQL": (1521, 1433, 3306, 5432),
    "Redis": (6379, 6380, 16379, 26379),
    "remote shells and screens": (3389, 5900, 5985, 5986),
    "rsync, SMB": (873, 445),
}
"""Services that hold data or run commands, and often ask for no password inside of a network."""

REFUSED = frozenset(
    [*map(int, _BROWSERS.split()), *(port for ports in _SERVICES.values() for port in ports)]
)


class PortGuard:
    """Judges ports for one job; `named` has ports, and origins as `http://a.test:6379`."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        entries = frozenset(named)
        self.ports = REFUSED - {int(entry) for entry in entries if entry.isdecimal()}
        """Ports that are refused, but for origins that are named."""
        self._origins = frozenset(entry for entry in entries if "://" in entry)

    def refuses(self, site: str, port: int) -> bool:
        """Return whether an origin must not be asked because of its port."""
        return port in self.ports and site not in self._origins


def named_origins(origins: Iterable[str]) -> set[str]:
    """Return those of some origins whose ports would be refused."""
    ports = ((origin, origin.rpartition(":")[2]) for origin in origins)
    return {origin for origin, port in ports if port.isdecimal() and int(port) in REFUSED}
