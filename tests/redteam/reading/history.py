"""Looks through IPython's history, inputs, outputs and profile for somebody else's work.

Deserves nothing, and finds only its own.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, os
ip = get_ipython()
print(list(ip.history_manager.get_tail(1000)) if ip.history_manager else "", In, Out)
print(glob.glob(os.path.expanduser("~/.ipython/**"), recursive=True), glob.glob(os.environ.get("IPYTHONDIR", "") + "/**", recursive=True))
%history -g -f found.txt
""",
)
