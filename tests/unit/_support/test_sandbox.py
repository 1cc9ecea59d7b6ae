"""What the kernel refuses to a process that has given up the network."""

from __future__ import annotations

import errno
import os
import platform
import socket
import subprocess
import sys

import pytest

from lycosa._support.sandbox import ALLOW, KILL, MACHINES, NEWEST_CALL, REFUSE, filter_for

I386, ARM = 0x40000003, 0x40000028
X32 = 0x40000000

CONFINED = f"""
import ctypes, os, socket, sys
sys.path[:] = {sys.path!r}
import encodings.idna
from lycosa._support.sandbox import MACHINES, give_up_network
user = int(sys.argv[1])
if user != os.getuid():
    os.setgroups([]), os.setgid(user), os.setuid(user)
give_up_network()
"""


def confined(code: str, user: int = os.getuid()) -> str:
    """Return what a process prints that has given up the network."""
    command = [sys.executable, "-c", CONFINED + code, str(user)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def verdict(machine: str, architecture: int, number: int) -> int:
    """Return what a filter says to a system call, as the kernel would run it."""
    program = filter_for(MACHINES[machine])
    data = {0: number, 4: architecture}
    place = held = 0
    while True:
        operation, if_true, if_false, operand = program[place]
        place += 1
        if operation == 0x20:
            held = data[operand]
        elif operation == 0x15:
            place += if_true if held == operand else if_false
        elif operation == 0x25:
            place += if_true if held > operand else if_false
        else:
            assert operation == 0x06
            return operand


@pytest.mark.parametrize("name", MACHINES)
def test_calls_on_sockets_are_refused_and_others_are_not(name: str) -> None:
    machine = MACHINES[name]
    refused = set(machine.refused.values())
    for number in range(NEWEST_CALL + 1):
        expected = REFUSE | errno.EACCES if number in refused else ALLOW
        assert verdict(name, machine.audit_number, number) == expected, number
    assert {"socket", "connect", "sendto", "sendmsg", "io_uring_setup"} <= machine.refused.keys()
    for newer in (NEWEST_CALL + 1, 0xFFFFFFFF):
        assert verdict(name, machine.audit_number, newer) == REFUSE | errno.ENOSYS


def test_no_other_abi_leads_around_the_filter() -> None:
    x86_64 = MACHINES["x86_64"]
    for number in x86_64.refused.values():
        assert verdict("x86_64", x86_64.audit_number, X32 | number) == REFUSE | errno.ENOSYS
    assert verdict("x86_64", I386, 102) == KILL
    assert verdict("aarch64", ARM, 281) == KILL


def test_no_family_of_sockets_and_no_name_server_is_reached() -> None:
    with (
        socket.socket() as listener,
        socket.socket(type=socket.SOCK_DGRAM) as name_server,
    ):
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.2)
        name_server.bind(("127.0.0.1", 0))
        name_server.settimeout(0.2)
        said = confined(f"""
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(family, kind) as made:
                made.connect({listener.getsockname()!r})
            print("opened", family, kind)
        except PermissionError:
            pass
for make in (lambda: socket.create_connection({listener.getsockname()!r}), socket.socketpair):
    try:
        make()
        print("opened")
    except PermissionError:
        pass
try:
    socket.getaddrinfo("a.test", 80)
    print("resolved")
except OSError:
    print("closed")
""")
        assert said == "closed\n"
        for waiting in (listener, name_server):
            with pytest.raises(TimeoutError):
                waiting.accept() if waiting is listener else waiting.recv(100)


def test_the_ways_around_are_closed_too() -> None:
    said = confined("""
libc = ctypes.CDLL(None, use_errno=True)
for name, number in MACHINES[os.uname().machine].refused.items():
    if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 13:
        print(name, ctypes.get_errno())
try:
    os.execv("/bin/true", ["true"])
except PermissionError:
    print("closed")
""")
    assert said == "closed\n"


def test_threads_that_were_there_before_and_children_are_bound_too() -> None:
    code = f"""
import os, sys, threading
sys.path[:] = {sys.path!r}
import socket
from lycosa._support.sandbox import give_up_network
begun = threading.Event()
def open_later():
    begun.wait()
    try:
        socket.socket()
        print("opened")
    except PermissionError:
        os.write(1, b"thread\\n")
there = threading.Thread(target=open_later)
there.start()
give_up_network()
begun.set()
there.join()
if os.fork() == 0:
    try:
        socket.socket()
        print("opened")
    except PermissionError:
        os.write(1, b"child\\n")
    os._exit(0)
os.wait()
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert sorted(done.stdout.split()) == ["child", "thread"]


def test_root_and_others_are_bound_alike() -> None:
    code = """
try:
    socket.socket()
except PermissionError:
    print(os.getuid())
"""
    own = os.getuid()
    users = (own,) if own else (0, 65534)
    assert [confined(code, user) for user in users] == [f"{user}\n" for user in users]


def test_files_and_threads_still_work() -> None:
    said = confined("""
import tempfile, threading
with tempfile.TemporaryFile() as file:
    file.write(b"x")
made = threading.Thread(target=print, args=("works",))
made.start(), made.join()
""")
    assert said == "works\n"


def test_without_internet_local_sockets_and_programs_stay() -> None:
    code = """
import errno, socket, subprocess, sys
from lycosa._support.sandbox import give_up_internet
give_up_internet()
inner = '''
import errno, socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        print(errno.errorcode[error.errno], end=" ")
first, second = socket.socketpair()
first.send(b"local")
print(second.recv(9).decode())
'''
subprocess.run([sys.executable, "-c", inner], check=True)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "EACCES EACCES EACCES local\n"


def test_this_machine_has_a_filter() -> None:
    assert platform.machine() in MACHINES
