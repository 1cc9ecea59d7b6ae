"""Becomes another program that dies with its parent: `launch.py PARENT USER SIGNAL PROGRAM ARG…`.

The kernel sends SIGNAL to this process when its parent has ended (`PR_SET_PDEATHSIG`).
The request must come after the change of user, which would undo it. This is a script and not a
function between fork and exec: the parent has threads, and Python code there could wait for their
locks for ever. USER is `-` for the current user.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: str, user: str, last_signal: str, *command: str) -> None:
    """Change the user, tie our life to the parent's, and run the command in this process."""
    prctl = ctypes.CDLL(None).prctl
    if user != "-":
        entry = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(int(last_signal)), 0, 0, 0)
    if os.getppid() != int(parent):  # the parent ended before the request, so no signal will come
        os.kill(os.getpid(), signal.SIGKILL)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
