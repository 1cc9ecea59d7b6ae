"""Mutants of compiled parts: edits of their sources that a simulated crawl has to catch."""

from __future__ import annotations

from broken_builds import Edit

READINESS = "lycosa.frontier.readiness"

no_pause_after_a_resume = Edit(
    "no-pause-after-a-resume",
    f"{READINESS}.hosts",
    "        return 0.0 if at is None else at + self._around.pause_of(self._state, host)\n",
    "        return 0.0\n",
)

no_address_pause_after_a_resume = Edit(
    "no-address-pause-after-a-resume",
    f"{READINESS}.addresses",
    "        self._shut_until = max(self._shut_until, until)\n",
    "        return\n",
)

sites_stay_awake_while_asked = Edit(
    "sites-stay-awake-while-asked",
    f"{READINESS}.sites",
    "        if self._errands_wanted:\n            self._errands_wanted.pop(host, None)\n",
    "        return 0\n",
)

address_pause_forgotten = Edit(
    "address-pause-forgotten",
    f"{READINESS}.addresses",
    "        gate.free_at = now + pause\n",
    "",
)

robots_rules_not_asked = Edit(
    "robots-rules-not-asked",
    "lycosa.crawl.worker._sending",
    "            if not rules.is_allowed(",
    "            if False and not rules.is_allowed(",
)

nearer_urls_stay_far = Edit(
    "nearer-urls-stay-far",
    "lycosa.frontier._page_steps",
    "            if distance < (self._distance_of(page) if met is NULL else <object> met):\n",
    "            if False:\n",
)
