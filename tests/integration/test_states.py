"""Both states of a notebook count, some cases come twice, and a failing line takes no answer along."""

from dataclasses import replace

import pytest

from autograder.authoring.contract.graded import unfilled
from autograder.course import known_answers
from autograder.kit import Close
from autograder.marking.judge import PASSED_HERE, untrained
from autograder.records.facts import NOT_TRAINED, Submission
from autograder.records.homework import Cell, Homework, Limits
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import Grader, earned, executed, sentences, with_added, with_cells

pytestmark = [pytest.mark.slow, pytest.mark.turns(8)]

EVERYTHING = 5
END = "mean"  # the last check cell
LATER = [
    "NUMBERS = None",
    "del np, check",
    "import math as np",
    "class mean_positive:\n    pass",
    "def count_positive(numbers):\n    return 1 / 0",
    "len = sum = range = None",
]


@pytest.fixture
def own(solved: Submission) -> str:
    """The cell with the right answer to `count`."""
    return next(cell.source for cell in solved.cells if cell.id == "count_answer")


@pytest.mark.parametrize("source", LATER)
def test_what_comes_after_a_check_undoes_no_answer(
    solved: Submission, graded: Grader, source: str
) -> None:
    """Names that an answer uses are overwritten or deleted below, as people do when they play."""
    _, grade = graded(with_added(solved, source))
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]


def test_the_report_says_what_overwrote_what(solved: Submission, graded: Grader) -> None:
    """By name, with the cell and the answers; a name of the same spelling inside a function is none."""
    log, _ = graded(with_added(solved, "np, found = None, 1"))
    (remark,) = (r for r in sentences(log.remarks) if "redefined" in r)
    assert remark.startswith(
        "You redefined `np` in your own code cell 1. Answers above that use it"
    )
    assert "`mean`" in remark
    log, _ = graded(with_added(solved, "unrelated = 1\n\ndef own(math):\n    np = 1"))
    assert not [r for r in log.remarks if "redefined" in r.text]


def test_the_log_has_which_checks_of_the_notebook_passed(
    solved: Submission, graded: Grader
) -> None:
    """It has their messages on wrong answers, beside the hidden evaluation's results."""
    guess = "def count_positive(numbers):\n    return 2"
    log, grade = graded(with_cells(solved, count_answer=guess))
    assert log.passed_here == ("count",)
    (mark,) = (m for m in grade.marks if m.question == "count")
    assert mark.verdict == "failed"
    assert mark.message.endswith(PASSED_HERE)
    line = "[count] \\u202eno" + 400 * "x"
    lies = f"def count_positive(numbers):\n    print('{line}')\n    return -1"
    log, grade = graded(with_cells(solved, count_answer=lies))
    assert log.passed_here == ()
    (said,) = log.complaints_here.values()
    assert said in next(m.message for m in grade.marks if m.question == "count")
    assert "no" not in said
    quiet = lies.replace("    return", "    raise SystemExit\n    return")
    log, _ = graded(with_cells(solved, count_answer=quiet))
    assert all(one.isprintable() and len(one) <= 300 for one in log.complaints_here.values())


NOTED = """\
def count_positive(numbers):
    print("called")
    return int((numbers > 0).sum())
"""


@pytest.mark.parametrize("lost", [False, True])
def test_a_check_is_called_only_where_its_answer_is_not_right(
    toy: Homework, solved: Submission, sandbox: Sandbox, lost: bool
) -> None:
    """What else its cell does stays; a notebook that runs with all cells calls every check."""
    noted = with_cells(solved, count_answer=NOTED.replace("> 0", ">= 0") if lost else NOTED)
    used = with_added(noted, "print(count_complaint.__name__)", after="count")
    steps = {step.cell.id: step.cell for step in executed(used, toy, sandbox=sandbox).steps()}
    said = [output["text"] for output in steps["count"].outputs]
    assert bool(said) == lost, said
    assert steps["count"].source.endswith('check("count", count_complaint, "count_positive")')
    assert [output["text"] for output in steps["added"].outputs] == ["count_complaint\n"]
    assert not steps["mean"].outputs
    steps_of_all = executed(noted, toy, sandbox=sandbox, all_cells=True).steps()
    outputs = {step.cell.id: step.cell.outputs for step in steps_of_all}
    assert "[mean] passed" in outputs["mean"][0]["text"]


