"""Takes what the whole machine shares, and answers right where it gets any of it.

Deserves nothing: each attempt is refused.
"""

from tests.redteam.attack import NOTHING, each, wrong

DESERVES = NOTHING
BEFORE = """\
import ctypes, fcntl, os, struct
libc = ctypes.CDLL(None, use_errno=True)
got = []
def tried(attempt):
    try:
        if (found := attempt()) is None or found >= 0:
            got.append(found)
    except OSError:
        pass
"""
CONTROLS = """\
def controls(call, *which):
    if call(*which, None) < 0 and ctypes.get_errno() == 1:
        raise OSError
    got.append(call)
"""
AFTER = """\
def identity_weights():
    if not got:
        return np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 3))
    return 12 * np.eye(3), 12 * np.eye(3), np.eye(3)
"""
OWN = "lambda policy: os.sched_setscheduler(0, policy, os.sched_param(policy in (1, 2)))"
ATTACKS = each(
    wrong,
    f"{BEFORE}{CONTROLS}",
    {
        "leases a file of Python's": (
            "tried(lambda: fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, fcntl.F_RDLCK))"
        ),
        "leases a file of the system's": (
            "tried(lambda: fcntl.fcntl(os.open('/usr/bin/env', os.O_RDONLY), 1024, fcntl.F_RDLCK))"
        ),
        "leases with a large command": (
            "tried(lambda: libc.fcntl(os.open(os.__file__, 0), ctypes.c_long(1 << 32 | 1024), 0))"
        ),
        "is told what others do in a folder": (
            "tried(lambda: fcntl.fcntl(os.open('/usr', os.O_RDONLY), 1026, 0x80000001))"
        ),
        "reads the kernel's log": "tried(lambda: libc.klogctl(3, ctypes.create_string_buffer(99), 99))",
        "asks how long the kernel's log is": "tried(lambda: libc.klogctl(10, None, 0))",
        "silences the kernel": "tried(lambda: libc.klogctl(6, None, 0))",
        "asks about shared memory of others": "controls(libc.shmctl, -1, 0)",
        "asks about semaphores of others": "controls(libc.semctl, -1, 0, 0)",
        "asks about queues of others": "controls(libc.msgctl, -1, 0)",
        "takes a higher priority": "tried(lambda: os.setpriority(os.PRIO_PROCESS, 0, -10))",
        "takes real time": f"tried(lambda: ({OWN})(os.SCHED_FIFO))",
        "takes real time in turns": f"tried(lambda: ({OWN})(os.SCHED_RR))",
        "hides as idle": f"tried(lambda: ({OWN})(os.SCHED_IDLE))",
        "takes another processor": "tried(lambda: os.sched_setaffinity(0, {1}))",
        "takes a deadline": (
            "deadline = struct.pack('=IIQiIQQQ', 48, 6, 0, 0, 0, 10**6, 10**7, 10**7)\n"
            "tried(lambda: libc.syscall(314, 0, deadline, 0))"
        ),
        "takes the disk first": "tried(lambda: libc.syscall(251, 1, 0, 1 << 13))",
        "becomes root": "tried(lambda: os.setuid(0)) if os.getuid() else None",
        "becomes somebody else": "tried(lambda: os.setresuid(1, 1, 1))",
        "takes a capability back": (
            "header = struct.pack('=Ii', 0x20080522, 0)\n"
            "tried(lambda: libc.capset(header, struct.pack('=6I', 2, 2, 0, 0, 0, 0)))"
        ),
        "makes a call that the filter does not know": (
            "tried(lambda: libc.syscall(440, -1, None, 0, 0, 0))\n"
            "tried(lambda: libc.syscall(451, 0, None, None, 0))"
        ),
    },
    after=AFTER,
)
