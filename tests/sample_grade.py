"""A grade that has every kind of mark, with text in it that would like to run."""

from autograder.records.facts import (
    CellError,
    Outcome,
    Remark,
    SubmissionId,
    SubmissionLog,
)
from autograder.records.marks import Grade, Mark
from autograder.records.questions import Heatmap
from autograder.reports import report

EVIL = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
ME = SubmissionId("someone", "notebook", "0" * 64)
PICTURE = Heatmap("Weights on A B", ("A", "B"), ("A", "B"), ((0.5, 0.5), (0.25, 0.75)))
GRADE = Grade(
    ME,
    (
        Mark("port", 8, 8, "Equal."),
        Mark("identity", 12, 6, f"Half: `x` {EVIL}", pictures=(PICTURE,)),
        Mark("copy_first", 12, 0, "Wrong.\n" + "a_very_long_word" * 40),
        Mark("compare", 6, None, "A TA will mark this.", by_hand=True),
        Mark("unique", 4, 0, "Not written yet.", extra=True),
    ),
    remarks=("6 points are still to be marked by hand.", f"Mended {EVIL}"),
)
LOG = SubmissionLog(
    "hw",
    ME,
    repairs=(Remark("student", f"Mended {EVIL}"),),
    errors=(CellError("the cell 'a'", "NameError", EVIL),),
    outcomes=tuple(Outcome(id, 0, "returned", {}) for id in ("port", "identity", "copy_first")),
)


def page() -> str:
    """Return the report of that grade."""
    return report.html(
        GRADE,
        LOG,
        title=f"Homework {EVIL}",
        course="Attention, Spring",
        explain=False,
        code={"identity": f"x = 1  # {EVIL}\n" * 3, "copy_first": "y = 2\n" * 60},
    )
