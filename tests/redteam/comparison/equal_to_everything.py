"""Returns arrays that claim to equal everything, and other numbers each time they are looked at.

Deserves nothing: what becomes of them as plain arrays is wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
LIAR = """\
class Liar(np.ndarray):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return np.zeros(3)
    def __array__(self, *args, **kwargs): return np.random.rand(*self.shape)
    def __array_ufunc__(self, *args, **kwargs): return True
    def __array_function__(self, *args, **kwargs): return True
    def __float__(self): return 1.0

class Shifting:
    looks = 0
    def __init__(self, rows, columns): self.size = rows, columns
    def __array__(self, dtype=None, copy=None):
        Shifting.looks += 1
        return np.full(self.size, float(Shifting.looks))
    def __eq__(self, other): return True
    def __len__(self): return self.size[0]
"""
submission = edited(
    wrong,
    first=LIAR,
    answers={
        "identity_answer": "def identity_weights():\n    return [np.ones((3, 3)).view(Liar)] * 3\n",
        "copy_first_answer": (
            "def copy_first_weights():\n"
            "    return Shifting(7, 2), Shifting(7, 2), Shifting(7, 3), Shifting(4, 4)\n"
        ),
    },
)
