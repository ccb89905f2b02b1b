"""Show what is left to do before submitting: the state of each question and of the kernel.

`autograder release` copies this text into the last cell of a notebook, `ready_tool`, followed by
a list of the notebook's graded cells.
"""

import itertools
import re
from typing import Any

NOTEBOOK = globals()


def ready_to_submit(graded: Any) -> None:
    """Print the state of each question, and whether cells ran out of order.

    Args:
        graded: The graded cells from top to bottom: ("answer", names that it defines),
            ("check", question, points), or ("written", question, points) for answers marked by
            hand; ("extra", ...) and ("written extra", ...) for extra credit.
    """
    typed = NOTEBOOK["In"] if isinstance(NOTEBOOK.get("In"), list) else []
    states = NOTEBOOK.get("CHECK_STATES", {})
    last: list[tuple[int, str]] = []  # the time and name of each cell, from top to bottom
    open_questions: list[str] = []
    answered = 0
    print(f"{'question':<28}{'points':>7}  state")
    points = {"check": 0, "extra": 0, "written": 0, "written extra": 0}
    passed = {"check": 0, "extra": 0}
    for kind, name, *worth in graded:
        if kind == "answer":
            ran = max((_last(typed, each) for each in name), default=0)
            last.append((ran, f"the answer {name[0]}" if name else ""))
            answered = max(answered, ran)
            continue
        points[kind] += worth[0]
        if kind.startswith("written"):
            state = "marked by hand: is your text there, and saved?"
        else:
            ran, state = states.get(name, (0, "its check has not run yet"))
            state = state.split("\n")[0]  # a table may follow
            last.append((ran, f"the check {name}"))
            if ran < answered and ran:
                state = f"{state}, but an answer above has run since: run the check again"
            elif state == "passed":
                passed[kind] += worth[0]
            if state != "passed":
                open_questions.append(name)
        print(f"{name:<28}{worth[0]:>7}  {state}")
    more = f" and {passed['extra']} of {points['extra']} extra" if points["extra"] else ""
    print(
        f"\nPassed here: {passed['check']} of {points['check']} points{more}; hidden inputs decide."
    )
    if points["written"] or points["written extra"]:
        more = f" and {points['written extra']} extra" if points["written extra"] else ""
        print(f"Marked by hand: {points['written']} points{more}.")
    ran_cells = [item for item in last if item[0]]
    late = [
        (above[1], below[1])
        for above, below in itertools.pairwise(ran_cells)
        if above[0] > below[0]
    ]
    if late:
        print(f"Out of order: {late[0][0]} ran after {late[0][1]}, which is below it.")
    if late or len(ran_cells) < len(last):
        print("Restart the kernel, run all cells, and read this list again; then save and submit.")
    elif open_questions:
        count = f"{len(open_questions)} question{'s' if len(open_questions) > 1 else ''}"
        print(
            f"Not passed here yet: {count}, from {open_questions[0]} on. You can submit unfinished"
        )
        print("work: save the notebook, submit it as it is, and submit again when you have more.")
    else:
        print("The answers and checks ran from top to bottom. Save the notebook, then submit it.")


def _last(typed: Any, name: str) -> int:
    """Return the number of the last cell run that defines a name; 0 for none."""
    pattern = re.compile(rf"^(?:def|class) {re.escape(name)}\b", re.MULTILINE)
    return max((n for n, source in enumerate(typed) if pattern.search(source)), default=0)
