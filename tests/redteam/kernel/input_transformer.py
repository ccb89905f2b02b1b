"""Registers input transformers that add code to every later cell.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
def add(lines):
    return ["import builtins; builtins.all = lambda *a: True\\n", *lines]
get_ipython().input_transformers_cleanup.append(add)
get_ipython().input_transformers_post.append(add)
""",
)
