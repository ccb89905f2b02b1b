"""Prints the environment, also that of a child and of a shell.

Deserves nothing; the environment is clean.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, subprocess
print(dict(os.environ), subprocess.run("env; set", shell=True, capture_output=True, text=True).stdout)
def copy_first_weights():
    raise RuntimeError(str(dict(os.environ)))
""",
)
