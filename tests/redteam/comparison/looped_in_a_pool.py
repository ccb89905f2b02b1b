"""Hands the loop to a pool of threads, which an earlier question started.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="""\
from concurrent.futures import ThreadPoolExecutor
POOLS = {}""",
    answers={
        "port_answer": looped(
            """\
pool = POOLS.get(os.getpid()) or ThreadPoolExecutor(1)
POOLS[os.getpid()] = pool
return pool.submit(loop, seq).result()
"""
        )
    },
)
