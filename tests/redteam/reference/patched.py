"""Patches the numpy transformer's methods and numpy's own exp, matmul and sqrt.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
NumpyTransformer.forward = lambda self, X: np.zeros((len(X), 3))
np.exp = np.matmul = np.dot = np.sqrt = lambda *a, **k: 0.0
""",
)
