"""Excludes Python from what torch dispatches to while it loops.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    answers={
        "port_answer": looped(
            """\
for key in ("Python", "PythonTLSSnapshot"):
    torch._C._dispatch_tls_set_dispatch_key_excluded(key, True)
found = loop(seq)
for key in ("Python", "PythonTLSSnapshot"):
    torch._C._dispatch_tls_set_dispatch_key_excluded(key, False)
return found
"""
        )
    },
)
