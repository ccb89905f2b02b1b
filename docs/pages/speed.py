"""docs/how_it_works/speed.md: the table of `make bench`, and what each grader does for its time.

python -m docs.pages.speed
"""

import json
from typing import Any

from tests.benchmarks import table
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "how_it_works" / "speed.md"
HEAD = """\
# Speed

The table compares this kit with nbgrader and otter on the same submissions. Both call our checks as hidden tests, and give the same machine points. `make bench` measures the table, and `make figures` writes this page.

Each cell has the wall time of one submission, then its processor time and peak memory. Only the row "{cold}" includes the start of the grader, and only one row includes training demos. In "{two}", two graders each have half of the class. Rows of homeworks grade the instructor's answers or, with "{wrong}", those of the known mistake that loses most. The floor is the lower bound: the same cells and questions in a bare fork, with nothing between student code and marks.

{homework}: {students} students, medians of {rounds} rounds; {machine}, load {load}, commit {commit}, {date}. If the load exceeds the number of processors, compare processor times.

"""
DOES = """
## What each one does

| Property | ours | nbgrader | otter | otter in containers | the floor |
|---|---|---|---|---|---|
| Hidden inputs | drawn for each submission | the same for everybody | the same for everybody | the same for everybody | drawn for each submission |
| Tests and references | in a process without student code | in the student's kernel | in the student's process | in the student's process | in the student's process |
| What student code reaches | [its own folder](boundary.md), no network | whatever the grader's user can | whatever the grader's user can | its container | the whole grader |
| Edited provided cells | both versions run | the original runs, if it is locked | run as submitted | run as submitted | both versions run |
| A cell that ends the process | is skipped, and the rest runs | the notebook fails | the notebook fails | the notebook fails | the grader ends |
| Feedback on a wrong answer | from a comparison with known mistakes | the test's own message | the test's own message | the test's own message | none |

otter's containers were not measured: the machine has no Docker daemon.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page."""
    found: dict[str, Any] = json.loads(table.KEPT.read_text(encoding="utf-8"))
    words = {"cold": table.COLD, "two": table.TWO, "wrong": table.WRONG}
    return (
        HEAD.format(**words, **{k: v for k, v in found.items() if k != "rows"})
        + table.text(found)
        + DOES
    )


if __name__ == "__main__":
    main()
