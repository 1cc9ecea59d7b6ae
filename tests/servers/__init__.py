"""Real servers for tests, soaks and benchmarks: PostgreSQL, NATS, S3; on loopback, in a folder.

    postgres   one PostgreSQL, found in /usr/lib/postgresql, on a socket and on a loopback address
    nats       a cluster of NATS servers with JetStream, which can be killed one by one
    seaweed    an S3 store (SeaweedFS)
    proxy      a network between client and server that loses answers and can be cut
    processes  child processes that do not outlive us, folders and loopback addresses
    keeper     the process that keeps servers for all processes of one test run
    fixtures   the fixtures `postgres`, `nats_servers` and `s3_store`

    with postgres_server() as server:
        psycopg.connect(server.url)
        server.kill(); server.start()            # the same data

    with nats_cluster(3) as cluster:
        nats.connect(cluster.urls)
        cluster.kill(0); cluster.start(0)        # the same data

The processes of one test run share their servers, so every test takes a schema, stream or prefix
name of its own (`fresh_name`).
"""

from servers.nats import NatsCluster as NatsCluster
from servers.nats import nats_cluster as nats_cluster
from servers.postgres import PostgresServer as PostgresServer
from servers.postgres import postgres_server as postgres_server
from servers.processes import fresh_name as fresh_name
from servers.seaweed import SeaweedServer as SeaweedServer
from servers.seaweed import seaweed_server as seaweed_server
