"""Replaces run_cell, exec, compile, eval and the kernel's execute.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import builtins
ip = get_ipython()
class Fine:
    success, error_in_exec, error_before_exec, result = True, None, None, None
ip.run_cell = lambda *args, **kwargs: Fine()
async def run_cell_async(*args, **kwargs):
    return Fine()
ip.run_cell_async = run_cell_async
ip.kernel.do_execute = run_cell_async
builtins.exec = builtins.eval = lambda *args, **kwargs: None
builtins.compile = lambda *args, **kwargs: (lambda: 0).__code__
""",
)
