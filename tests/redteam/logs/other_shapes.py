"""Has matrices whose sizes do not fit each other.

Deserves nothing for the designs.
"""

from tests.redteam.attack import LOGGED, log, log_file

DESERVES = LOGGED | {"identity": 0, "copy_first": 0}
hand_in = log_file(
    log(
        attention_by_content_K=[1.0] * 9,
        attention_by_content_Q=[1.0] * 12,
        attention_by_position_pos=[1.0],
    )
)
