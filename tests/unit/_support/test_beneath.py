"""Files of a crawl directory are opened without following links, and only by
`lycosa._support.beneath`.
"""

from __future__ import annotations

import ast
import os
import socket
from functools import cache
from pathlib import Path

import pytest

from lycosa._support import beneath
from lycosa.errors import ConfigError, StoreError
from lycosa.storage.archive.layout import is_store_file

SOURCE = Path(__file__).parents[3] / "src" / "lycosa"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "crawl"
    (folder / "log").mkdir(parents=True)
    beneath.enter(folder)
    return folder


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    path = tmp_path / "canary"
    path.write_text("secret")
    return path


def test_a_regular_file_is_read_and_written(root: Path) -> None:
    beneath.write_text(root / "log" / "a", "one\n")
    assert beneath.read_text(root / "log" / "a") == "one\n"
    beneath.write_bytes(root / "log" / "a", b"two")
    assert beneath.read_bytes(root / "log" / "a") == b"two"
    with beneath.open_file(root / "log" / "a", "ab") as file:
        file.write(b" three")
    assert beneath.checked(root / "log" / "a").read_bytes() == b"two three"
    assert (root / "log" / "a").stat().st_mode & 0o777 == 0o644 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_that_is_not_there_is_said_so_by_its_whole_path(root: Path) -> None:
    for call in (beneath.read_bytes, beneath.checked, beneath.descriptor):
        with pytest.raises(FileNotFoundError) as missing:
            call(root / "log" / "none")
        assert missing.value.filename == str(root / "log" / "none")
    with pytest.raises(FileNotFoundError):
        beneath.read_bytes(root / "none" / "none")
    assert beneath.checked_if_there(root / "none") == root / "none"
    assert beneath.new_place(root / "none") == root / "none"


def test_a_link_is_not_followed_whatever_the_mode(root: Path, canary: Path) -> None:
    path = root / "log" / "a"
    path.symlink_to(canary)
    for mode in ("rb", "r+b", "ab", "wb"):
        with pytest.raises(StoreError, match="is a symbolic link, not a file"):
            beneath.open_file(path, mode)
    for call in (beneath.checked, beneath.read_text, beneath.descriptor):
        with pytest.raises(StoreError, match="is a symbolic link, not a file"):
            call(path)
    with pytest.raises(StoreError):
        beneath.descriptor(path, os.O_RDWR | os.O_CREAT)
    beneath.write_text(path, "ours")
    assert not path.is_symlink()
    assert canary.read_text() == "secret"


def test_no_call_waits_for_the_other_end_of_a_pipe(root: Path) -> None:
    os.mkfifo(root / "pipe")
    for mode in ("rb", "r+b", "ab", "wb"):
        with pytest.raises(StoreError, match="is a named pipe, not a file"):
            beneath.open_file(root / "pipe", mode)


def test_folders_sockets_and_devices_are_not_files(root: Path) -> None:
    with pytest.raises(StoreError, match="is a folder, not a file"):
        beneath.read_bytes(root / "log")
    with pytest.raises(StoreError, match="is a folder, not a file"):
        beneath.open_new(root / "log")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        with pytest.raises(StoreError, match="is a socket, not a file"):
            beneath.read_bytes(root / "socket")
    with pytest.raises(StoreError, match="is a device, not a file"):
        beneath.read_bytes(Path("/dev/zero"))


