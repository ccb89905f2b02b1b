"""States every key twice, wrong first.

Deserves nothing: nobody can tell which is meant.
"""

import json

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file('{"attention_by_content": [], ' + json.dumps(log())[1:])
