"""Slows other processes down or moves them, by every call that takes a process's number.

Deserves nothing, and changes nothing.
"""

from tests.redteam.attack import NOTHING, each, wrong

DESERVES = NOTHING
BEFORE = """\
import ctypes, os, resource, struct, subprocess
libc = ctypes.CDLL(None, use_errno=True)
others = [os.getppid(), 1, *range(max(2, os.getpid() - 300), os.getpid())]
def each(do):
    for pid in others:
        try:
            do(pid)
        except (OSError, ValueError):
            pass
"""
ATTACKS = each(
    wrong,
    BEFORE,
    {
        "lowers priorities": "each(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19))",
        "lowers a group's priority": "each(lambda pid: os.setpriority(os.PRIO_PGRP, pid, 19))",
        "lowers its user's priority": "os.setpriority(os.PRIO_USER, 0, 19)",
        "lowers priorities by renice": (
            "subprocess.run(['renice', '19', *map(str, others)], capture_output=True)"
        ),
        "has others run when nobody else does": (
            "each(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))"
        ),
        "has others run in batches": (
            "each(lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))"
        ),
        "schedules others by sched_setattr": (
            "idle = struct.pack('=IIQiIQQQ', 48, 5, 0, 0, 0, 0, 0, 0)\n"
            "each(lambda pid: libc.syscall(314, pid, idle, 0))"
        ),
        "binds others to a processor": "each(lambda pid: os.sched_setaffinity(pid, {0}))",
        "binds others by taskset": (
            "for pid in others[:5]: subprocess.run(['taskset', '-p', '1', str(pid)], capture_output=True)"
        ),
        "lowers others' input and output": "each(lambda pid: libc.syscall(251, 1, pid, 3 << 13))",
        "lowers a group's input and output": "each(lambda pid: libc.syscall(251, 2, pid, 3 << 13))",
        "lowers its user's input and output": "libc.syscall(251, 3, os.getuid(), 3 << 13)",
        "limits others": ("each(lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)))"),
        "moves others' memory": "each(lambda pid: libc.syscall(256, pid, 1, b'\\x01', b'\\x01'))",
        "has others leave their group": "each(lambda pid: os.setpgid(pid, 0))",
    },
)
