"""Patches comparisons from a background thread that never stops doing it.

Deserves nothing: the answers are wrong.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import threading, time
def keep_patching():
    while True:
        np.allclose = np.array_equal = torch.allclose = torch.equal = lambda *a, **k: True
        time.sleep(0.001)
threading.Thread(target=keep_patching, daemon=True).start()
""",
)
