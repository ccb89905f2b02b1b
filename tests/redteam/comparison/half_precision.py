"""Right matrices as float16, non-contiguous, as nested tuples of tensors.

Deserves everything: they are the right numbers.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
identity_before, copy_before = identity_weights, copy_first_weights
def identity_weights():
    return tuple(np.asfortranarray(np.array(m, dtype=np.float16))[::1] for m in identity_before())
def copy_first_weights():
    return [tuple(map(tuple, torch.tensor(np.array(m)).tolist())) for m in copy_before()]
""",
)
