"""Is written in UTF-16.

Deserves nothing, and one line that says why.
"""

import json

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
hand_in = log_file(json.dumps(log()).encode("utf-16"))