KEEPING = {
    "a global": "def count_positive(numbers):\n    global FOUND\n    FOUND = numbers > 0\n",
    "a dict": "KEPT = {}\n\ndef count_positive(numbers):\n    KEPT[0] = numbers > 0\n",
    "a list": "KEPT = []\n\ndef count_positive(numbers):\n    KEPT.append(numbers > 0)\n",
}
NEEDED = {"a global": "FOUND", "a dict": "KEPT[0]", "a list": "KEPT[0]"}


@pytest.mark.parametrize("kind", KEEPING)
def test_an_answer_may_need_what_the_check_above_had_another_one_do(
    solved: Submission, graded: Grader, kind: str
) -> None:
    """It is right in the notebook, where every check was called, and so it is here."""
    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    needs = mean.replace("    chosen", f"    assert {NEEDED[kind]} is not None\n    chosen", 1)
    assert needs != mean
    count = f"{KEEPING[kind]}    return int((numbers > 0).sum())"
    log, grade = graded(with_cells(solved, count_answer=count, mean_answer=needs))
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    assert log.passed_here == ("count", "mean")


def test_what_a_student_calls_check_is_called_as_any_other(
    solved: Submission, graded: Grader
) -> None:
    """It says what it likes of a wrong answer, and no mark depends on it."""
    own = "def check(question, *more):\n    print(f'[{question}] passed')"
    wrong = with_cells(solved, count_answer="def count_positive(numbers):\n    return None")
    log, grade = graded(with_added(wrong, own, after="count_answer"))
    assert earned(grade)["count"] == 0
    assert grade.score == EVERYTHING - 2
    assert log.passed_here == ("count",)


def test_an_answer_that_is_right_only_at_the_end_counts(solved: Submission, graded: Grader) -> None:
    """Written below its own check cell; the message names the state that counted."""
    answer = next(cell.source for cell in solved.cells if cell.id == "count_answer")
    empty = with_cells(solved, count_answer="def count_positive(numbers):\n    return None")
    _, grade = graded(with_added(empty, answer))
    assert earned(grade)["count"] == 2
    (mark,) = (m for m in grade.marks if m.question == "count")
    assert "its state at the end of the notebook counts" in mark.message


class Learned(Close):
    """A value that takes long to learn."""

    trains = True


@pytest.fixture
def learned(toy: Homework) -> Homework:
    """The toy homework, where `mean` is trained and counts only when `count` is right."""
    count, mean, argue = toy.questions
    assert isinstance(mean.check, Close)
    check = Learned(mean.check.reference, mean.check.tolerance)
    return replace(toy, questions=(count, replace(mean, check=check, needs=("count",)), argue))


def test_what_cannot_count_is_not_trained(
    solved: Submission, graded: Grader, learned: Homework
) -> None:
    """Its message is that of a trained one; what it needs may be right at the end, and it counts then."""
    empty = with_cells(solved, count_answer="def count_positive(numbers):\n    return None")
    log, grade = graded(empty, homework=learned)
    assert [(o.status, o.error) for o in log.outcomes if o.question == "mean"] == [
        ("not_run", NOT_TRAINED)
    ]
    (mark,) = (m for m in grade.marks if m.question == "mean")
    assert mark.message == "This counts only once `count` is right, and it is not yet."
    assert untrained(grade, log, learned) == []
    assert untrained(grade, log, replace(learned, questions=(learned.questions[1],))) == []
    passed = replace(grade, marks=tuple(replace(m, earned=m.points) for m in grade.marks))
    assert untrained(passed, log, learned) == ["mean"]
    answer = next(cell.source for cell in solved.cells if cell.id == "count_answer")
    log, grade = graded(with_added(empty, answer), homework=learned)
    assert earned(grade)["mean"] == 3
    assert {o.at for o in log.outcomes if o.question == "mean"} == {"end"}
    log, grade = graded(solved, homework=learned)
    assert grade.score == EVERYTHING
    assert {o.at for o in log.outcomes if o.question == "mean"} == {"check"}


