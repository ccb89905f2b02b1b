"""Returns the learned matrices that the notebook gives, by name, by alias and from the list inside.

Deserves the port only: given matrices are no design.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
submission = edited(
    right,
    answers={
        "identity_answer": "def identity_weights(): return LEARNED_IDENTITY",
        "copy_first_answer": "kept = LEARNED_COPY_FIRST\ndef copy_first_weights(): return kept",
        "unique_answer": "inside = LEARNED_UNIQUE[:]\ndef unique_weights(): return inside",
    },
)
