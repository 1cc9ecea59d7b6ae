"""The job sections about requests: limits, politeness, robots files, connections and identity."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.model.job.keys import Record, key
from lycosa.model.job.login import SECRET


class Limits(Record):
    """Limits of the whole crawl and of one host."""

    pages: int = key(0, "Pages to keep, revisits included; 0 means no limit.", unit="pages")
    bytes: int = key(0, "Bytes of page bodies to keep; 0 means no limit.", unit="bytes")
    seconds: float = key(0.0, "Time limit of the crawl; 0 means no limit.", unit="seconds")
    patience_seconds: float = key(
        600.0,
        "Time that the crawl waits, over all runs, when all remaining origins refuse"
        " connections, have no address, or have a robots file that cannot be fetched. Then it"
        " gives their URLs up; `lycosa retry` tries them again. Waiting that a server asked for"
        " (Retry-After, "
        "429, 503) does not count. 0 means no limit.",
        unit="seconds",
    )
    free_disk_bytes: int = key(
        1_000_000_000, "The crawl stops when the disk has less free space than this.", unit="bytes"
    )
    until: tuple[str, ...] = key(
        (),
        "The crawl stops when a page with one of these URLs has been kept. After `regex:` comes "
        "a regular expression that may match anywhere in the URL.",
    )
    host_pages: int = key(25_000, "Pages to take from one host; 0 means no limit.", unit="pages")
    depth_static: int = key(
        15, "Links from a seed to the farthest page without a query.", unit="links", most=3000
    )
    depth_dynamic: int = key(
        10, "Links from a seed to the farthest page with a query.", unit="links", most=3000
    )


class Politeness(Record):
    """Pauses between two requests to a host; the longest of them counts."""

    delay_seconds: float = key(15.0, "The pause between requests to a small site.", unit="seconds")
    large_site_pages: int = key(
        100, "A host with more kept pages than this is a large site.", unit="pages"
    )
    large_site_delay_seconds: float = key(
        5.0,
        "The pause between requests to a large site; never longer than that of a small one.",
        unit="seconds",
    )
    ip_delay_seconds: float = key(
        0.5, "The pause between requests to one IP address, over all its hosts.", unit="seconds"
    )
    burst_urls: int = key(
        1,
        "Number of URLs of a host that are fetched in a row without a pause, followed by as many"
        " pauses: one connection then serves them all. The pause of the IP address is kept. A host "
        "that names a Crawl-delay, fails, refuses or is slow gets no bursts. 1 means no bursts.",
        unit="URLs",
        least=1,
        most=20,
    )
    answer_time_factor: float = key(
        1.0, "The pause is at least this many times as long as the last answer took."
    )
    backoff_first_seconds: float = key(
        60.0,
        "The pause after a first 429 or 503 without Retry-After. It doubles with each further one "
        "in a row, and then counts even if Retry-After is shorter. After a first refusal with a "
        "Retry-After the crawl waits just that long, but no less than the usual pause. The same "
        "times separate the tries to connect to an origin that does not answer.",
        unit="seconds",
    )
    backoff_most_seconds: float = key(
        86_400.0, "The longest pause that doubling can reach.", unit="seconds"
    )
    longest_pause_seconds: float = key(
        86_400.0,
        "A host that asks for a longer pause, by Crawl-delay, Visit-time or Retry-After, is put"
        " off: its URLs end as `host_put_off`, and `lycosa retry` queues them again once the"
        " pause is over.",
        unit="seconds",
        least=1,
    )
    strikes: int = key(
        10,
        "Refusals of a host (429, 503), or failed connections to an origin, in a row after which"
        " the crawl gives it up.",
        unit="failures",
        least=1,
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        if self.backoff_first_seconds > self.backoff_most_seconds:
            yield (
                f"`backoff_first_seconds` ({self.backoff_first_seconds:g}) is longer than "
                f"`backoff_most_seconds` ({self.backoff_most_seconds:g})\n"
                "  lower the first or raise the second: the pause starts with the first and "
                "doubles up to the second"
            )


class Robots(Record):
    """How robots files are fetched and cached (RFC 9309)."""

    cache_seconds: float = key(
        86_400.0, "Time for which a robots file is valid; RFC 9309 says a day.", unit="seconds"
    )
    unreachable_retry_seconds: float = key(
        3_600.0,
        "Time between two tries for a robots file that could not be fetched, after three tries "
        "that come 1, 2 and 4 minutes apart if this is longer; until one succeeds the whole site "
        "is disallowed.",
        unit="seconds",
        least=1,
    )
    unreachable_tries: int = key(
        24,
        "After this many failed tries for a robots file its site is given up.",
        unit="tries",
        least=1,
    )
    largest_bytes: int = key(
        512_000,
        "Bytes of a robots file that are read; RFC 9309 demands at least 500 KiB.",
        unit="bytes",
        least=512_000,
    )
    redirects: int = key(
        5, "Redirects to follow on the way to a robots file.", unit="redirects", most=100
    )
    sitemaps: bool = key(
        True,
        "Read the sitemaps that robots files name; if a robots file names none, request"
        " `/sitemap.xml` of the site once, after its first page.",
    )


FILES_A_KEPT = 4
"""Open files for each kept connection: connections of two kinds take half of all files."""


SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers whose values are secrets; a job must not hold them."""


