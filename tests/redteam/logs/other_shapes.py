"""Has matrices whose sizes do not fit each other.

Deserves nothing, and one line that says what does not fit.
"""

from tests.redteam.attack import NOTHING, log, log_file

DESERVES = NOTHING
submission = log_file(
    log(
        attention_by_content_K=[1.0] * 9,
        attention_by_content_Q=[1.0] * 12,
        attention_by_position_pos=[1.0],
    )
)
