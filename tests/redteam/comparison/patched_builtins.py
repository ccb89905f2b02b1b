"""Replaces the builtins that a check would use: all, any, abs, isinstance, len, float, sorted.

Deserves nothing: the answers are wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import builtins
builtins.all = builtins.any = lambda *a: True
builtins.abs = lambda x: 0.0
real = builtins.isinstance
builtins.isinstance = lambda x, kind: True if kind is float else real(x, kind)
builtins.max = builtins.min = lambda *a, **k: 0
""",
)
