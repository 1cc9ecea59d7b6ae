"""The settings of a job that a report shows: those about requests and reading.

A report is handed on. So a key is shown only if it is listed here; new keys, and keys that name a
server, file, program, network or secret of the operator, are not.
"""

from __future__ import annotations

from lycosa.model.job import SECTIONS, Job
from lycosa.model.job.keys import keys_of
from lycosa.model.job.writer import write_value

_NAMED = {
    "limits": "pages bytes seconds patience_seconds until host_pages depth_static depth_dynamic",
    "politeness": "delay_seconds large_site_pages large_site_delay_seconds ip_delay_seconds "
    "burst_urls answer_time_factor backoff_first_seconds backoff_most_seconds "
    "longest_pause_seconds strikes",
    "robots": "cache_seconds unreachable_retry_seconds unreachable_tries largest_bytes redirects "
    "sitemaps",
    "fetch": "agent contact connections kept_connections largest_body_bytes retries "
    "retry_first_seconds content_types connect_seconds first_byte_seconds total_seconds "
    "stop_seconds slowest_bytes_per_second bytes_per_second allow_private cookies",
    "extract": "most_links requisites documents wide languages obey_nofollow outside_html "
    "obey_noarchive "
    "obey_noindex links soft_404_after soft_404_bits",
    "structured": "forms drop links most_triples largest_bytes",
    "render": "mode seconds memory_bytes processes rounds clicks sample_pages screenshots",
    "frontier": "scheduler score window window_share children page_urls partitions "
    "url_memory_bytes partitioner phases slot_seconds",
    "topics": "digest policy wanted focus weights budgets",
    "discovery": "mining single_example budget",
    "forms": "search most_fields site_requests form_requests",
    "login": "most_logins follow_logout",
    "traps": "budget folder_budget host_budget earned known_copies mirrors mirror_pages",
    "log": "commit_seconds commit_answers snapshot_batches durability seal_seconds segment_bytes",
    "revisit": "policy cycles continuous cycle_urls cycle_seconds not_before_seconds "
    "change_seconds change_bits quality seconds conditional",
    "crawl": "workers silent_seconds recipe",
    "caches": "references robots_rules sent_urls",
}
TOLD = {(section, name) for section, names in _NAMED.items() for name in names.split()}


def job_text(job: Job) -> str:
    """Return the listed settings of the job that differ from the defaults, as TOML."""
    lines: list[str] = []
    for name, section in SECTIONS.items():
        of_section = getattr(job, name)
        changed = [
            f"{key.name} = {write_value(getattr(of_section, key.name))}"
            for key in keys_of(section).values()
            if (name, key.name) in TOLD and getattr(of_section, key.name) != key.default
        ]
        if changed:
            lines += [*([""] if lines else []), f"[{name}]", *changed]
    return "\n".join(lines)
