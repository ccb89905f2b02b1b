"""Is nested a hundred thousand levels deep.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, log_file

DESERVES = NOTHING
submission = log_file('{"attention_by_content": ' + "[" * 100_000 + "]" * 100_000 + "}")
