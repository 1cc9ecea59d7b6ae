"""The transport says what it lacks before it is asked to send anything."""

from __future__ import annotations

import pytest

from lycosa.errors import ConfigError
from lycosa.fetch import client
from lycosa.model.job import Fetch


def test_a_proxy_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "find_spec", lambda name: None)
    client.require_proxy(Fetch())
    with pytest.raises(ConfigError, match=r"pip install '\.\[proxy\]'"):
        client.require_proxy(Fetch(proxy="http://127.0.0.1:3128"))
