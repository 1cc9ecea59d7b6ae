"""The address of a log in a crawl directory is data: no file that it names is loaded as code."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.model.job.log_servers import server_problem
from lycosa.storage.jetstream.address import parse_address
from lycosa.storage.postgres.connection import checked_url
from lycosa.storage.postgres.log import PostgresLog
from warm import lycosa

pytestmark = pytest.mark.quick


@contextmanager
def tls_offering_server() -> Iterator[int]:
    """Say yes to every request for TLS, so that libpq reads certificate and key."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.recv(8)
                    client.send(b"S")

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def shared_object(folder: Path, canary: Path) -> Path:
    """Compile a library that makes a file when it is loaded."""
    source = folder / "evil.c"
    source.write_text(
        "#include <stdio.h>\n"
        "__attribute__((constructor)) static void run(void)\n"
        f'{{ FILE *file = fopen("{canary}", "w"); if (file) fclose(file); }}\n'
    )
    library = folder / "evil.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def test_status_of_a_directory_loads_no_code_by_the_address_of_its_log(tmp_path: Path) -> None:
    canary = tmp_path / "loaded"
    library = shared_object(tmp_path, canary)
    certificate = tmp_path / "client.pem"
    trustme.CA().issue_cert("a.test").cert_chain_pems[0].write_to_path(certificate)
    crawl = tmp_path / "crawl"
    (crawl / "log").mkdir(parents=True)
    with tls_offering_server() as port:
        address = (
            f"postgresql://127.0.0.1:{port}/x?sslmode=require"
            f"&sslcert={certificate}&ssl%6Bey={library}%3Ak"
        )
        (crawl / "crawl.toml").write_text(
            'seeds = ["https://a.test/"]\n'
            f'[log]\nserver = "{address}"\nname = "a"\n[fetch]\ncontact = "a@a.test"\n'
        )
        done = lycosa("status", crawl)
        assert not canary.exists()
        with pytest.raises(ConfigError, match="`:` in `sslkey`"):
            PostgresLog(address, 1, "a", patience_seconds=0.5)
    assert not canary.exists()
    assert done.returncode == 2
    assert "has a `:` in `sslkey`, by which libpq would load an engine" in done.stderr


REFUSED = (
    *("service=x", "passfile=/etc/shadow", "options=-cfsync%3Doff", "sslcrl=/a", "sslcrldir=/a"),
    *("gssencmode=prefer", "krbsrvname=a", "load_balance_hosts=random", "gsslib=gssapi"),
    *("sslsni=0", "requirepeer=a", "client_encoding=utf8", "replication=database", "%6Fptions=-c"),
    *("oauth_issuer=https%3A%2F%2Fa.test", "sslkeylogfile=/a", "sslkey=/a.so:k", "sslcert=a%3Ab"),
    *("sslrootcert=a:b", "dbname=host%3Da", "dbname=postgresql%3A%2F%2Fb"),
)


@pytest.mark.parametrize("parameter", REFUSED)
def test_a_parameter_that_is_not_listed_never_reaches_libpq(parameter: str) -> None:
    address = f"postgresql://a.test/x?{parameter}"
    with pytest.raises(ConfigError, match=r"parameter|engine"):
        checked_url(address)
    with pytest.raises(ConfigError, match=r"server.*(parameter|engine)"):
        Job.of(log={"server": address})


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me@h1:5432,h2:5433/x?target_session_attrs=read-write&connect_timeout=3",
        "postgresql:///x?host=/tmp&port=5433",
        "postgresql://%2Fvar%2Frun%2Fpostgresql/x",
        "postgresql://me%40work@h1/my%20base?application_name=crawl%20one",
        "postgresql://[::1]/x?hostaddr=127.0.0.1&keepalives=1&tcp_user_timeout=5000",
        "postgresql://h/x?sslmode=verify-full&sslrootcert=/a.pem&sslcert=/b.pem&sslkey=/c.key",
        "postgres://h/x?ssl=true&channel_binding=require&require_auth=scram-sha-256",
    ],
)
def test_hosts_sockets_and_certificates_may_be_named(address: str) -> None:
    assert server_problem(address) == ""
    assert checked_url(address)


def test_every_parameter_that_the_list_names_is_one_of_libpq() -> None:
    from lycosa.model.job.log_servers import POSTGRES_PARAMETERS

    for name in POSTGRES_PARAMETERS:
        assert name in checked_url(f"{name}=1")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("tls_ca_file=/a", "no option `tls_ca_file`"),
        ("monitoring=file:///etc", "port or web address"),
        ("monitoring=http://a,file:///etc", "port or web address"),
    ],
)
def test_an_option_of_nats_that_is_not_listed_is_refused(option: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse_address(f"nats://a.test?{option}")
    with pytest.raises(ConfigError, match=told):
        Job.of(log={"server": f"nats://a.test?{option}"})
