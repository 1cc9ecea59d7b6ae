"""The names of Lycosa's keys in other crawlers, for the error text about an unknown key.

A person who comes from Scrapy, Heritrix, Nutch, wget or HTTrack writes `max_depth` or
`download_delay`, which resembles none of Lycosa's keys by its letters.
"""

from __future__ import annotations

_ROBOTS = "robots rules are always obeyed; there is no key for it"

OTHER_NAMES: dict[str, tuple[tuple[str, str], ...] | str] = {
    **dict.fromkeys(
        ("depth", "max_depth", "depth_limit", "maxdepth", "level", "levels", "max_hops", "hops"),
        (("limits", "depth_static"), ("limits", "depth_dynamic")),
    ),
    **dict.fromkeys(
        ("max_pages", "page_limit", "closespider_pagecount", "topn", "max_documents", "max_urls"),
        (("limits", "pages"),),
    ),
    **dict.fromkeys(("max_bytes", "quota", "max_size"), (("limits", "bytes"),)),
    **dict.fromkeys(("max_time", "time_limit", "closespider_timeout"), (("limits", "seconds"),)),
    **dict.fromkeys(
        ("delay", "download_delay", "crawl_delay", "wait", "pause", "min_delay", "throttle"),
        (("politeness", "delay_seconds"),),
    ),
    **dict.fromkeys(("user_agent", "useragent", "ua", "bot_name"), (("fetch", "agent"),)),
    **dict.fromkeys(("email", "mail", "operator", "from"), (("fetch", "contact"),)),
    **dict.fromkeys(
        ("timeout", "download_timeout", "request_timeout"),
        (("fetch", "total_seconds"), ("fetch", "connect_seconds")),
    ),
    **dict.fromkeys(
        ("concurrency", "concurrent_requests", "threads", "parallel", "max_connections"),
        (("fetch", "connections"),),
    ),
    **dict.fromkeys(
        ("keep_alive", "keepalive", "pool_size", "idle_connections", "max_idle"),
        (("fetch", "kept_connections"),),
    ),
    **dict.fromkeys(("processes", "crawlers", "num_workers"), (("crawl", "workers"),)),
    **dict.fromkeys(
        ("download_maxsize", "max_file_size", "http_content_limit", "max_body"),
        (("fetch", "largest_body_bytes"),),
    ),
    **dict.fromkeys(("bandwidth", "limit_rate", "rate_limit"), (("fetch", "bytes_per_second"),)),
    **dict.fromkeys(("retry_times", "max_retries"), (("fetch", "retries"),)),
    **dict.fromkeys(("language", "lang", "langs"), (("extract", "languages"),)),
    **dict.fromkeys(("mime_types", "types", "content_type"), (("fetch", "content_types"),)),
    **dict.fromkeys(("http_proxy", "https_proxy"), (("fetch", "proxy"),)),
    **dict.fromkeys(("order", "strategy", "policy"), (("frontier", "scheduler"),)),
    **dict.fromkeys(("images", "page_requisites", "assets"), (("extract", "requisites"),)),
    **dict.fromkeys(("robotstxt_obey", "obey_robots", "respect_robots", "ignore_robots"), _ROBOTS),
    **dict.fromkeys(
        ("allowed_domains", "domains", "include", "exclude", "allow", "deny"),
        "the scope is a list of [[rules]], described by `lycosa config rules`",
    ),
    **dict.fromkeys(("start_urls", "urls", "seed"), "write them above all sections, as `seeds`"),
}
"""Names of other crawlers, with our keys as (section, key), or an explanation instead."""


def hint_for(name: str, section: str) -> str:
    """Return the advice about another crawler's name; "" if the name is unknown."""
    found = OTHER_NAMES.get(name.lower().replace("-", "_").removesuffix("_seconds"), "")
    if isinstance(found, str):
        return f"{found}.  " if found else ""
    (first, key), *more = found
    where = "" if first == section else f" in [{first}]"
    also = "".join(f", or `{other}`" for _, other in more)
    return f"did you mean `{key}`{where}{also}?  "
