"""Claims a score, marks, outcomes and a perfect digest beside empty answers.

Deserves nothing: claims are not read.
"""

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(
    log(
        score=1000,
        tests=[{"name": "port", "score": 1000}],
        outcomes=[{"question": "port", "status": "returned", "fraction": 1}],
        **dict.fromkeys(log(), None),
    )
)
