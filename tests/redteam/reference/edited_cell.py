"""Edits the provided numpy transformer so that it gives zeros, as the answer does.

Deserves nothing: a provided cell runs again as it was given, and decides nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    answers={
        "numpy_transformer": (
            "class NumpyTransformer:\n"
            "    def __init__(self, *args): pass\n"
            "    def forward(self, X): return np.zeros((len(X), 1))\n"
        )
    },
)
