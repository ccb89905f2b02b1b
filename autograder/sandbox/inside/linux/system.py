"""Calls of the C library that raise OSError if the kernel refuses."""

import ctypes
import os
import signal
import sys

LINUX = sys.platform == "linux"
LIBC = ctypes.CDLL(None, use_errno=True)
# prctl(2)
SET_PDEATHSIG, GET_DUMPABLE, SET_DUMPABLE, SET_CHILD_SUBREAPER = 1, 3, 4, 36
SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS = 38, 39


def checked(result: int) -> int:
    """Return a call's result; raise OSError if it is negative."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, value: int = 0) -> int:
    """Change or read a property of this process, like the system call of this name."""
    return checked(LIBC.prctl(option, value, 0, 0, 0))


def syscall(number: int, *arguments: object) -> int:
    """Make a system call that the C library has no function for."""
    return checked(LIBC.syscall(number, *arguments))


def hide_memory() -> None:
    """Keep processes of the same user out of this one's memory and environment."""
    if LINUX:
        prctl(SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """End this process when its parent ends."""
    if LINUX:
        prctl(SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Adopt processes whose parent ended, so that they can be found."""
    if LINUX:
        prctl(SET_CHILD_SUBREAPER, 1)
