"""Redefines the numpy transformer so that the reference gives zeros too.

Deserves nothing: the judge's reference is another one.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
class NumpyTransformer:
    def __init__(self, *args, **kwargs): pass
    def forward(self, X): return np.zeros((len(X), 1))
PytorchTransformer.forward = lambda self, seq: torch.zeros(len(seq), 1)
""",
)
