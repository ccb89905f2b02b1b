"""execute: submissions run in their own process, and lose only what they break."""

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.authoring.contract.proof import timeless
from autograder.kit import NoLoop
from autograder.marking.judge import judge
from autograder.records import codec
from autograder.records.facts import Remark, Submission, SubmissionId, said_to
from autograder.records.homework import Homework, Limits
from autograder.sandbox.execute import NOT_AGAIN
from autograder.sandbox.run import Run
from autograder.sandbox.scrubber import Scrubber
from autograder.sandbox.supervisor import Sandbox
from tests import runs
from tests.helpers import SECRET, Grader, earned, executed, with_added, with_cells

pytestmark = [pytest.mark.slow, pytest.mark.turns(8)]

EVERYTHING = 5


def test_helpers_and_imports_in_the_given_cell_work(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """A student who adds to the import cell keeps what was added."""
    given = next(cell.source for cell in toy.cells if cell.id == "imports")
    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    assert "np.mean(chosen)" in mean
    changed = with_cells(
        solved,
        imports=given + "\nimport statistics\n\ndef middle(x):\n    return statistics.fmean(x)",
        mean_answer=mean.replace("np.mean(chosen)", "middle(chosen)"),
    )
    log, grade = graded(changed)
    assert grade.score == EVERYTHING
    assert "'imports' was changed" in log.repairs[0].text


def test_warnings_cost_nothing(solved: Submission, graded: Grader) -> None:
    """Text on stderr is not a mistake."""
    noisy = "import warnings, sys\nwarnings.warn('careful')\nprint('hm', file=sys.stderr)"
    assert graded(with_added(solved, noisy, after="imports"))[1].score == EVERYTHING


@pytest.mark.parametrize(
    "source", ["import sys; sys.exit()", "exit()", "raise KeyboardInterrupt", "1/0", "def f(:"]
)
def test_a_failing_cell_costs_nothing_else(solved: Submission, graded: Grader, source: str) -> None:
    """Cells continue after an error, and all answers are evaluated."""
    assert graded(with_added(solved, source, after="imports"))[1].score == EVERYTHING


@pytest.mark.parametrize(
    ("answer", "points"), [("np.mean(chosen)", 3), ("sum(n for n in chosen) / len(chosen)", 0)]
)
def test_a_loop_is_seen_in_the_sandbox(
    solved: Submission, toy: Homework, graded: Grader, answer: str, points: int
) -> None:
    """The count arrives beside the numbers."""
    check = NoLoop(lambda numbers: {"the mean": numbers[numbers > 0].mean()}, 1e-6)
    questions = tuple(
        replace(q, check=check, cases=lambda rng: [{"numbers": rng.normal(size=2000)}])
        if q.id == "mean"
        else q
        for q in toy.questions
    )
    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    changed = with_cells(solved, mean_answer=mean.replace("np.mean(chosen)", answer))
    _, grade = graded(changed, homework=replace(toy, questions=questions))
    (mark,) = (one for one in grade.marks if one.question == "mean")
    assert (mark.earned, "loop over what is given" in mark.message) == (points, points == 0)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
def test_syntax_of_a_newer_python_is_told_where_a_cell_fails(
    solved: Submission, graded: Grader
) -> None:
    """In a cell that is not mended, since nothing else is in it."""
    newer = "def first[T](items: list[T]) -> T:\n    return items[0]"
    (error,) = graded(with_added(solved, newer, after="imports"))[0].errors
    assert error.name == "SyntaxError"
    assert "; this may be newer syntax; the grader runs Python 3.11" in error.message
    (wrong,) = graded(with_added(solved, "def f(:", after="imports"))[0].errors
    assert "newer" not in wrong.message


@pytest.mark.parametrize(
    "line",
    [
        "breakpoint()",
        "import pdb; pdb.set_trace()",
        "from IPython.core.debugger import set_trace; set_trace()",
        "import pdb; pdb.Pdb().set_trace()",
        "import pdb; assert pdb.runeval('3') == 3",
        "import bdb; bdb.set_trace()",
        "get_ipython().run_line_magic('debug', '')",
        "import code; code.interact()",
    ],
)
def test_a_forgotten_debugger_costs_nothing(solved: Submission, graded: Grader, line: str) -> None:
    """The notebook goes on as if nobody was there: in an answer, in a cell, and with input() below."""
    count = next(cell.source for cell in solved.cells if cell.id == "count_answer")
    changed = with_cells(
        solved, count_answer=count.replace("    return", f"    {line}\n    return")
    )
    log, grade = graded(with_added(changed, f"1/0\n{line}\nassert input() == ''", after="imports"))
    assert grade.score == EVERYTHING
    assert [error.name for error in log.errors] == ["ZeroDivisionError"]


@pytest.mark.parametrize(
    "source",
    [
        "!echo {1 + 1} > two\nassert open('two').read() == '2\\n' and _exit_code == 0",
        "!cat\n!python -c 'import sys; sys.exit(3)'\nassert _exit_code == 3",
        "lines = !echo one; echo two >&2\nassert lines == ['one', 'two']",
        "get_ipython().system('kill -9 $$')\nassert _exit_code == -9",
        "%%bash\nls",
    ],
)
def test_commands_of_a_shell_run_without_a_terminal(
    solved: Submission, graded: Grader, source: str
) -> None:
    """Where no terminal can be opened, IPython's own way ends in "out of pty devices"."""
    assert graded(with_added(solved, source, after="imports"))[0].errors == ()


def test_pip_is_not_started_for_what_is_installed(solved: Submission, graded: Grader) -> None:
    """It would take seconds to print the same; without a name, it runs."""
    source = (
        "from IPython.utils.io import capture_output\n"
        "with capture_output() as shown:\n"
        "    !pip install -q numpy torch\n"
        "    %pip install numpy\n"
        "assert shown.stdout.splitlines()[:2] == ['Requirement already satisfied'] * 2\n"
        "assert _exit_code == 0\n"
        "!pip install\n"
        "assert _exit_code == 1"
    )
    assert graded(with_added(solved, source, after="imports"))[0].errors == ()


def test_threads_of_a_torch_that_no_homework_names_cost_nothing(
    solved: Submission, toy: Homework
) -> None:
    """A fork has no threads of its own: a question that waited for them would never end."""
    mean = next(cell.source for cell in solved.cells if cell.id == "mean_answer")
    many = "torch.ones(10**6).sin().sum()"  # so many that torch divides them among its threads
    changed = with_cells(solved, mean_answer=mean.replace("np.mean(", f"0 * {many} + np.mean("))
    lines = f"import torch\ntorch.set_num_threads(4)\n{many}"
    with Sandbox() as cold:
        log = executed(with_added(changed, lines, after="imports"), toy, sandbox=cold).log
    grade = judge(toy, log, secret=SECRET)
    assert grade.score == EVERYTHING
    assert log.seconds < 30


def test_a_cell_that_ends_the_process_is_left_out(solved: Submission, graded: Grader) -> None:
    """os._exit(0) loses only its own cell."""
    log, grade = graded(with_added(solved, "import os\nos._exit(0)", after="count_answer"))
    assert grade.score == EVERYTHING
    left_out = "Left out: your own code cell 1, because it ended the process."
    assert log.repairs == (Remark("student", left_out),)


def test_an_answer_that_ends_the_process_loses_itself(solved: Submission, graded: Grader) -> None:
    """os._exit inside an answer loses that question; visible checks that call it are left out."""
    deadly = "def count_positive(numbers):\n    import os\n    os._exit(0)"
    _, grade = graded(with_cells(solved, count_answer=deadly))
    assert earned(grade)["count"] == 0
    assert grade.score == EVERYTHING - 2


def test_an_endless_loop_loses_only_its_cell(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """A cell that ignores interrupts is killed when its 10 seconds are over."""
    stubborn = (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass"
    )
    short = replace(toy, limits=Limits(cell_seconds=10))
    log, grade = graded(with_added(solved, stubborn, after="count_answer"), homework=short)
    assert grade.score == EVERYTHING
    assert "did not end within 10 seconds" in log.repairs[0].text
    assert log.seconds > 10


@pytest.mark.parametrize("question", ["count", "mean"])
def test_an_alarm_of_a_cell_reaches_no_answer(
    solved: Submission, graded: Grader, question: str
) -> None:
    """This holds in a fork and in the notebook's own process."""
    alarming = (
        "import signal, time\n"
        "signal.signal(signal.SIGALRM, lambda *_: 1 / 0)\n"
        f"answer, slept = {question}_positive, []\n"
        f"def {question}_positive(numbers):\n"
        "    slept or time.sleep(2)\n"
        "    slept.append(True)\n"
        "    return answer(numbers)\n"
        "_ = signal.alarm(1)"
    )
    _, grade = graded(with_added(solved, alarming, after=solved.cells[-1].id))
    assert grade.score == EVERYTHING


@pytest.mark.parametrize("question", ["count", "mean"])
def test_an_endless_answer_loses_only_itself(
    toy: Homework, solved: Submission, graded: Grader, question: str
) -> None:
    """An answer that never returns times out, in a fork or not; questions after it are asked."""
    endless = f"import sys\ndef {question}_positive(numbers):\n    while 'grading' in sys.argv or True:\n        pass"
    short = replace(toy, limits=Limits(cell_seconds=3, question_seconds=2))
    log, grade = graded(with_cells(solved, **{f"{question}_answer": endless}), homework=short)
    # Cases come in random order; after the first one no more are tried.
    status = sorted(o.status for o in log.outcomes if o.question == question)
    assert status == ["not_run", "not_run", "not_run", "timed_out"]
    assert grade.score == EVERYTHING - toy.question(question).points


def test_an_endless_answer_is_called_once(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """Not by a question about the same object, not by a visible check, not in a second state."""
    count, mean, argue = toy.questions
    twin = replace(mean, ask=count.ask, check=count.check, cases=count.cases)
    calling = {"mean": "def seen():\n    return count_positive(np.ones(2))\n\n\nseen()"}
    cells = with_cells(solved, **calling).cells
    short = replace(
        toy, questions=(count, twin, argue), cells=cells, limits=Limits(question_seconds=2)
    )
    endless = "def count_positive(numbers):\n    while True:\n        pass"
    spoilt = with_added(with_cells(solved, count_answer=endless, **calling), "x = 1")
    log, grade = graded(spoilt, homework=short)
    assert (log.errors, log.repairs) == ((), ())
    assert {o.at for o in log.outcomes} == {"check"}
    why = NOT_AGAIN.format("count_positive", "count")
    assert [(o.status, o.error) for o in log.outcomes if o.question == "mean"] == [
        ("timed_out", why)
    ]
    slow, after = [one.message for one in grade.marks[:2]]
    said = r"`count_positive` did not finish in time for \d+ numbers?\. Each case has 2 seconds, .+"
    assert re.fullmatch(said, slow)
    assert after == why


@pytest.mark.parametrize(
    "mean",
    [
        "def mean_positive(numbers):\n    return count_positive(numbers)",
        "def mean_positive(numbers):\n    try:\n        return count_positive(numbers)"
        "\n    except BaseException:\n        while True:\n            pass",
        "class Mean:\n    def __call__(self, numbers):\n        return count_positive(numbers)"
        "\n\n\nmean_positive = Mean()",
        "how_many = count_positive\nmean_positive = lambda numbers: how_many(numbers)",
    ],
)
def test_an_endless_answer_is_not_called_through_others(
    toy: Homework, solved: Submission, graded: Grader, mean: str
) -> None:
    """Neither by an answer that needs it, nor by the student's own cells below its check."""
    endless = "def count_positive(numbers):\n    while True:\n        pass"
    own = "x = 1\n\n\ndef mine():\n    return mean_positive(NUMBERS)\n\n\nprint(mine())"
    spoilt = with_added(with_cells(solved, count_answer=endless, mean_answer=mean), own)
    short = replace(toy, limits=Limits(question_seconds=2))
    log, grade = graded(spoilt, homework=short)
    why = NOT_AGAIN.format("count_positive", "count")
    assert [(o.status, o.error) for o in log.outcomes if o.question == "mean"] == [
        ("timed_out", why)
    ]
    assert earned(grade) == {"count": 0, "mean": 0, "argue": None}
    assert f"In your own code cell 1, only the definitions ran: {why}" in said_to(
        log.repairs, "student"
    )
    assert log.errors == ()


def test_a_case_may_not_take_the_time_of_both_its_calls(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """A fast second call does not make up for a slow first one."""
    slow = (
        "import time\nspent = []\ndef count_positive(numbers):\n    until = time.process_time() + 3"
        "\n    while not spent and time.process_time() < until:\n        pass\n    spent.append(1)"
        "\n    return int((numbers > 0).sum())"
    )
    short = replace(toy, limits=Limits(question_seconds=2))
    _, grade = graded(with_cells(solved, count_answer=slow), homework=short)
    assert earned(grade)["count"] == 0
    _, grade = graded(with_cells(solved, count_answer=slow))
    assert earned(grade)["count"] == 2


def test_slow_cells_leave_time_for_the_questions(
    toy: Homework, solved: Submission, graded: Grader
) -> None:
    """When a submission's time runs out in added cells, its answers are asked anyway."""
    short = replace(toy, limits=Limits(cell_seconds=60, submission_seconds=30))
    slow = with_added(solved, "while True: pass", after="imports")
    log, grade = graded(with_added(slow, "1 + 1"), homework=short)
    assert grade.score == EVERYTHING
    assert "all added cells together took more than 12 seconds" in log.repairs[0].text


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.fork()",
        "import threading\n"
        "def shout():\n    while True:\n        print('x')\n"
        "threading.Thread(target=shout, daemon=True).start()",
        "raise ValueError(chr(0xD800) + 'x' * 50_000_000)",
        "x = 'half \ud83d'",
    ],
    ids=["fork", "shouting thread", "long error", "surrogate"],
)
def test_odd_last_cells_cost_nothing(
    toy: Homework, solved: Submission, graded: Grader, source: str
) -> None:
    """What a later cell does to threads or processes does not undo right answers."""
    short = replace(toy, limits=Limits(cell_seconds=20, output_bytes=100_000))
    log, grade = graded(with_added(solved, codec.printable(source)), homework=short)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    codec.encode_log(log).encode()


def test_the_whole_process_tree_is_ended(solved: Submission, toy: Homework, tmp_path: Path) -> None:
    """Children that start a session of their own do not outlive the submission."""
    daemon = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', 'left-behind'],\n"
        "                 start_new_session=True)\n"
    )
    with Sandbox() as own:
        executed(with_added(solved, daemon), toy, sandbox=own)
        left = [
            p
            for p in psutil.process_iter(["cmdline"])
            if "left-behind" in (p.info["cmdline"] or [])
        ]
        assert not left


def test_nothing_is_left_on_disk(
    solved: Submission, toy: Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a submission writes into its directory goes with it."""
    writer = "open('mine.txt', 'w').close()\nimport os\nprint(os.path.abspath('.'))"
    with runs.temporary() as scratch:
        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        with Sandbox() as own:
            state = executed(with_added(solved, writer), toy, sandbox=own)
            (home,) = scratch.glob("sandbox-*")
            assert not list(home.glob("submission-*"))
        assert not home.exists()
    (printed,) = (s for s in state.steps() if s.cell.id == "added")
    assert printed.cell.outputs[0]["text"].strip() == "<directory>"


def test_the_environment_is_clean(
    solved: Submission, toy: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets of the grader's environment do not reach student code."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "do-not-show")
    monkeypatch.setenv("SOME_TOKEN", "do-not-show")
    looking = "import os\nprint(sorted(os.environ))\nprint([v for v in os.environ.values() if 'show' in v])"
    with Sandbox() as own:
        state = executed(with_added(solved, looking), toy, sandbox=own)
    (printed,) = (s for s in state.steps() if s.cell.id == "added")
    text = printed.cell.outputs[0]["text"]
    assert "SOME_TOKEN" not in text
    assert "AUTOGRADER_SECRET" not in text
    assert text.rstrip().endswith("[]")


def test_output_is_capped_while_it_comes(
    toy: Homework, solved: Submission, sandbox: Sandbox
) -> None:
    """Prints beyond the share of a submission are cut, and cost no answer."""
    limited = replace(toy, limits=Limits(output_bytes=20_000))
    loud = with_added(solved, "for _ in range(2_000):\n    print('x' * 1_000)", after="imports")
    state = executed(loud, limited, sandbox=sandbox)
    (step,) = (s for s in state.steps() if s.cell.id == "added")
    (output,) = step.cell.outputs
    assert len(output["text"]) < 21_000
    assert output["text"].endswith("[output cut here]\n")
    assert judge(limited, state.log, secret=SECRET).score == EVERYTHING


def test_logs_and_messages_carry_no_paths(solved: Submission, graded: Grader) -> None:
    """Errors name the student's own line, not this machine's folders."""
    helper = "def found():\n    return open('/nowhere/at/all')"
    failing = f"{helper}\n\n\ndef count_positive(numbers):\n    return found()"
    raising = "np.linalg.inv(np.ones((2, 3)))"
    log, grade = graded(with_added(with_cells(solved, count_answer=failing), raising))
    text = timeless(log)
    for place in (str(Path.home()), str(Path.cwd()), "site-packages", "/tmp/"):
        assert place not in text, place
    (mark,) = (m for m in grade.marks if m.question == "count")
    assert "line 2 of the cell 'count_answer': return open(" in mark.message
    assert mark.message.startswith("`found` raised FileNotFoundError")


def test_what_goes_into_the_sandbox_names_nobody(
    solved: Submission, toy: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the student's id nor a path, a point, a reference or an expected value is sent."""
    sent: list[str] = []
    send = Run.send

    def record(run: Run, message: object) -> None:
        sent.append(json.dumps(message))
        send(run, message)

    monkeypatch.setattr(Run, "send", record)
    named = replace(solved, id=SubmissionId("ada_lovelace", "notebook", "0" * 64))
    executed(named, toy, sandbox=sandbox)
    # The job, the questions, and a word to go on at each of their two stops.
    assert len(sent) == 1 + 2 + 2
    text = "".join(sent)
    for word in ("ada_lovelace", str(Path.cwd()), str(Path.home()), "/tmp"):
        assert word not in text, word
    for word in ("points", "reference", "expected", "secret"):
        assert f'"{word}"' not in text, word


def test_a_run_may_have_less_time_than_a_question(
    solved: Submission, toy: Homework, sandbox: Sandbox
) -> None:
    """As in a container whose time is nearly over: questions are evaluated anyway."""
    limits = replace(toy.limits, submission_seconds=toy.limits.question_seconds / 2)
    short = replace(toy, limits=limits)
    state = executed(solved, short, sandbox=sandbox)
    assert {outcome.status for outcome in state.log.outcomes} == {"returned"}


def test_nothing_runs_when_all_time_is_over(
    solved: Submission, toy: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container: what is left is for the last page, not for runs without time."""
    begun = []

    def noted(job: Mapping[str, Any]) -> AbstractContextManager[Run]:
        begun.append(job)
        return run(job)

    run = sandbox.run
    monkeypatch.setattr(sandbox, "run", noted)
    short = replace(toy, limits=replace(toy.limits, submission_seconds=10, question_seconds=60))
    source = "def count_positive(numbers):\n    while True: pass"
    endless = with_added(solved, source, after="count_answer")
    state = executed(endless, short, sandbox=sandbox)
    status = {outcome.question: outcome.status for outcome in state.log.outcomes}
    assert [status[name] for name in ("count", "mean")] == ["timed_out"] * 2
    assert len(begun) == 1  # the visible check, which never ends either, comes after the question


def test_a_notebook_imports_what_was_handed_in_beside_it(
    solved: Submission, toy: Homework, sandbox: Sandbox
) -> None:
    """In its cells, and later when an answer is asked."""
    count = next(cell for cell in solved.cells if cell.id == "count_answer")
    source = "import helper\n\ndef count_positive(numbers):\n    import later\n    return helper.count_positive(numbers)"
    submission = replace(
        with_cells(solved, count_answer=source),
        helpers={"helper.py": f"import numpy as np\n{count.source}\n", "later.py": ""},
    )
    state = executed(submission, toy, sandbox=sandbox)
    assert earned(judge(toy, state.log, secret=SECRET))["count"] == 2


def test_the_scrubber_knows_cells_and_places() -> None:
    """Cell file names and this machine's places become words."""
    scrub = Scrubber()
    scrub.add(Path("/tmp/sandbox-x/submission-y"), "<directory>")
    here = "/tmp/sandbox-x/submission-y"
    text = f'File "{here}/ipykernel_12/345.py", line 1, in {here}/a'
    assert scrub(text) == 'File "<cell>", line 1, in <directory>/a'
    assert scrub("invalid syntax (137.py, line 13)") == "invalid syntax (line 13 of the cell)"


def test_grading_twice_gives_the_same_log(solved: Submission, toy: Homework) -> None:
    """Two runs in two processes differ only in times, even with random draws and sets."""
    source = "import random, numpy as np\nprint(random.random(), np.random.rand(), set('abcdefgh'))"
    logs, printed = set(), set()
    for _ in range(2):
        with Sandbox() as own:
            state = executed(with_added(solved, source), toy, sandbox=own)
        logs.add(timeless(state.log))
        (step,) = (s for s in state.steps() if s.cell.id == "added")
        printed.add(step.cell.outputs[0]["text"])
    assert len(logs) == 1
    assert len(printed) == 1, printed


def test_what_is_withheld_is_not_there_for_an_answer(solved: Submission, graded: Grader) -> None:
    """An answer that calls the provided mean_by_hand finds that it is gone."""
    calling = "def mean_positive(numbers):\n    return mean_by_hand(numbers)"
    _, grade = graded(with_cells(solved, mean_answer=calling))
    assert earned(grade)["mean"] == 0
    (mark,) = (m for m in grade.marks if m.question == "mean")
    assert "mean_by_hand" in mark.message


def test_top_level_await_and_magics_work(solved: Submission, graded: Grader) -> None:
    """Cells may use what Jupyter allows."""
    jupyter = "import asyncio\nawait asyncio.sleep(0)\n%time 1 + 1\n!true"
    log, grade = graded(with_added(solved, jupyter, after="imports"))
    assert grade.score == EVERYTHING
    assert log.errors == ()