def test_a_folder_that_is_a_link_is_followed_only_if_it_was_accepted(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LYCOSA_ACCEPTED_LINKS", raising=False)
    (tmp_path / "disk" / "below").mkdir(parents=True)
    (tmp_path / "disk" / "a").write_text("there")
    (tmp_path / "disk" / "below" / "link").symlink_to(tmp_path)
    (root / "warc").symlink_to(tmp_path / "disk")
    assert beneath.linked_folders(root) == [("warc", str(tmp_path / "disk"))]
    with pytest.raises(ConfigError, match=r"warc/ is a symbolic link to .*/disk.*\n.*lycosa trust"):
        beneath.read_text(root / "warc" / "a")
    beneath.enter(root, ["warc"])
    assert beneath.read_text(root / "warc" / "a") == "there"
    assert os.environ["LYCOSA_ACCEPTED_LINKS"]
    with pytest.raises(ConfigError, match="warc/below/link/ is a symbolic link"):
        beneath.read_text(root / "warc" / "below" / "link" / "canary")
    beneath.enter(root, [])
    with pytest.raises(ConfigError):
        beneath.read_text(root / "warc" / "a")


def test_links_above_a_crawl_directory_are_the_operators_own(root: Path, tmp_path: Path) -> None:
    (root / "log" / "a").write_text("there")
    (tmp_path / "short").symlink_to(root)
    beneath.enter(tmp_path / "short")
    assert beneath.read_text(tmp_path / "short" / "log" / "a") == "there"
    assert beneath.linked_folders(tmp_path / "short") == []
    beneath.survey(tmp_path / "short")


def test_a_file_that_the_operator_named_may_be_a_link(root: Path, canary: Path) -> None:
    named = canary.parent / "named"
    named.symlink_to(canary)
    with beneath.open_named(named, "r") as file:
        assert file.read() == "secret"
    (root / "seeds.txt").symlink_to(canary)
    with pytest.raises(StoreError):
        beneath.open_named(root / "seeds.txt")


def test_a_tree_for_a_library_has_no_link_at_any_depth(root: Path, canary: Path) -> None:
    deep = root / "index" / "triples" / "00000001" / "store"
    deep.mkdir(parents=True)
    (deep / "CURRENT").write_text("x")
    assert beneath.checked_tree(root / "index") == root / "index"
    (deep / "000001.sst").symlink_to(canary)
    with pytest.raises(StoreError, match=r"000001\.sst: is a symbolic link"):
        beneath.checked_tree(root / "index")


@pytest.mark.parametrize(
    "key",
    [
        *("../../etc/passwd", "warc/../../x", "/etc/passwd", "log/crawl.toml", "crawl.toml"),
        *("plugins/evil.py", "warc/evil.so", "warc/lycosa-0-00001/../../x", "index/current"),
        *("warc/.lycosa-0-00001.warc.gz", "warc/lycosa-0-00001", "warc/lycosa-0-00001.a/b", ""),
    ],
)
def test_a_store_cannot_name_a_file_that_is_not_of_a_segment(key: str) -> None:
    assert not is_store_file(key)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "warc/lycosa-0-00001.warc.gz",
            "cdx/lycosa-3-1048577.cdxj",
            "pages/lycosa-0-00001.arrows",
        ),
        *("triples/lycosa-0-00001.nq.zst.open", "digests/lycosa-0-00001.sha256"),
    ],
)
def test_a_store_names_files_of_segments(key: str) -> None:
    assert is_store_file(key)


# -- the only place -------------------------------------------------------------------------

