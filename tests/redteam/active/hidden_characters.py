"""Raises a message that clears a terminal and turns the text behind it around.

Deserves nothing; each such character is shown as a mark.
"""

from tests.redteam.attack import NOTHING, WRONG, edited, wrong

DESERVES = NOTHING

submission = edited(
    wrong,
    answers=WRONG
    | {
        "identity_answer": 'def identity_weights():\n    raise ValueError("\\x1b[2J\\u202eabc\\x9b1m")'
    },
)
