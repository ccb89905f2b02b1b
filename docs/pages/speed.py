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

To grade the same submissions of {homework}, nbgrader needs {nbgrader:.0f} times as much processor time as this kit, and otter needs {otter:.0f} times as much (row "{two}"). For this table, nbgrader and otter call our checks as hidden tests, so all graders give the same machine points. `make bench` measures the table, and `make figures` writes this page.

- Each cell has three figures for one submission: wall time, processor time and peak memory.
- The column "the floor" runs the same cells and questions in a bare fork, with nothing between student code and marks. No grader that is warm can be faster. The first row is a cold start, so don't compare our figures with the floor there.
- Only the row "{cold}" includes the start of the grader. Only the row "{demos}" includes training demos, which `grade` skips.
- In the row "{two}", two graders each have half of the class.
- The first row grades one notebook, and the next three grade a class, with right and wrong answers. Each later row grades the instructor's answers to its homework or, with "{wrong}", the answers of the known mistake that loses most.

The first four rows use {homework}, and a class has {students} submissions.{outputs} Each figure is the median of {rounds} rounds, measured on {date} at commit {commit} ({machine}). The machine's load was {load}. If the load is higher than the number of processors, compare processor times and not wall times.

"""
DOES = """
## The graders compared

| Property | ours | nbgrader | otter | otter in containers | the floor |
|---|---|---|---|---|---|
| Hidden inputs | drawn for each submission | the same for everybody | the same for everybody | the same for everybody | drawn for each submission |
| Tests and references | in a process without student code | in the student's kernel | in the student's process | in the student's process | in the student's process |
| Student code can reach | its own folder, and files of the system and Python for reading; no network ([details](boundary.md#layers)) | everything that the grader's user can | everything that the grader's user can | its container | the whole grader |
| If a student edits a provided cell | both versions run | the original runs if the cell is locked | the edited cell runs | the edited cell runs | both versions run |
| If a cell ends the process | the grader skips it and runs the rest | the notebook fails | the notebook fails | the notebook fails | the grader ends |
| Feedback on a wrong answer | the kit's message, and a hint for a known mistake | the test's own message | the test's own message | the test's own message | none |

We did not measure otter's containers, because the machine has no Docker daemon.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page."""
    found: dict[str, Any] = json.loads(table.KEPT.read_text(encoding="utf-8"))
    words = {"cold": table.COLD, "two": table.TWO, "demos": table.DEMOS, "wrong": table.WRONG}
    # A table that was measured earlier says nothing about outputs.
    words["outputs"] = " All notebooks have saved outputs, with figures." * ("outputs" in found)
    ratios = {one: table.times(found, table.TWO, one) for one in (table.NBGRADER, table.OTTER)}
    return (
        HEAD.format(
            **words, **ratios, **{k: v for k, v in found.items() if k not in ("rows", "outputs")}
        )
        + table.text(found)
        + DOES
    )


if __name__ == "__main__":
    main()
