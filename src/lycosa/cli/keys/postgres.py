"""A role of PostgreSQL for crawls, its password, and the lines that let it in by TLS alone.

The role may connect to one database and make schemas there, which Lycosa does for each crawl. It
owns what it has made and nothing else: it is not the owner of the database, no other role may
connect to it, and the role can make neither roles nor databases.

The server learns a verifier of the password (SCRAM-SHA-256), so that neither the file with the
statements nor the server's log holds the password.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from pathlib import Path

ROLE, DATABASE, PORT = "lycosa", "crawls", 5432
_ROUNDS = 4096

SETTINGS = """\
# Lines for postgresql.conf; server.pem and server.key lie in the data directory
# (SHOW data_directory), and belong to the user that runs the server.
listen_addresses = '*'
ssl = on
ssl_cert_file = 'server.pem'
ssl_key_file = 'server.key'
"""
ACCESS = f"""\
# Lines for pg_hba.conf, before all others: the role comes by TLS and with its password only.
hostssl  {DATABASE}  {ROLE}  all  scram-sha-256
host     all     {ROLE}  all  reject
"""


def make_password() -> str:
    """Generate a password."""
    return secrets.token_urlsafe(24)


def statements(password: str) -> str:
    """Return the statements that a superuser of the server runs once, by `psql -f`."""
    return f"""\
-- As a superuser of the server: psql -f role.sql
CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
    PASSWORD '{verifier(password, secrets.token_bytes(16))}';
CREATE DATABASE {DATABASE};
REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC;
GRANT CONNECT, CREATE ON DATABASE {DATABASE} TO {ROLE};
\\connect {DATABASE}
REVOKE ALL ON SCHEMA public FROM PUBLIC;
"""


def verifier(password: str, salt: bytes) -> str:
    """Return the verifier that PostgreSQL stores for a password (RFC 5803)."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    stored = hashlib.sha256(client).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    return f"SCRAM-SHA-256${_ROUNDS}:{_text(salt)}${_text(stored)}:{_text(server)}"


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def password_file(host: str, password: str) -> str:
    """Return the content of the file that `PGPASSFILE` names."""
    return f"{host.strip('[]').replace(':', chr(92) + ':')}:{PORT}:{DATABASE}:{ROLE}:{password}\n"


def log_address(host: str, keys: str | Path) -> str:
    """Return the address of the log, for a machine that has its keys in this folder."""
    return f"postgresql://{ROLE}@{host}/{DATABASE}?sslmode=verify-full&sslrootcert={keys}/ca.pem"
