"""Swaps the code inside functions that were imported before it ran, in numpy and in the grader's own.

Deserves nothing: the answers are wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import json, sys
def yes(*args, **kwargs):
    return True
def swap(function):
    try:
        function.__code__ = yes.__code__
    except (AttributeError, ValueError, TypeError):
        pass
for name, module in list(sys.modules.items()):
    if name.startswith(("autograder", "numpy.testing", "numpy._core.numeric", "json.encoder")):
        for item in list(vars(module).values()):
            swap(item)
""",
)
