"""Returns NaN and infinity, which compare equal where a check allows it.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    answers={
        "identity_answer": "def identity_weights():\n    return [np.full((3, 3), np.nan)] * 3\n",
        "copy_first_answer": (
            "def copy_first_weights():\n"
            "    big = np.full((7, 3), np.inf)\n"
            "    return big, -big, big, np.eye(4) * np.inf\n"
        ),
        "unique_answer": (
            "def unique_weights():\n"
            "    return [np.full((8, 1), 1e308)] * 3 + [np.full((5, 5), 1e308)]\n"
        ),
    },
    last="torch.nn.Linear.forward = lambda self, x: x.new_full((len(x), self.out_features), torch.nan)",
)
