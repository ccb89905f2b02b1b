"""Has null bytes, escapes and bells in sources, so that terminals and parsers stumble.

Deserves everything: the answers are right.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right, last="print('\\x1b]0;owned\\x07\\x1b[2J\\x00')\nraise ValueError('\\x1b[31m\\x00')"
)
