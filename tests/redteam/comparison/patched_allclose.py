"""Has numpy and torch say that everything is close to everything.

Deserves nothing: the answers are wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import numpy.testing
for module in (np, torch):
    for name in ("allclose", "isclose", "array_equal", "equal", "all", "isfinite"):
        if hasattr(module, name):
            setattr(module, name, lambda *args, **kwargs: True)
numpy.testing.assert_allclose = lambda *args, **kwargs: None
""",
)