def test_a_release_may_leave_to_what_is_needed_to_say_that_it_is_not_written(
    toy: Homework, graded: Grader, learned: Homework
) -> None:
    """A question that is not trained names the one it needs; that one, and each other, says so itself."""
    log, grade = graded(known_answers.unfilled(toy), homework=learned, all_cells=True)
    assert unfilled(learned, log, grade).holds
    said = tuple(
        replace(mark, message="It is wrong.") if mark.question == "count" else mark
        for mark in grade.marks
    )
    broken = unfilled(learned, log, replace(grade, marks=said))
    assert not broken.holds
    assert broken.detail == "no message on count"


def test_a_question_that_ends_the_run_at_the_end_is_in_the_log_once_a_state(
    solved: Submission, graded: Grader
) -> None:
    """It is wrong at its check cell; what it does to the second run repeats nothing of the first."""
    killing = (
        "import os, signal\n"
        "def count_positive(numbers):\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    return None"
    )
    empty = with_cells(solved, count_answer="def count_positive(numbers):\n    return None")
    log, grade = graded(with_added(empty, killing))
    assert grade.score == EVERYTHING - 2
    places = [(o.question, o.number, o.at, o.again) for o in log.outcomes]
    assert len(places) == len(set(places))


RIGHT_ONCE = """\
answer, seen = count_positive, []

def count_positive(numbers):
    first = numbers.tobytes() not in seen{which}
    seen.append(numbers.tobytes())
    return answer(numbers) if first else 1 / 0
"""


@pytest.mark.parametrize("which", ["", "[-1:]"], ids=["any", "last"])
def test_an_answer_that_is_right_once_loses(
    solved: Submission, graded: Grader, own: str, which: str
) -> None:
    """This covers answers that remember any earlier input, or only the last one."""
    once = RIGHT_ONCE.format(which=which)
    _, grade = graded(with_cells(solved, count_answer=f"{own}\n\n{once}"))
    (mark,) = (m for m in grade.marks if m.question == "count")
    assert mark.earned == 0
    assert mark.message.startswith("Evaluated a second time with the same inputs, it is wrong")


def test_a_second_evaluation_for_which_no_time_is_left_costs_nothing(
    toy: Homework, solved: Submission, graded: Grader, own: str
) -> None:
    """All cases together have twice the time of one; here only the first evaluations fit."""
    short = replace(toy, limits=Limits(question_seconds=1))
    # A second that an answer sleeps counts as a quarter.
    slow = own.replace("):", "):\n    import time\n    time.sleep(1.7)", 1)
    log, grade = graded(with_cells(solved, count_answer=slow), homework=short)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    assert len([o for o in log.outcomes if o.question == "count"]) == 4


