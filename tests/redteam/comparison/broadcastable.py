"""Returns numbers and 1 x 1 arrays that would spread over any shape.

Deserves nothing: the shapes are wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    answers={
        "identity_answer": "def identity_weights():\n    return np.float64(1), np.ones((1, 1)), np.ones(1)\n",
        "copy_first_answer": (
            "def copy_first_weights():\n"
            "    return np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 3)), np.ones((1, 1))\n"
        ),
    },
    last="PytorchTransformer.forward = lambda self, seq: torch.zeros(())",
)
