from __future__ import annotations

from lycosa_testweb.command import seeds_of
from lycosa_testweb.generated.web import GeneratedWeb


def test_without_tls_no_seed_is_named_that_cannot_be_reached() -> None:
    web = GeneratedWeb.wide(3, 40, 4, 1000)
    every = seeds_of(web, has_tls=True)
    plain = seeds_of(web, has_tls=False)
    assert 0 < len(plain) < len(every)
    assert plain == [seed for seed in every if seed.startswith("http://")]
