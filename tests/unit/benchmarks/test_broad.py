"""The web of the broad race: every host is found, and those over TLS have a certificate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.broad import web
from cryptography import x509

HOSTS = 120


def test_every_page_is_reached_from_the_first_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "CACHE", tmp_path)
    made = web.BroadWeb(HOSTS, 8080, 8443)
    web.make(made)
    numbers = {made.front(n): n for n in range(HOSTS)}
    waiting, seen = [(0, "")], {(0, "")}
    while waiting:
        number, path = waiting.pop()
        text = (made.folder / "pages" / web.name(number) / (path or "index.html")).read_text()
        for href in re.findall(r'href="([^"]*)"', text):
            target = (numbers[href], "") if "://" in href else (number, href.removeprefix("./"))
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert len(seen) == HOSTS * web.PAGES


def test_hosts_over_tls_have_a_certificate_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "CACHE", tmp_path)
    made = web.BroadWeb(HOSTS, 8080, 8443)
    web.make(made)
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    secure = [n for n in range(HOSTS) if made.front(n).startswith("https://")]
    assert len(secure) == 50
    for number in secure:
        file = made.folder / "certificates" / f"{web.name(number)}.pem"
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        certificate.verify_directly_issued_by(authority)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        assert names.value.get_values_for_type(x509.DNSName) == [web.name(number)]
