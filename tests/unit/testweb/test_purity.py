"""Answers depend on the request and the moment, and on nothing else."""

import hashlib
import subprocess
import sys
from itertools import islice

from lycosa_testweb import GeneratedWeb, request_for

MOMENTS = (0.0, 1_700_000_000.0, 1_700_000_123.456)


def fingerprint() -> str:
    total = hashlib.sha256()
    for web in (GeneratedWeb.small(7), GeneratedWeb.wide(7)):
        urls = [*islice(web.all_pages(), 150), *(f"http://{h}/robots.txt" for h in hosts(web))]
        for url in urls:
            for moment in MOMENTS:
                total.update(repr(web.answer(request_for(web, url), moment)).encode())
    return total.hexdigest()


def hosts(web: GeneratedWeb) -> list[str]:
    return list(islice(web.hosts(), 40))


def test_another_process_gets_the_same_answers() -> None:
    script = "import test_purity; print(test_purity.fingerprint())"
    here = __file__.rpartition("/")[0]
    paths = [here, *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {paths!r}; {script}"],
        env={"PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == fingerprint()


def test_the_order_of_asking_changes_nothing() -> None:
    urls = list(GeneratedWeb.small(3).all_pages())

    def ask(order: list[str]) -> dict[str, object]:
        web = GeneratedWeb.small(3)
        return {url: web.answer(request_for(web, url), 99.0) for url in order}

    assert ask(urls) == ask(urls[::-1])


def test_another_seed_is_another_web() -> None:
    first, second = GeneratedWeb.wide(1), GeneratedWeb.wide(2)
    assert [first.links_of(url) for url in islice(first.all_pages(), 50)] != [
        second.links_of(url) for url in islice(first.all_pages(), 50)
    ]


def test_a_web_of_a_million_hosts_keeps_only_recent_ones() -> None:
    web = GeneratedWeb.wide(1, hosts=1_000_000, addresses=10_000)
    far = web.home(987_654)
    assert web.answer(request_for(web, far), 0.0).status in (200, 429, 503, 0)
    assert len(web._sites) < 50
