"""Patches the kernel's messages, display and streams so that every output says passed.

Deserves nothing: outputs decide nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys
ip = get_ipython()
ip.display_pub.publish = lambda *args, **kwargs: None
ip.kernel.session.send = lambda *args, **kwargs: None
class Passed:
    def write(self, text): return len(text)
    def flush(self): pass
sys.stdout = sys.stderr = Passed()
ip.kernel.send_response = lambda *args, **kwargs: {"status": "ok", "score": 1000}
""",
)
