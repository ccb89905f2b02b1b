"""Leaves symbolic links to staff files where the grader will look.

Deserves nothing; nothing is collected from the directory.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, os
for number, target in enumerate(["/etc/shadow", "/proc/1/environ", *glob.glob("/tmp/*/course/*.t*"), "../../secret.txt"]):
    for name in ("results.json", "submission_log.json", "executed.ipynb", f"link{number}.png"):
        try:
            os.symlink(target, name)
        except OSError:
            pass
from IPython.display import Image, display
for name in ("link0.png", "link1.png"):
    try:
        display(Image(filename=name))
    except Exception:
        pass
""",
)
