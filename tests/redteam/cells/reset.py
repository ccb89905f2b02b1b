"""Resets the namespace after the answers.

Deserves nothing: when the questions are asked, no answer is there.
"""

from tests.redteam.attack import NOTHING, edited, right

DESERVES = NOTHING
hand_in = edited(
    right,
    last="""\
%reset -f
""",
)
