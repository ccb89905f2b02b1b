"""Reads every file that it can reach, and reports what looks like a secret in an error.

Deserves nothing, and finds nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, os
found = []
for pattern in ("/*", "/*/*", "/*/*/*", "/tmp/**", "/work/**", "/home/**", "/root/**", os.getcwd() + "/../../**"):
    for path in glob.glob(pattern, recursive=True)[:20_000]:
        if path.endswith((".py", ".toml", ".csv", ".ipynb", ".json", ".html")):
            try:
                found.append(open(path, errors="ignore").read())
            except OSError:
                pass
hits = [text[i - 20 : i + 60] for text in found for i in [text.find("canary")] if i >= 0]
print(len(found), hits)
def identity_weights():
    raise RuntimeError(str(hits))
""",
)
