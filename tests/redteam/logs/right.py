"""Is a right log in the original format, without a notebook.

Deserves what a log can hold: all but `unique` and the written answers.
"""

from tests.redteam.attack import LOGGED, log, log_file

DESERVES = LOGGED
submission = log_file(log())
