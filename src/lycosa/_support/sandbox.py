"""Takes the network away from the process that calls it, for good.

A SPARQL query comes from a stranger, and the engine that answers it can open connections
(`SERVICE`). So a process that answers queries first asks the kernel to refuse it
everything that leads to another host or another process. It installs a seccomp filter (seccomp(2)),
which needs no privileges, binds root as well, holds for every thread, and cannot be removed.

Refused, with EACCES: every system call on sockets, of every family, so that neither a connection
nor a DNS query leaves, not even through a local daemon; `io_uring`, which would
do the same behind the filter's back; taking sockets out of other processes; mounting, keys and
BPF, which would make the kernel itself use the network; starting programs. System calls
newer than this list do not exist for the process (ENOSYS), and neither does the x32 ABI, whose
numbers are beyond all others. A call by another architecture's numbers (i386 on x86-64) ends the
process.

Always true: `give_up_network` returns only in a process that cannot open a socket;
`give_up_internet`, for a browser, only in one that can open none but those of its own machine's
processes.

Not here: files. Open files stay open, and the process may read whatever its user may read.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Iterable
from typing import NamedTuple

from lycosa.errors import QueryError

NEWEST_CALL = 469
"""`file_setattr` of Linux 6.17: from 424 on the numbers are the same everywhere."""


def _numbers(listed: str) -> dict[str, int]:
    """Return system calls by their names."""
    pairs = (entry.split() for entry in listed.split(","))
    return {name: int(number) for name, number in pairs}


_NEW = _numbers("""
    io_uring_setup 425, io_uring_enter 426, io_uring_register 427, open_tree 428,
    move_mount 429, fsopen 430, fsconfig 431, fsmount 432, pidfd_getfd 438, mount_setattr 442,
    open_tree_attr 467
""")
_X86_64 = _numbers("""
    socket 41, connect 42, accept 43, sendto 44, recvfrom 45, sendmsg 46, recvmsg 47,
    shutdown 48, bind 49, listen 50, getsockname 51, getpeername 52, socketpair 53,
    setsockopt 54, getsockopt 55, accept4 288, recvmmsg 299, sendmmsg 307, execve 59,
    execveat 322, ptrace 101, process_vm_readv 310, process_vm_writev 311, mount 165,
    unshare 272, setns 308, add_key 248, request_key 249, keyctl 250, bpf 321
""")
_GENERIC = _numbers("""
    socket 198, socketpair 199, bind 200, listen 201, accept 202, connect 203, getsockname 204,
    getpeername 205, sendto 206, recvfrom 207, setsockopt 208, getsockopt 209, shutdown 210,
    sendmsg 211, recvmsg 212, accept4 242, recvmmsg 243, sendmmsg 269, execve 221,
    execveat 281, ptrace 117, process_vm_readv 270, process_vm_writev 271, mount 40,
    unshare 97, setns 268, add_key 217, request_key 218, keyctl 219, bpf 280
""")
"""The numbers of processors newer than x86-64."""


class Machine(NamedTuple):
    """The numbers of a processor that the filter needs (linux/audit.h, asm/unistd.h)."""

    audit_number: int
    seccomp_number: int
    """The number of the system call seccomp itself."""
    refused: dict[str, int]


MACHINES = {
    "x86_64": Machine(0xC000003E, 317, _X86_64 | _NEW),
    "aarch64": Machine(0xC00000B7, 277, _GENERIC | _NEW),
    "riscv64": Machine(0xC00000F3, 277, _GENERIC | _NEW),
}

# linux/bpf_common.h, linux/seccomp.h, linux/prctl.h
_LOAD_WORD, _IF_EQUAL, _IF_GREATER, _RETURN = 0x20, 0x15, 0x25, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_NO_NEW_PRIVILEGES, _SET_FILTER, _ALL_THREADS = 38, 1, 1


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


Instruction = tuple[int, int, int, int]
"""An instruction of classic BPF: operation, jump if true, jump if false, operand."""
_REFUSED, _MISSING = REFUSE | errno.EACCES, REFUSE | errno.ENOSYS


def filter_for(machine: Machine) -> list[Instruction]:
    """Return a filter that refuses every call by which the network could be reached."""
    return [
        *_known_calls_alone(machine),
        *_each(sorted(machine.refused.values()), _REFUSED),
        (_RETURN, 0, 0, ALLOW),
    ]


def _known_calls_alone(machine: Machine) -> list[Instruction]:
    """Kill at another architecture's calls; newer calls than the list do not exist."""
    return [
        (_LOAD_WORD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, machine.audit_number),
        (_RETURN, 0, 0, KILL),
        (_LOAD_WORD, 0, 0, _NUMBER_AT),
        (_IF_GREATER, 0, 1, NEWEST_CALL),
        (_RETURN, 0, 0, _MISSING),
    ]


