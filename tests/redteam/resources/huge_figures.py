"""Draws large figures, many figures and an image of a billion pixels.

Deserves everything: the answers are right.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import matplotlib.pyplot as plt
for _ in range(3):
    plt.figure(figsize=(30, 30))
    plt.plot(range(1000))
    plt.show()
try:
    plt.figure(figsize=(3000, 3000))
    plt.show()
except BaseException as error:
    print(type(error).__name__)
""",
)
