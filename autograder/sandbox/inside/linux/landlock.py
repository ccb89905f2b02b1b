"""Landlock: it denies a process the contents of all but some files, though not their stat data."""

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from autograder.sandbox.inside.linux.system import LINUX, syscall


class Ruleset:
    """The files that may be opened (linux/landlock.h); all others are refused."""

    CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
    # Rights by the version that introduced them.
    _EXECUTE, _WRITE, _READ, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
    _ALL = ((1, 0x1FFF), (2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL))
    _FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL

    class _Attributes(ctypes.Structure):
        _fields_ = (
            ("files", ctypes.c_uint64),
            ("network", ctypes.c_uint64),
            ("scoped", ctypes.c_uint64),
        )

    def __init__(self, readable: Iterable[str], writable: Iterable[str | Path]) -> None:
        self.version = version()
        self._files = sum(rights for since, rights in self._ALL if self.version >= since)
        ruleset = self._Attributes(
            self._files, 3 if self.version >= 4 else 0, 3 if self.version >= 6 else 0
        )
        size = 24 if self.version >= 6 else 16 if self.version >= 4 else 8
        self._descriptor = syscall(self.CREATE, ctypes.byref(ruleset), size, 0)
        for path in readable:
            self._allow(path, self._EXECUTE | self._READ | self._READ_DIR)
        for place in writable:
            self._allow(place, self._files)

    def _allow(self, path: str | Path, rights: int) -> None:
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # missing files need not be allowed
        try:
            folder = stat.S_ISDIR(os.fstat(parent).st_mode)
            allowed = rights & self._files & (-1 if folder else self._FILE)
            rule = struct.pack("=Qi", allowed, parent)
            syscall(self._ADD, self._descriptor, 1, rule, 0)
        finally:
            os.close(parent)

    def enforce(self) -> None:
        """Refuse all other files to this process and its children, permanently."""
        syscall(self._RESTRICT, self._descriptor, 0)
        os.close(self._descriptor)


def version() -> int:
    """Return the kernel's version of Landlock, or 0."""
    if not LINUX:
        return 0
    with contextlib.suppress(OSError):
        return syscall(Ruleset.CREATE, None, 0, 1)
    return 0