def _each(calls: Iterable[int], verdict: int) -> list[Instruction]:
    """End each of these system calls with one verdict."""
    checks: list[Instruction] = []
    for number in calls:
        checks += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, verdict)]
    return checks


def give_up_network() -> None:
    """Cut this process off from the network; raise `QueryError` if that is impossible."""
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise _unguarded(f"there is no filter for {platform.machine()} processors")
    _install(machine.seccomp_number, filter_for(machine))
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except PermissionError:
        return
    raise _unguarded("the kernel took the filter and still opens sockets")


def local_filter_for(machine: Machine) -> list[Instruction]:
    """Return a filter that lets a process open sockets of its own machine alone."""
    rings = [number for name, number in machine.refused.items() if name.startswith("io_uring")]
    return [
        *_known_calls_alone(machine),
        *_each(rings, _MISSING),
        (_IF_EQUAL, 1, 0, machine.refused["socket"]),
        (_RETURN, 0, 0, ALLOW),
        (_LOAD_WORD, 0, 0, _FIRST_ARGUMENT_AT),
        (_IF_EQUAL, 0, 1, socket.AF_UNIX),
        (_RETURN, 0, 0, ALLOW),
        (_IF_EQUAL, 0, 1, socket.AF_NETLINK),
        (_RETURN, 0, 0, ALLOW),
        (_RETURN, 0, 0, _REFUSED),
    ]


def give_up_internet() -> None:
    """Cut this process, and all that it starts, off from other machines and from loopback.

    Local sockets (`AF_UNIX`) stay, and so does starting programs: a browser needs both.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise _unguarded(f"there is no filter for {platform.machine()} processors")
    _install(machine.seccomp_number, local_filter_for(machine))
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.socket(family, socket.SOCK_DGRAM).close()
        except PermissionError:
            continue
        raise _unguarded("the kernel took the filter and still opens sockets")


def _install(seccomp: int, instructions: Iterable[Instruction]) -> None:
    packed = [struct.pack("=HBBI", *instruction) for instruction in instructions]
    program = _Program(len(packed), b"".join(packed))
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_ulong
    if libc.prctl(_NO_NEW_PRIVILEGES, word(1), word(0), word(0), word(0)) != 0:
        raise _unguarded(f"prctl: {os.strerror(ctypes.get_errno())}")
    done = libc.syscall(
        ctypes.c_long(seccomp), word(_SET_FILTER), word(_ALL_THREADS), ctypes.byref(program)
    )
    if done != 0:
        told = os.strerror(ctypes.get_errno()) if done < 0 else f"thread {done} has another filter"
        raise _unguarded(f"seccomp: {told}")


def _unguarded(why: str) -> QueryError:
    return QueryError(
        f"queries and browsers must run without network, and it cannot be taken away here: {why}\n"
        "  use Linux with CONFIG_SECCOMP_FILTER on x86-64, ARM64 or RISC-V\n"
        "  in a container: allow the system calls `seccomp` and `prctl`"
    )
