"""Makes every random number generator return the same numbers.

Deserves nothing: the judge draws the inputs elsewhere.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import random
np.random.default_rng = lambda *a, **k: type("G", (), {"normal": lambda *a, **k: 0.0, "integers": lambda *a, **k: 2})()
np.random.seed = torch.manual_seed = random.seed = lambda *a, **k: None
torch.randn = lambda *size, **k: torch.zeros(*size)
""",
)