WHOLE = {"read_text", "read_bytes", "write_text", "write_bytes"}
LIBRARIES = {
    *("ParquetFile", "ParquetWriter", "read_table", "read_schema", "read_metadata", "write_table"),
    *("OSFile", "memory_map", "copyfile", "copy2", "read_only", "connect"),
}
OWNERS = {"pq", "pa", "shutil", "sqlite3", "pyoxigraph.Store", "os"}
ELSEWHERE = {
    "_support/beneath.py": "is the place",
    "cli/trial": "makes the folder that it writes to",
    "cli/new.py": "makes the folder that it writes to",
    "cli/reading/shell.py": "writes to a temporary file",
    "testing.py": "reads pages that the developer names",
    "analysis/exports/items.py": "writes where the operator says",
    "cli/input": "reads files that the operator names",
    "cli/screen/output.py": "reads the output that the operator has named",
    "cli/analysis/check_site.py": "writes where the operator says",
    "cli/topics/crawl.py": "writes where the operator says",
    "cli/groups.py": "opens /dev/null",
    "cli/publishing/serve.py": "opens /dev/null",
    "api/screenshots.py": "writes where the operator says",
    "operate/checking/pages.py": "reads pages that the operator names",
    "runtime/shared_log/notes.py": "reads the model that the operator names",
    "simulation": "makes the folder that it writes to",
    "runtime/processes/machine.py": "reads /proc",
    "frontier/partitioners/suffixes.py": "reads a file of a package",
    "extract/topics/model.py": "reads and writes the model that the operator names",
    "fetch": "reads files that the operator names, and certificates",
    "frontier/readiness/slots.py": "has a folder of its own, opened without following links",
    "storage/log/file_systems.py": "reads /proc/mounts",
    "cli/keys": "makes the folder that it writes to",
    "storage/jetstream/address.py": "reads keys that the operator names",
    "storage/jetstream/trust.py": "opens a web address",
    "crawl/suspects/marks.py": "is loaded before all others, and opens without following links",
    "storage/log/archive.py": "opens a folder to sync it; its files are opened by beneath",
    "_support/memory": "reads /sys",
    "storage/objects/folder.py": "is a store, not a crawl directory",
    "storage/objects/s3.py": "is a bucket",
    "fetch/browser": "reads scripts of the package and /proc",
    "analysis/charts/model_picture.py": "writes where the operator says",
    "web/replay/replay.py": "reads the player that the operator names",
    "web/running.py": "reads the token that the operator names",
    "web/reading/rows.py": "writes to memory",
    "storage/archive/files.py": "opens a folder to sync it; its files are opened by beneath",
    "analysis/checks/sitemap.py": "writes where the operator says",
    "cli/check.py": "writes a picture where the operator says",
    "analysis/exports/export.py": "reads what it has written to a pipe of its own",
    "runtime/trust/code.py": "reads the code that a link leads to, if that is inside the directory",
    "runtime/trust/record.py": "has the user's record, opened without following links",
    "analysis/topics/labels.py": "reads labels that the operator names",
    "analysis/topics/pools.py": "reads pools that the operator names",
    "analysis/topics/texts.py": "reads texts that the operator names",
}
CHECKED_BEFORE = (
    "storage/log/sqlite_files.py: sqlite3.connect(path",
    "storage/log/told_segments.py: sqlite3.connect(place",
    "runtime/verify/index_check.py: sqlite3.connect(place",
    "runtime/verify/log_reader.py: sqlite3.connect(address",
    "storage/tables/parquet_files.py: pq.ParquetFile(file",
    "analysis/study/segment_cache.py: pq.ParquetWriter(new",
    "analysis/topics/page_topics.py: pq.ParquetWriter(new",
    "analysis/page_list/copy.py: pq.ParquetWriter(path",
    "analysis/topics/page_units.py: pq.ParquetWriter(new",
    "analysis/checks/outside.py: pq.write_table(",
    "storage/tables/parquet_files.py: pq.write_table(schema.empty_table(), in_memory",
)
"""Calls of libraries whose file was checked some lines above."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def is_elsewhere(path: Path) -> bool:
    name = str(path.relative_to(SOURCE))
    return any(name == one or name.startswith(f"{one}/") for one in ELSEWHERE)


def opens(node: ast.Call) -> bool:
    """Return whether a call opens a file itself, or lets a library open one that is not checked."""
    text = ast.unparse(node)
    if isinstance(node.func, ast.Name):
        return node.func.id == "open"
    if not isinstance(node.func, ast.Attribute) or (owner := ast.unparse(node.func.value)) in (
        *("beneath", "self"),
    ):
        return False
    name = node.func.attr
    if name == "open":
        keywords = {one.arg for one in node.keywords}
        return owner in ("os", "io") or has_mode(node) or "encoding" in keywords
    if name in WHOLE:
        return "/proc/" not in owner and owner != "formatter"
    is_library = name in LIBRARIES and owner in OWNERS
    return is_library and "beneath." not in text and "BufferReader" not in text


def has_mode(node: ast.Call) -> bool:
    first = node.args[0] if node.args else None
    if isinstance(first, ast.IfExp):
        first = first.body
    value = first.value if isinstance(first, ast.Constant) else ""
    return isinstance(value, str) and bool(value) and set(value) <= set("rwaxbt+")


def opened_in(path: Path) -> list[str]:
    calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    texts = [f"{path.relative_to(SOURCE)}: {ast.unparse(node)}" for node in calls if opens(node)]
    return [text[:120] for text in texts if not text.startswith(CHECKED_BEFORE)]


def test_files_of_a_crawl_directory_are_opened_in_one_module() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if not is_elsewhere(path)]
    assert [text for path in modules for text in opened_in(path)] == []


def test_every_exception_from_that_rule_is_still_there() -> None:
    assert [name for name in ELSEWHERE if not (SOURCE / name).exists()] == []


BETWEEN_OWN_PROCESSES = (
    "runtime/isolation/helper.py",
    "runtime/isolation/process.py",
    "simulation/stand_ins.py",
)
"""Modules that hand values from one process of a crawl to another by `marshal`."""
TYPED_BY_THE_OPERATOR = ("cli/reading/shell.py",)
"""Modules that run Python which the operator types."""


def runs_data(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec", "compile")
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {one.name.partition(".")[0] for one in node.names}
        return bool(names & {"pickle", "marshal", "shelve", "yaml", "dill"})
    return False


def test_nothing_that_is_read_is_run_as_python() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {ast.unparse(node)[:60]}"
        for path in SOURCE.rglob("*.py")
        # The processes that read pages apart are this program; they hand each other plain values.
        if str(path.relative_to(SOURCE)) not in (*BETWEEN_OWN_PROCESSES, *TYPED_BY_THE_OPERATOR)
        for node in ast.walk(tree(path))
        if runs_data(node)
    ]
    assert found == []
