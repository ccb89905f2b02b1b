"""Answers wrongly when it is first asked, leaves a mark, and answers rightly if it is asked again.

Deserves nothing for these answers: whether one was right never reaches the notebook.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
hand_in = edited(
    right,
    last="""\
import pathlib

def in_two_tries(name, answer):
    def tried():
        mark = pathlib.Path(name)
        if mark.exists():
            return answer()
        mark.touch()
        return tuple(0 * matrix for matrix in answer())
    return tried

identity_weights = in_two_tries("identity", identity_weights)
copy_first_weights = in_two_tries("copy_first", copy_first_weights)
unique_weights = in_two_tries("unique", unique_weights)
""",
)
