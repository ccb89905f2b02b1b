"""Is a hundred megabytes of numbers.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, log_file

DESERVES = NOTHING
submission = log_file(b'{"attention_by_content": [' + b"1," * 50_000_000 + b"1]}")
