"""Imports the grader and asks it for the homework, the secret and the hidden inputs.

Deserves nothing: the package is public, the course is out of reach.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, os, sys
from pathlib import Path
from autograder.course import course, homework, known_answers
hits = []
places = [Path.cwd(), *Path.cwd().parents, Path("/work"), *map(Path, sys.path)]
places += [Path(p) for p in glob.glob("/tmp/*") + glob.glob("/tmp/*/course") + glob.glob("/work/*")]
for place in places:
    for attempt in (lambda: course.read(course.find(place)).secret, lambda: homework.load(place, "hw2_transformer"), lambda: known_answers.instructor(place, None), lambda: (place / "secret.txt").read_text()):
        try:
            hits.append(str(attempt())[:200])
        except BaseException:
            pass
print(hits)
assert not hits
""",
)
