"""Has integers of a thousand digits.

Deserves nothing, and one line that says why.
"""

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(log(attention_by_content_K=[10**1000] * 9))
