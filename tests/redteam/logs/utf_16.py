"""Is written in UTF-16.

Deserves nothing, and one line that says why.
"""

import json

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(json.dumps(log()).encode("utf-16"))
