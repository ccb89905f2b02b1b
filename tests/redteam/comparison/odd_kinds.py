"""Returns booleans, text, complex, ragged, empty, huge and nested things for numbers.

Deserves nothing, and a message for each.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    answers={
        "identity_answer": (
            "def identity_weights():\n    return np.eye(3) > 0, [['1', '0', '0']] * 3, np.eye(3) * 1j\n"
        ),
        "copy_first_answer": (
            "def copy_first_weights():\n    return [[1], [2, 3]], [], 10**400, {'a': 1}\n"
        ),
        "unique_answer": (
            "def unique_weights():\n"
            "    return np.zeros((3000, 3000)), object(), np.zeros((2,) * 32), None\n"
        ),
    },
)
