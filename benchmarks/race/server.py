"""The server of the race: nginx, one worker, on a core of its own.

Pages are sent as they are, uncompressed, over connections that are kept; with `tls` over TLS and
by gzip, for those who take it. A robots file is there to be read; it forbids a folder that no page
has. With `names` the tree is served on 64 loopback addresses, and each page ends with a comment
that names its host: else a crawler that knows what it has seen would keep one copy of 64.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.race.trees import CACHE, Program, Tree

CORE = 1
NAMES = 64
CONFIGURATION = """\
daemon off;
master_process off;
worker_rlimit_nofile 65536;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 300;
  keepalive_requests 10000000;
  open_file_cache max=50000 inactive=600s;
  open_file_cache_valid 600s;
  types {{ text/html html; text/css css; application/javascript js; image/svg+xml svg; }}
  default_type application/octet-stream;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {maps}
  {tls}
  server {{
    {listen}
    root "{root}";
    {mark}
    location = /robots.txt {{
      types {{ }}
      default_type text/plain;
      return 200 "User-agent: *\\nDisallow: /nothing-is-here/\\n";
    }}
  }}
}}
"""
TLS = """\
ssl_certificate {authority};
  ssl_certificate_key {key};
  ssl_protocols TLSv1.3;
  ssl_session_cache shared:SSL:1m;
  gzip on;
  gzip_comp_level 1;
  gzip_types text/css application/javascript image/svg+xml;"""
MARK = "sub_filter '</html>' '<!-- $host --></html>'; sub_filter_once on;"
LINK = """sub_filter '</html>' '<a href="http://$next$uri">$host</a></html>'; sub_filter_once on;"""


def addresses(names: bool) -> list[str]:
    """Return the addresses that are served: one, or one for each name."""
    return [f"127.0.0.{last + 1}" for last in range(NAMES if names else 1)]


def linked(hosts: Sequence[str]) -> str:
    """Return what lets every page of a host also link to the same page of the next host."""
    following = zip(hosts, [*hosts[1:], *hosts[:1]], strict=True)
    return "map $host $next { " + " ".join(f"{host} {after};" for host, after in following) + " }"


@dataclass(frozen=True)
class Place:
    """How a tree is served."""

    names: bool = False
    tls: bool = False
    maps: str = ""

    def configuration(self, tree: Tree, folder: Path, port: int) -> str:
        secure = " ssl" if self.tls else ""
        places = addresses(self.names)
        listen = "\n    ".join(f"listen {address}:{port}{secure};" for address in places)
        mark = LINK if self.maps else MARK if self.names and not tree.hosts else ""
        tls = TLS.format(authority=authority(), key=CACHE / "key.pem") if self.tls else ""
        return CONFIGURATION.format(
            folder=folder, root=tree.root, listen=listen, mark=mark, maps=self.maps, tls=tls
        )


def authority() -> Path:
    """Return the certificate of the race's server, which vouches for itself; it is made once."""
    made = CACHE / "authority.pem"
    if not made.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650"]
        command += ["-keyout", str(CACHE / "key.pem"), "-out", str(made), "-subj", "/CN=race.test"]
        names = "subjectAltName=IP:127.0.0.1,DNS:*.race.test"
        subprocess.run([*command, "-addext", names], check=True, capture_output=True)
    return made


@contextlib.contextmanager
def serving(
    nginx: Program, tree: Tree, *, names: bool = False, tls: bool = False, maps: str = ""
) -> Iterator[int]:
    """Serve a tree; the value is the port. The server is ended when the block is left."""
    with tempfile.TemporaryDirectory(prefix="race-nginx-") as name:
        folder, port = Path(name), free_port()
        file = folder / "nginx.conf"
        file.write_text(Place(names, tls, maps).configuration(tree, folder, port))
        process = subprocess.Popen(
            ["taskset", "-c", str(CORE), nginx.path, "-p", name, "-c", str(file)],
            env={"PATH": "/usr/bin:/bin", **nginx.environment},
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr").open("w"),
        )
        try:
            wait_for(process, ("127.0.0.1", port), folder)
            yield port
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(process: subprocess.Popen[bytes], place: tuple[str, int], folder: Path) -> None:
    """Wait until nginx answers there, or say what it said."""
    for _ in range(200):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(place, 1):
            return
        time.sleep(0.05)
    said = "".join(
        file.read_text() for file in (folder / "stderr", folder / "error.log") if file.exists()
    )
    raise SystemExit(f"nginx does not serve {place[0]}:{place[1]}\n{said}")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
