"""Writes results.json, logs and reports wherever it can.

Deserves nothing; nothing outside its own directory changes.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, json, os
claim = json.dumps({"score": 1000, "tests": [{"name": "port", "score": 1000, "max_score": 8}]})
folders = {os.getcwd(), "..", "../..", "/autograder/results", "/tmp", "/var/tmp", "/dev/shm", *glob.glob("/tmp/*"), *glob.glob("/tmp/*/out"), *glob.glob("/tmp/*/out/*"), *glob.glob("/tmp/*/in/*")}
for folder in folders:
    for name in ("results.json", "submission_log.json", "report.html", "failure.txt", "redteam-left"):
        try:
            open(os.path.join(folder, name), "w").write(claim)
        except OSError:
            pass
""",
)
