"""System calls refused to a process by a filter that libseccomp writes.

A filter sees numbers, never paths: calls that depend on a path are left to Landlock or to a
different user's rights, or are skipped and reported as successful.
"""

import contextlib
import ctypes
import errno
import functools
import os
import struct

from autograder.sandbox.inside.linux.system import LIBC, checked

_REFUSED = """
    socket ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd
    mount umount2 pivot_root chroot unshare setns move_mount open_tree fsopen
    fsconfig fsmount fspick bpf perf_event_open io_uring_setup io_uring_enter io_uring_register
    userfaultfd keyctl add_key request_key open_by_handle_at name_to_handle_at
    fanotify_init inotify_init inotify_init1 quotactl acct init_module finit_module
    delete_module kexec_load kexec_file_load reboot swapon swapoff syslog
    settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname iopl
    ioperm memfd_create shmget shmat shmctl semget semop semtimedop semctl
    msgget msgsnd msgrcv msgctl mq_open mq_unlink
    setpriority sched_setscheduler sched_setparam sched_setattr sched_setaffinity ioprio_set
    migrate_pages move_pages
    chown fchown lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
""".split()
# An owner may change these, wherever the file is.
_CHANGES_FILES = "chmod fchmod fchmodat utime utimes utimensat futimesat".split()
_SIGNALS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal".split()
_REFUSED_COMMANDS = (
    # A file can be told to send signals: F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP.
    *(("fcntl", 8), ("fcntl", 15), ("ioctl", 0x8901), ("ioctl", 0x8902)),
    # A lease delays others who open a file: F_SETLEASE; F_NOTIFY reports their actions in a folder.
    *(("fcntl", 1024), ("fcntl", 1026)),
    # Attributes of a file opened only for reading: FS_IOC_SETFLAGS in two sizes, FS_IOC_SETVERSION,
    # FS_IOC_FSSETXATTR.
    *(("ioctl", 0x40086602), ("ioctl", 0x40046602), ("ioctl", 0x40087602), ("ioctl", 0x401C5820)),
)
# Namespaces: mount, cgroup, uts, ipc, user, pid, net.
_CLONE_NEW = (1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)
# Calls from here on (Linux 5.10) have the same number everywhere and are unknown to many versions
# of libseccomp: fchmodat2, setxattrat and later ones. Programs do without them on older kernels.
FIRST_UNKNOWN = 440
# F_GETDELEG, followed by a kind of lease: Linux 6.19.
_FIRST_UNKNOWN_COMMAND = 1039
_SET_SECCOMP, _FILTER = 22, 2  # prctl(2)


@functools.cache
def program(only_to: int | None, *, pretends: bool) -> bytes:
    """Return a filter in the kernel's own form; building it takes long.

    Signals may be sent `only_to` one process; with None, the filter ignores signals. With
    `pretends`, changes of a file's mode and times are skipped and reported as successful, because
    our own files belong to the same user. Raises ImportError or RuntimeError if libseccomp is
    missing.
    """
    import pyseccomp as seccomp

    calls = seccomp.SyscallFilter(seccomp.ALLOW)
    refused = seccomp.ERRNO(errno.EPERM)
    for name in _REFUSED:
        _add(calls, refused, name)
    for name in _CHANGES_FILES if pretends else ():
        _add(calls, seccomp.ERRNO(0), name)
    for flag in _CLONE_NEW:
        calls.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    # clone3's flags are in memory, where a filter cannot look; libc then uses clone.
    _add(calls, seccomp.ERRNO(errno.ENOSYS), "clone3")
    # Changing another process's limits can end it, like a signal.
    calls.add_rule(refused, "prlimit64", seccomp.Arg(0, seccomp.NE, 0))
    for call, number in _REFUSED_COMMANDS:
        # The kernel reads only the lower half of this argument.
        calls.add_rule(refused, call, seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, number))
    calls.add_rule(refused, "fcntl", seccomp.Arg(1, seccomp.GE, _FIRST_UNKNOWN_COMMAND))
    # Refusing this call is harmless: libc then writes to the file, which takes the space anyway.
    calls.add_rule(seccomp.ERRNO(errno.EOPNOTSUPP), "fallocate")
    if only_to is not None:
        for name in _SIGNALS:
            calls.add_rule(refused, name, seccomp.Arg(0, seccomp.NE, only_to))
    reader, writer = os.pipe()  # because later there may be no writable folder
    with os.fdopen(writer, "wb") as out:
        calls.export_bpf(out)
    with os.fdopen(reader, "rb") as written:
        return _unknown_refused() + written.read()


def _unknown_refused() -> bytes:
    """Return the first instructions: from `FIRST_UNKNOWN` on, no call exists."""
    load_number, jump_unless_less, answer = 0x20, 0x35, 0x06  # linux/bpf_common.h
    no_such_call = 0x00050000 | errno.ENOSYS  # SECCOMP_RET_ERRNO
    return b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (load_number, 0, 0, 0),
            (jump_unless_less, 0, 1, FIRST_UNKNOWN),
            (answer, 0, 0, no_such_call),
        )
    )


def _add(calls: object, action: int, name: str) -> None:
    # Not every architecture has every call.
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        calls.add_rule(action, name)  # type: ignore[attr-defined]


class _Filter(ctypes.Structure):
    """A sock_fprog (linux/filter.h); an instruction has eight bytes."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def enforce(instructions: bytes) -> None:
    """Filter the calls of this process and its children, permanently."""
    which = ctypes.byref(_Filter(len(instructions) // 8, instructions))
    checked(LIBC.prctl(_SET_SECCOMP, _FILTER, which, 0, 0))
