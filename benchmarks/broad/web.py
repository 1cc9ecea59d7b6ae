"""The web of the broad race, made once into `.cache` and served by nginx on a core of its own.

Every host has a domain, a certificate if its scheme is https, a front page and four pages behind
it. A front page links to its pages and to four other hosts, one of them the next, so that all are
found from any; a page links back, and to one more host.
"""

from __future__ import annotations

import contextlib
import datetime
import random
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.race.server import CORE, free_port, wait_for
from benchmarks.race.trees import CACHE, program
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ADDRESSES = 50
PAGES = 5
WORDS = ("silk", "web", "thread", "prey", "burrow", "venom", "orb", "hunts", "waits", "the", "of")
PAGE_WORDS = 500

CONFIGURATION = """\
daemon off;
master_process off;
user root;
worker_rlimit_nofile 65536;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  sendfile on;
  keepalive_timeout 60;
  types {{ text/html html; }}
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    {listen}
    ssl_certificate {root}/certificates/$ssl_server_name.pem;
    ssl_certificate_key {root}/key.pem;
    ssl_protocols TLSv1.3;
    root {root}/pages/$host;
    index index.html;
    location = /robots.txt {{ types {{ }} default_type text/plain; return 200 "User-agent: *\\n"; }}
  }}
}}
"""


@dataclass(frozen=True)
class BroadWeb:
    """The web at its place: hosts, their addresses, and the ports of both schemes."""

    hosts: int
    plain_port: int = 0
    tls_port: int = 0

    @property
    def folder(self) -> Path:
        return CACHE / f"broad-{self.hosts}"

    @property
    def authority(self) -> Path:
        return self.folder / "authority.pem"

    def front(self, number: int) -> str:
        secure = is_secure(number)
        port = self.tls_port if secure else self.plain_port
        return f"{'https' if secure else 'http'}://{name(number)}:{port}/"

    def hosts_lines(self) -> str:
        return "".join(f"{address(n)} {name(n)}\n" for n in range(self.hosts))


def name(number: int) -> str:
    return f"www.h{number}.test"


def address(number: int) -> str:
    return f"127.0.7.{number % ADDRESSES + 1}"


def is_secure(number: int) -> bool:
    return number // ADDRESSES % 2 == 1


@contextlib.contextmanager
def serving(hosts: int) -> Iterator[BroadWeb]:
    """Serve the web; it is ended when the block is left."""
    nginx = program("nginx", "nginx")
    web = BroadWeb(hosts, free_port(), free_port())
    make(web)
    with tempfile.TemporaryDirectory(prefix="broad-nginx-") as at:
        folder = Path(at)
        listen = "\n    ".join(
            f"listen {address(n)}:{web.plain_port}; listen {address(n)}:{web.tls_port} ssl;"
            for n in range(ADDRESSES)
        )
        file = folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, root=web.folder, listen=listen))
        process = subprocess.Popen(
            ["taskset", "-c", str(CORE), nginx.path, "-p", at, "-c", str(file)],
            env={"PATH": "/usr/bin:/bin", **nginx.environment},
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr").open("w"),
        )
        try:
            wait_for(process, (address(0), web.plain_port), folder)
            yield web
        finally:
            process.terminate()
            process.wait(10)


def make(web: BroadWeb) -> None:
    """Write pages and certificates; links name no port, so that they are the same every time."""
    done = web.folder / ".done"
    if not done.exists():
        _make_certificates(web)
        done.touch()
    draw = random.Random(1)
    for number in range(web.hosts):
        folder = web.folder / "pages" / name(number)
        folder.mkdir(parents=True, exist_ok=True)
        for page in range(PAGES):
            file = folder / ("index.html" if page == 0 else f"page-{page}.html")
            file.write_text(_page(web, number, page, draw))


def _page(web: BroadWeb, number: int, page: int, draw: random.Random) -> str:
    others = [(number + 1) % web.hosts] if page == 0 else []
    others += [draw.randrange(web.hosts) for _ in range(3 if page == 0 else 1)]
    links = [f'<a href="{web.front(other)}">host {other}</a>' for other in others]
    inside = [f"page-{n}.html" for n in range(1, PAGES)] if page == 0 else ["./"]
    links += [f'<a href="{path}">{path}</a>' for path in inside]
    text = " ".join(draw.choices(WORDS, k=PAGE_WORDS))
    title = f"Page {page} of host {number}"
    return (
        f"<!DOCTYPE html><html lang=en><title>{title}</title><h1>{title}</h1>"
        f"<nav>{' '.join(links)}</nav><p>{text}</p></html>"
    )


def _make_certificates(web: BroadWeb) -> None:
    folder = web.folder / "certificates"
    folder.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broad race")])
    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)

    def certificate(subject: x509.Name, *extensions: x509.ExtensionType) -> bytes:
        made = x509.CertificateBuilder(issuer, subject, key.public_key())
        made = made.serial_number(x509.random_serial_number()).not_valid_before(began)
        made = made.not_valid_after(began + datetime.timedelta(days=3650))
        for extension in extensions:
            is_critical = isinstance(extension, x509.BasicConstraints)
            made = made.add_extension(extension, critical=is_critical)
        signed = made.sign(key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM)

    web.authority.write_bytes(certificate(issuer, x509.BasicConstraints(ca=True, path_length=0)))
    for number in filter(is_secure, range(web.hosts)):
        host = name(number)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
        (folder / f"{host}.pem").write_bytes(certificate(subject, names))
    (web.folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
