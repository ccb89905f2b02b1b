"""Has NaN and infinity where numbers belong.

Deserves nothing, and one line that says why.
"""

import json

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(json.dumps(log(attention_by_content_K=[float("nan")] * 9)))
