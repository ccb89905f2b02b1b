"""Has booleans and text for numbers.

Deserves nothing, and one line that says why.
"""

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(log(attention_by_content_K=[True, False] * 4 + ["1"]))
