"""Returns the learned matrices that the notebook gives, by name, by alias and from the list inside.

Deserves the port only: given matrices are no design.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
hand_in = edited(
    right,
    last="""\
kept = LEARNED_COPY_FIRST
inside = LEARNED_UNIQUE[:]
def identity_weights(): return LEARNED_IDENTITY
def copy_first_weights(): return kept
def unique_weights(): return inside
""",
)
