"""Resets the namespace after the answers.

Deserves everything: each answer was right at its own check, which is above.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
%reset -f
""",
)
