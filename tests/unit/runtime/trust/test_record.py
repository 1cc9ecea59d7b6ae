"""The user's record of accepted digests: where it is, and whose lines count."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from lycosa.errors import Untrusted
from lycosa.runtime.trust import record
from lycosa.runtime.trust.judging import Judged, require

DIGEST = "0123456789abcdef" * 2


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    for name in ("STATE_DIRECTORY", "LYCOSA_TRUST", "XDG_STATE_HOME", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(folder))
    # `accept` also changes the environment; the test's own copy is put back afterwards.
    monkeypatch.setenv("LYCOSA_TRUST", "")
    return folder


def accepted_in_file(digest: str) -> bool:
    return any(line.digest == digest for line in record.accepted())


def test_what_was_accepted_is_found_again(state: Path) -> None:
    assert not record.is_accepted(DIGEST)
    assert record.accept(DIGEST, Path("mycrawl")) == ""
    assert accepted_in_file(DIGEST)
    assert (state / "trusted").stat().st_mode & 0o777 == 0o600


def test_a_digest_has_one_line() -> None:
    record.accept(DIGEST, Path("one"))
    record.accept(DIGEST, Path("two"))
    assert len(record.accepted()) == 1


def test_a_path_cannot_add_a_line() -> None:
    record.accept(DIGEST, Path("x\n" + "f" * 32 + "  now  y"))
    assert [line.digest for line in record.accepted()] == [DIGEST]


def test_a_digest_is_forgotten() -> None:
    record.accept(DIGEST, Path("one"))
    assert record.forget(DIGEST)
    assert not accepted_in_file(DIGEST)
    assert not record.forget(DIGEST)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_record_that_others_may_write_does_not_count(state: Path, mode: int) -> None:
    record.accept(DIGEST, Path("one"))
    (state / "trusted").chmod(mode)
    assert not accepted_in_file(DIGEST)


def test_a_folder_that_others_may_write_does_not_count(state: Path) -> None:
    record.accept(DIGEST, Path("one"))
    state.chmod(0o777)
    assert not accepted_in_file(DIGEST)
    assert "other users" in record.accept("f" * 32, Path("one"))


def test_a_record_that_is_a_link_does_not_count(state: Path, tmp_path: Path) -> None:
    record.accept(DIGEST, Path("one"))
    (state / "trusted").rename(tmp_path / "elsewhere")
    (state / "trusted").symlink_to(tmp_path / "elsewhere")
    assert not accepted_in_file(DIGEST)


def test_the_variable_names_several_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_TRUST", f"{'f' * 32}, {DIGEST}")
    assert record.is_accepted(DIGEST)
    assert record.is_accepted("f" * 32)
    assert not record.is_accepted("e" * 32)


def test_the_folder_of_a_unit_comes_before_that_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LYCOSA_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", "/x/state")
    assert record.state_folder() == Path("/x/state/lycosa")
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/lycosa:/var/lib/other")
    assert record.state_folder() == Path("/var/lib/lycosa")


def test_under_sudo_the_record_of_root_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LYCOSA_STATE_DIR")
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", "1000")
    assert record.state_folder() == Path(pwd.getpwuid(0).pw_dir, ".local/state/lycosa")
    settings = {"notify.command": '"x"'}
    with pytest.raises(Untrusted, match=r"accept them: sudo lycosa trust theirs"):
        require(Judged(settings, settings), "theirs")


def test_a_record_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "file" / "state"))
    assert "Not a directory" in record.accept(DIGEST, Path("one"))
