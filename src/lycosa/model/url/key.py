"""The key of a URL, by which the frontier sorts, stores and counts URLs.

A key is the canonical URL with the labels of its host reversed, so that the pages of a
site, the sites of a domain and the domains of a country sort side by side:

    http://www.example.org/a?b      org.example.www:/a?b
    https://example.org:8443/x      org.example:s8443/x
    http://[::1]:81/x               [::1]:81/x

After the host come a colon, an `s` for https, the port unless it is the scheme's default,
the path and the query. IP addresses are not reversed. Nothing is lost: the last label of
a domain is never a number (URL Standard, "ends in a number checker"), so a key whose
first label is a number is an IPv4 address, and `url_of` knows which way to turn it.

Always true:
  * `url_of(key_of(url)) == url` for every canonical URL (see lycosa.model.url.canonical);
  * two canonical URLs never share a key;
  * the first "/" of a key ends its *site*, the unit that robots rules belong to.

Cost: a few slices; `key_of` and `url_of` are linear in the host's labels.
Not here: the way from any href to its key in one call (`canonical_key`), which is compiled in
lycosa.model.url._ada; tests compare it with these functions.
"""

from functools import lru_cache


def _turned(host: str) -> str:
    """Reverse the labels; its own inverse."""
    return ".".join(host.split(".")[::-1])


def key_of(url: str) -> str:
    """Return the key of a canonical URL."""
    scheme, _, rest = url.partition("://")
    slash = rest.index("/")
    host, path = rest[:slash], rest[slash:]
    port = ""
    if host[-1] != "]":
        name, colon, digits = host.rpartition(":")
        if colon:
            host, port = name, digits
    if host[0] != "[" and not host.rpartition(".")[2].isdigit():
        host = _turned(host)
    return f"{host}:s{port}{path}" if scheme == "https" else f"{host}:{port}{path}"


def url_of(key: str) -> str:
    """Return the canonical URL of a key."""
    slash = key.index("/")
    return site_url(key[:slash]) + key[slash:]


def site_of(key: str) -> str:
    """Return scheme, host and port in the form of a key: `org.example.www:s8443`."""
    return key[: key.index("/")]


def site_url(site: str) -> str:
    """Return scheme, host and port in the form of a URL: `https://www.example.org:8443`."""
    host, _, port = site.rpartition(":")
    if port[:1] == "s":
        scheme, port = "https://", port[1:]
    else:
        scheme = "http://"
    host = _host(host)
    return f"{scheme}{host}:{port}" if port else scheme + host


def reversed_host_of(key: str) -> str:
    """Return the host as it stands in the key: `org.example.www`."""
    if key[0] == "[":
        return key[: key.index("]") + 1]
    return key[: key.index(":")]


def host_of(key: str) -> str:
    """Return the host in its usual order: `www.example.org`, `127.0.0.1`, `[::1]`."""
    return _host(reversed_host_of(key))


def is_dynamic(key: str) -> bool:
    """Tell whether the URL has a query."""
    return "?" in key


@lru_cache(maxsize=4096)
def _host(reversed_host: str) -> str:
    if reversed_host[0] == "[" or reversed_host.partition(".")[0].isdigit():
        return reversed_host
    return _turned(reversed_host)
