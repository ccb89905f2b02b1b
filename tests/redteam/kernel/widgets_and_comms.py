"""Opens comms, widgets and updating displays, and asks for input.

Deserves everything: the answers are right, and input is refused.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
from IPython.display import display, update_display, clear_output, HTML
handle = display("one", display_id="d")
handle.update("two")
clear_output(wait=True)
display(HTML("<b>rich</b>"))
try:
    input("your name? ")
except Exception as error:
    print(type(error).__name__)
import getpass
try:
    getpass.getpass()
except Exception as error:
    print(type(error).__name__)
""",
)