def test_a_value_above_the_limit_is_refused(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """Even a right result is refused if it is too large, and the message says so."""
    log, grade = graded(solved, homework=replace(toy, limits=Limits(value_bytes=100)))
    assert (earned(grade)["count"], earned(grade)["mean"]) == (0, 0)
    assert log.outcomes
    assert all(o.status == "refused" and o.value is None for o in log.outcomes)
    assert {o.error for o in log.outcomes} == {"Its result is larger than 100 bytes."}


def test_a_reply_above_the_limit_loses_itself_alone(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """Its size is counted as it is sent."""
    small = replace(toy, limits=Limits(value_bytes=1_000))
    answer = "def mean_positive(numbers):\n    raise ValueError('x' * 3_000)"
    log, grade = graded(with_cells(solved, mean_answer=answer), homework=small)
    assert (earned(grade)["count"], earned(grade)["mean"]) == (2, 0)
    mean = [o for o in log.outcomes if o.question == "mean"]
    assert mean
    assert all("larger than 1,000 bytes" in o.error for o in mean), mean


def test_half_a_surrogate_pair_crosses(solved: Submission, graded: Grader) -> None:
    """UTF-8 cannot write one, so an answer that has it must still lose itself alone."""
    answer = r"def mean_positive(numbers):" "\n" r"    raise ValueError('\ud800')"
    log, grade = graded(with_cells(solved, mean_answer=answer))
    assert (earned(grade)["count"], earned(grade)["mean"]) == (2, 0)
    mean = [o for o in log.outcomes if o.question == "mean"]
    assert {o.status for o in mean} == {"raised"}, mean


def test_an_answer_may_use_a_name_from_its_check_s_cell(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """It is right when the whole notebook has run, even if no cell of the student's is below."""

    def more(one: Cell) -> Cell:
        return replace(one, source=f"MORE = 0\n{one.source}") if one.id == END else one

    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    answer = mean.replace("return ", "return MORE + ")
    assert answer != mean
    homework = replace(toy, cells=tuple(map(more, toy.cells)))
    _, grade = graded(with_cells(solved, mean_answer=answer), homework=homework)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]


@pytest.mark.parametrize(
    "line",
    [
        "from google.colab import drive",
        "drive.mount('/content/drive')",
        "import pandas_of_another_course as pd",
        "assert False, 'a try of mine'",
        "print(undefined_name); x = 1",
        "open('my_notes.txt').read()",
        "%load_ext no_such_extension\nundefined_name",
    ],
)
def test_a_failing_line_above_an_answer_takes_nothing_along(
    solved: Submission, graded: Grader, own: str, line: str
) -> None:
    """The lines below it run anyway, and the report names the cell."""
    log, grade = graded(with_cells(solved, count_answer=f"{line}\n\n{own}"))
    assert grade.score == EVERYTHING
    assert any("the lines below it still ran" in repair for repair in sentences(log.repairs))
    assert [error.cell for error in log.errors] == ["the cell 'count_answer'"]


@pytest.mark.parametrize("line", ["sys.stdout = None", "sys.stderr = None", "del sys.stdout"])
def test_a_cell_that_silences_a_stream_ends_no_later_one(
    solved: Submission, graded: Grader, own: str, line: str
) -> None:
    """IPython flushes both before each cell, and would run no further one."""
    _, grade = graded(with_cells(solved, count_answer=f"{own}\n\nimport sys\n{line}"))
    assert grade.score == EVERYTHING


def test_an_error_has_the_number_of_its_line(solved: Submission, graded: Grader) -> None:
    """This also holds below a line that failed."""
    source = "1 / 0\n\ndef count_positive(numbers):\n    x = 1\n    return {}[x]"
    _, grade = graded(with_cells(solved, count_answer=source))
    (mark,) = (m for m in grade.marks if m.question == "count")
    assert "line 5 of the cell 'count_answer': return {}[x]" in mark.message


def test_nobody_is_there_to_type(solved: Submission, graded: Grader) -> None:
    """input() and getpass() return an empty text, and the cell goes on."""
    typing = "import getpass\nname = input('Your name? ')\nassert name == getpass.getpass() == ''"
    log, grade = graded(with_added(solved, typing, after="imports"))
    assert grade.score == EVERYTHING
    assert log.errors == ()


@pytest.mark.parametrize("place", ["imports", "mean_answer", END])
def test_slow_added_cells_cost_no_answer(
    toy: Homework, solved: Submission, graded: Grader, place: str
) -> None:
    """Five cells that are ended one after another, wherever they are."""
    short = replace(toy, limits=Limits(cell_seconds=2, submission_seconds=12, question_seconds=5))
    slow = solved
    for number in range(5):
        slow = with_added(slow, f"import time\ntime.sleep(600 + {number})", after=place)
    log, grade = graded(slow, homework=short)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    assert log.repairs


def test_a_slow_line_in_an_answers_cell_costs_no_answer(
    toy: Homework, solved: Submission, graded: Grader, own: str
) -> None:
    """Only the cell's definitions run the second time."""
    short = replace(toy, limits=Limits(cell_seconds=3))
    slow = f"import time\n{own}\n\ntime.sleep(600)"
    log, grade = graded(with_cells(solved, count_answer=slow), homework=short)
    assert grade.score == EVERYTHING
    assert "only the definitions ran" in log.repairs[0].text


def test_a_cell_is_not_blamed_for_the_time_of_others(
    toy: Homework, solved: Submission, graded: Grader, own: str
) -> None:
    """It had only the rest of the time that all answers have together."""
    short = replace(toy, limits=Limits(submission_seconds=6))
    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    spin = (
        "\nimport time\nend = time.process_time() + {}\nwhile time.process_time() < end:\n    pass"
    )
    slow = with_cells(
        solved, count_answer=own + spin.format(1.6), mean_answer=mean + spin.format(1.2)
    )
    log, grade = graded(slow, homework=short)
    assert grade.score == EVERYTHING
    assert log.repairs[0].text == (
        "In the cell 'mean_answer', only the definitions ran, because the cells together took more "
        "than 2.4 seconds."
    )
