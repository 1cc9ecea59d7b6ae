"""Requirements for a PostgreSQL before a crawl is entrusted to it.

They are checked at every joining, because a server may change in between. Each refusal names the
required change. The contest uses the same function as commits: two connections write with the same
expectation, and both must never win.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lycosa.errors import LogError
from lycosa.storage.postgres.connection import Link

OLDEST = 140000
ROUNDS = 8


def refuse_untrusted(link: Link, url: str, durability: str) -> None:
    """Raise `LogError` if the server's version, role or settings cannot be trusted."""
    ((version, is_standby, is_read_only, fsync, pages, synchronous, standbys),) = link.rows(
        """SELECT current_setting('server_version_num')::int, pg_is_in_recovery(),
        current_setting('transaction_read_only') = 'on', current_setting('fsync'),
        current_setting('full_page_writes'), current_setting('synchronous_standby_names'),
        (SELECT count(*) FROM pg_stat_replication
            WHERE coalesce(state, 'streaming') IN ('streaming', 'catchup'))"""
    )
    if version < OLDEST:
        raise LogError(
            f"{url}: is PostgreSQL {version // 10000}; the log needs {OLDEST // 10000} or newer\n"
            "  upgrade the server"
        )
    if is_standby or is_read_only:
        raise LogError(
            f"{url}: is a standby or read-only, so no write is possible\n"
            "  name the primary, or all of them: postgresql://HOST1,HOST2/DATABASE"
            "?target_session_attrs=read-write"
        )
    if durability != "power":
        return
    if fsync != "on" or pages != "on":
        raise LogError(
            f"{url}: has fsync = {fsync} and full_page_writes = {pages}, so a power failure can"
            ' lose acknowledged writes, but the job asks for durability = "power"\n'
            "  set both to on in postgresql.conf"
        )
    if standbys and not synchronous:
        raise LogError(
            f"{url}: has {standbys} standby servers, none of them synchronous: a failover would"
            ' lose acknowledged writes, but the job asks for durability = "power"\n'
            "  set synchronous_standby_names = 'ANY 1 (*)' in postgresql.conf, or ask for"
            ' durability = "process"'
        )


def refuse_unless_one_wins(
    write: Callable[[int, int], bool], head: Callable[[], int], url: str
) -> None:
    """Let two connections write with one expectation, several times; both must never win.

    `write(connection, expect)` returns whether that connection has won. Other machines may hold
    their contest on the same row, so that neither wins.
    """
    with ThreadPoolExecutor(2) as pool:
        for _ in range(ROUNDS):
            expect = head()
            won = list(pool.map(lambda number, e=expect: write(number, e), range(2)))
            if all(won):
                raise LogError(
                    f"{url}: accepted two writers with the same expectation, so an owner that was"
                    " replaced could continue to write\n  no crawl can be entrusted to it: connect"
                    " to the server itself, without a proxy in between"
                )
