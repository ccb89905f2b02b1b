"""Attaches to other processes with ptrace, process_vm_readv and /proc/PID/mem.

Deserves nothing, and finds nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
said = []
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
for pid in {os.getppid(), 1, *(int(n) for n in os.listdir("/proc") if n.isdigit())} if os.access("/proc", os.R_OK) else {os.getppid(), 1}:
    if pid == os.getpid():
        continue
    said.append(libc.ptrace(16, pid, 0, 0))
    buffer = ctypes.create_string_buffer(4096)
    local, remote = Iovec(ctypes.addressof(buffer), 4096), Iovec(0x400000, 4096)
    said.append(libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
    try:
        open(f"/proc/{pid}/mem", "rb")
        said.append(1)
    except OSError:
        pass
assert all(number < 0 for number in said), said
""",
)
