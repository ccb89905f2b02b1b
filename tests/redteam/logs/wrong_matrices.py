"""States the right outputs beside matrices that do not give them.

Deserves nothing for the designs: matrices and outputs do not fit.
"""

from tests.redteam.attack import LOGGED, log, log_file

DESERVES = LOGGED | {"identity": 0, "copy_first": 0}
ZEROS = [0.0] * 9
submission = log_file(
    log(
        attention_by_content_K=ZEROS,
        attention_by_content_Q=ZEROS,
        attention_by_position_K=[0.0] * 7,
    )
)
