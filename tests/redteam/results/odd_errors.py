"""Raises errors that cannot be written: what describes them would fail in the grader's own code.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, each, wrong

DESERVES = NOTHING
AFTER = "def identity_weights():\n    raise Odd"
ATTACKS = each(
    wrong,
    "",
    {
        "whose text is a number": "class Odd(Exception):\n    __str__ = lambda self: 1",
        "whose text raises": "class Odd(Exception):\n    __str__ = lambda self: 1 / 0",
        "without an end": "class Odd(Exception):\n    __str__ = lambda self: str(self)",
        "that are no errors": "Odd = 3",
        "that end Python": "Odd = SystemExit",
    },
    after=AFTER,
)
