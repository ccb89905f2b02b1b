"""Registers IPython's hooks before and after cells, and its exception handlers.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
ip = get_ipython()
for event in ("pre_run_cell", "post_run_cell", "pre_execute", "post_execute"):
    ip.events.register(event, lambda *args: setattr(np, "allclose", lambda *a, **k: True))
ip.set_custom_exc((BaseException,), lambda *args, **kwargs: None)
ip.showtraceback = lambda *args, **kwargs: None
import sys
sys.excepthook = sys.unraisablehook = lambda *args: None
""",
)