ADDRESSING = (
    "name_servers",
    "hosts_file",
    "proxy",
    "allow_private",
    "private_networks",
    "loopback_origins",
)
"""Keys of `[fetch]` that decide which address a name has. Keys of the guard are included, because
the first of several addresses that it accepts is used.
"""


class Fetch(Record):
    """Requests: identity, connections, time limits, content types."""

    agent: str = key(
        "lycosa",
        "The product token: the name of the crawler in robots files.",
        pattern=r"[A-Za-z_-]+",
        pattern_text="letters, `-` and `_` only (RFC 9309, 2.2.1)",
        is_required=True,
    )
    contact: str = key(
        "",
        "A web page or mail address where site owners reach you; part of the user agent. "
        "Required outside private networks.",
        pattern=r"(|[\x20-\x7e]*([\w.+-]+@[\w-]+(\.[\w-]+)+|https?://[\w-]+[\x21-\x7e]*)[\x20-\x7e]*)",
        pattern_text="a mail address or the URL of a page, such as `you@example.org` or"
        " `https://example.org/about-my-crawl`",
    )
    connections: int = key(
        64,
        "Requests in flight at once, over all hosts and workers. Half of them are reserved for"
        " addresses that have answered, if there are any.",
        unit="connections",
        least=1,
        most=65_536,
    )
    kept_connections: int = key(
        4_096,
        "Connections that are kept open between two requests to their hosts, over all workers:"
        " this number over TLS, and the same number without TLS. A crawl that sends requests to"
        " more hosts in turn needs a new connection for most pages. Over TLS a new connection"
        " takes more processor time than a page, and an "
        "open one some 20 kB of memory.",
        unit="connections",
        most=65_536,
    )
    largest_body_bytes: int = key(
        10_000_000, "Longer bodies are cut off at this size.", unit="bytes", least=1
    )
    retries: int = key(
        3, "Most retries of a page after temporary failures.", unit="tries", most=1000
    )
    retry_first_seconds: float = key(
        60.0, "Time before the first retry; it doubles with each further one.", unit="seconds"
    )
    content_types: tuple[str, ...] = key(
        ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml"),
        "The content types that are kept; `image/*` means all images, `*/*` everything.",
        pattern=r"[a-z0-9!#$&^_.+-]+/([a-z0-9!#$&^_.+-]+|\*)|\*/\*",
        pattern_text="`type/subtype` in lower case, without parameters, `type/*` or `*/*`",
        is_required=True,
    )
    connect_seconds: float = key(
        30.0,
        "Time limit for making a connection, TLS included. An address that has not answered yet"
        " gets 5 seconds for the TCP handshake, and the full time in a second attempt.",
        unit="seconds",
        least=0.001,
    )
    first_byte_seconds: float = key(
        60.0,
        "Time limit from the request to the first byte of the answer.",
        unit="seconds",
        least=0.001,
    )
    total_seconds: float = key(300.0, "Time limit of a whole request.", unit="seconds", least=0.001)
    stop_seconds: float = key(
        5.0,
        "Time that a stopping crawl waits for requests under way; then it cancels them, and"
        " `resume` fetches their pages again.",
        unit="seconds",
    )
    slowest_bytes_per_second: int = key(
        100,
        "An answer that is slower than this for a minute is given up; 0 means no limit.",
        unit="bytes a second",
    )
    bytes_per_second: int = key(
        0,
        "Bandwidth limit over all connections; 0 means no limit.",
        unit="bytes a second",
    )
    allow_private: bool = key(
        False,
        "Allow requests to private, loopback and link-local addresses. Metadata services of "
        "clouds stay refused in any case.",
    )
    private_networks: tuple[str, ...] = key(
        (),
        "Private networks to which requests are allowed, such as `10.20.0.0/16`; the rest "
        "stays refused. A contact is still required, because the public web can be reached too.",
    )
    loopback_origins: tuple[str, ...] = key(
        (),
        "Servers on this machine, such as `localhost:8000`, to which the crawl is restricted: it"
        " needs no contact, and any other host or port is refused. `lycosa crawl` writes them"
        " here if every typed seed is on this machine.",
        pattern=r"(localhost|127\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d{1,5}",
        pattern_text="`localhost` or a loopback address, and a port",
    )
    ports: tuple[str, ...] = key(
        (),
        "Ports, such as `6379`, to which requests are allowed although another service usually"
        " has them (mail, databases, remote shells; browsers refuse most of them). Links to"
        " other such ports are refused as `refused-port`. The origin of a seed in the job is"
        " always allowed.",
        pattern=r"\d{1,5}",
        pattern_text="numbers of ports, as text",
    )
    name_servers: tuple[str, ...] = key(
        (),
        "Name servers to use instead of the system's: addresses, with a port if it is not 53.",
    )
    proxy: str = key(
        "",
        "The proxy that all requests go through; `NO_PROXY` and the like of the environment have "
        "no effect. The proxy resolves the names: private addresses and local names (`localhost`, "
        "`*.internal`, `*.local`) are refused, addresses that it finds for other names are not "
        "checked. A password is `${NAME}`, as in `[login] fields`: `http://me:${NAME}@host:port`. "
        "Needs `pip install '.[proxy]'`.",
        pattern=r"((http|https|socks5h)://[!-~]+)?",
        pattern_text="`http://`, `https://` or `socks5h://`, a host and a port",
        is_confidential=True,
    )
    headers: tuple[str, ...] = key(
        (),
        "Headers to send: the host (`*` for all), a space, and the header, as in "
        "`example.org Accept-Language: de`. Their values are readable in this file; headers with"
        " secrets go to `[login] headers`.",
        pattern=r"[!-~]+ [A-Za-z0-9!#$%&'*+.^_`|~-]+: [ -~]*",
        pattern_text="`host Name: value` in ASCII",
        is_confidential=True,
    )
    cookies: bool = key(
        False,
        "Keep cookies, and send them back only to the origin (scheme, host, port) that set them."
        " A page that redirects to itself and sets a cookie is requested again with the cookie,"
        " after the pause and at most `retries` times, but always at least once.",
    )
    hosts_file: str = key(
        "",
        "A file of host addresses, in the form of `/etc/hosts`, that replaces DNS; "
        "a line `port 80 8080` sends connections for the first port to the second. A relative "
        "path begins at the folder of the job file, with `--set` at the working directory.",
        is_path=True,
    )
    ca_file: str = key(
        "",
        "Certificates (PEM) of authorities to trust besides the system's; relative paths work "
        "as in `hosts_file`.",
        is_path=True,
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole, without secrets in it."""
        if self.loopback_origins:
            for name in ("allow_private", "private_networks", "proxy", "hosts_file"):
                if getattr(self, name):
                    yield (
                        f"has `loopback_origins`, which restrict the crawl, and `{name}`\n"
                        f"  remove one of the two: `{name}` would allow more hosts"
                    )
        for entry in self.headers:
            place, _, line = entry.partition(" ")
            name = line.partition(":")[0]
            if name.lower() in SECRET_HEADERS:
                yield (
                    f"has a secret in `headers`: {name} for {place}\n"
                    f'  write it to [login]: headers = ["https://HOST {name}: ${{NAME}}"], with '
                    "the secret in the environment"
                )
        login, _, _ = self.proxy.partition("://")[2].rpartition("@")
        password = login.partition(":")[2]
        if password and not SECRET.fullmatch(password):
            yield (
                "has a password in `proxy`\n"
                "  write http://USER:${NAME}@HOST:PORT and give the secret in the environment or"
                " [login] secrets_file"
            )

    @property
    def user_agent(self) -> str:
        """The value of the User-Agent header: the product token and the contact."""
        return f"{self.agent} ({self.contact})" if self.contact else self.agent
