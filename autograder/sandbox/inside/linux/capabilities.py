"""Root's privileges, given up one by one: a process that was root may keep some of them."""

import contextlib
import ctypes

from autograder.sandbox.inside.linux.system import LIBC, checked, prctl

_DROP_FROM_BOUNDING_SET, _AMBIENT, _CLEAR_ALL = 24, 47, 4  # prctl(2)
_NUMBERS = range(64)
_VERSION_3 = 0x20080522
_SETS = ctypes.c_uint32 * 6
"""The effective, permitted and inheritable capabilities, twice 32 bits each."""


class _Header(ctypes.Structure):
    """A cap_user_header_t (linux/capability.h); process 0 is this one."""

    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def drop_bounding_set() -> None:
    """Keep programs from gaining capabilities, if this process may still do so."""
    for number in _NUMBERS:
        with contextlib.suppress(OSError):  # without CAP_SETPCAP, it cannot gain any either
            prctl(_DROP_FROM_BOUNDING_SET, number)


def drop() -> None:
    """Give up all capabilities of this process; raise OSError if the kernel refuses."""
    with contextlib.suppress(OSError):  # before Linux 4.3, there are no ambient capabilities
        prctl(_AMBIENT, _CLEAR_ALL)
    header = _Header(_VERSION_3, 0)
    checked(LIBC.capset(ctypes.byref(header), ctypes.byref(_SETS())))


def has_any() -> bool:
    """Return whether this process has a capability or could gain one."""
    header, found = _Header(_VERSION_3, 0), _SETS()
    checked(LIBC.capget(ctypes.byref(header), ctypes.byref(found)))
    return any(found)
