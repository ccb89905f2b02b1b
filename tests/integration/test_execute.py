"""execute: submissions run in their own process, and lose only what they break."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder import codec
from autograder.authoring.contract import timeless
from autograder.marking.judge import judge
from autograder.model import HandIn, Homework, Limits, Submission
from autograder.sandbox.execute import Scrubber
from autograder.sandbox.supervisor import Run, Sandbox
from tests.helpers import SECRET, Grader, earned, executed, with_added, with_cells

pytestmark = pytest.mark.slow

EVERYTHING = 48 + 4


def test_helpers_and_imports_in_the_given_cell_work(
    hw2: Homework, perfect: HandIn, graded: Grader
) -> None:
    """A student who adds to the import cell keeps what was added."""
    given = next(cell.source for cell in hw2.cells if cell.id == "imports")
    port = next(cell.source for cell in perfect.cells if cell.id == "port_answer")
    changed = with_cells(
        perfect,
        imports=given
        + "\nimport statistics\n\ndef root(x):\n    return statistics.fmean([x]) ** 0.5",
        port_answer=port.replace("math.sqrt", "root"),
    )
    log, grade = graded(changed)
    assert grade.score == EVERYTHING
    assert "'imports' was changed" in log.repairs[0]


def test_warnings_cost_nothing(perfect: HandIn, graded: Grader) -> None:
    """Text on stderr is not a mistake."""
    noisy = "import warnings, sys\nwarnings.warn('careful')\nprint('hm', file=sys.stderr)"
    assert graded(with_added(perfect, noisy, after="imports"))[1].score == EVERYTHING


@pytest.mark.parametrize(
    "source", ["import sys; sys.exit()", "exit()", "raise KeyboardInterrupt", "1/0", "def f(:"]
)
def test_a_failing_cell_costs_nothing_else(perfect: HandIn, graded: Grader, source: str) -> None:
    """Cells go on after an error, and all answers are asked."""
    assert graded(with_added(perfect, source, after="imports"))[1].score == EVERYTHING


def test_a_cell_that_ends_the_process_is_left_out(perfect: HandIn, graded: Grader) -> None:
    """os._exit(0) loses only its own cell."""
    log, grade = graded(with_added(perfect, "import os\nos._exit(0)", after="identity_answer"))
    assert grade.score == EVERYTHING
    assert log.repairs == ("Left out: your own code cell 1, because it ended the process.",)


def test_an_answer_that_ends_the_process_loses_itself(perfect: HandIn, graded: Grader) -> None:
    """os._exit inside an answer loses that question; visible checks that call it are left out."""
    deadly = "def identity_weights():\n    import os\n    os._exit(0)"
    _, grade = graded(with_cells(perfect, identity_answer=deadly))
    assert earned(grade)["identity"] == 0
    assert grade.score == EVERYTHING - 12


def test_the_last_answer_loses_only_itself(perfect: HandIn, graded: Grader) -> None:
    """It is asked in the notebook's own process; what ends that is asked for nothing more."""
    deadly = "def unique_weights():\n    import os\n    os._exit(0)"
    log, grade = graded(with_cells(perfect, unique_answer=deadly))
    assert earned(grade)["unique"] == 0
    assert grade.score == EVERYTHING - 4
    assert "torch_transformer_value" in log.original


def test_an_endless_loop_loses_only_its_cell(
    hw2: Homework, perfect: HandIn, graded: Grader
) -> None:
    """A cell that ignores interrupts is killed when its 10 seconds are over."""
    stubborn = (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass"
    )
    short = replace(hw2, limits=Limits(cell_seconds=10))
    log, grade = graded(with_added(perfect, stubborn, after="identity_answer"), homework=short)
    assert grade.score == EVERYTHING
    assert "did not end within 10 seconds" in log.repairs[0]
    assert log.seconds > 10


@pytest.mark.parametrize("question", ["copy_first", "unique"])
def test_an_alarm_of_a_cell_reaches_no_answer(
    perfect: HandIn, graded: Grader, question: str
) -> None:
    """Whether it is asked in a fork or in the notebook's own process."""
    alarming = (
        "import signal, time\n"
        "signal.signal(signal.SIGALRM, lambda *_: 1 / 0)\n"
        f"answer = {question}_weights\n"
        f"def {question}_weights():\n"
        "    time.sleep(2)\n"
        "    return answer()\n"
        "_ = signal.alarm(1)"
    )
    _, grade = graded(with_added(perfect, alarming, after=perfect.cells[-1].id))
    assert grade.score == EVERYTHING


@pytest.mark.parametrize("question", ["copy_first", "unique"])
def test_an_endless_answer_loses_only_itself(
    hw2: Homework, perfect: HandIn, graded: Grader, question: str
) -> None:
    """An answer that never returns times out, in a fork or not; questions after it are asked."""
    endless = f"import sys\ndef {question}_weights():\n    while 'grading' in sys.argv or True:\n        pass"
    short = replace(hw2, limits=Limits(cell_seconds=3, question_seconds=2))
    log, grade = graded(with_cells(perfect, **{f"{question}_answer": endless}), homework=short)
    (outcome,) = (o for o in log.outcomes if o.question == question)
    assert outcome.status == "timed_out"
    assert grade.score == EVERYTHING - hw2.question(question).points


def test_slow_cells_leave_time_for_the_questions(
    hw2: Homework, perfect: HandIn, graded: Grader
) -> None:
    """When a submission's time runs out in added cells, its answers are asked all the same."""
    short = replace(hw2, limits=Limits(cell_seconds=60, submission_seconds=30))
    slow = with_added(perfect, "while True: pass", after="imports")
    log, grade = graded(with_added(slow, "1 + 1"), homework=short)
    assert grade.score == EVERYTHING
    assert "all added cells together took more than 12 seconds" in log.repairs[0]


@pytest.mark.parametrize(
    "source",
    [
        "torch.set_num_threads(4)\ntorch.randn(1500, 1500) @ torch.randn(1500, 1500)",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "import os\nos.fork()",
        "import threading\n"
        "def shout():\n    while True:\n        print('x')\n"
        "threading.Thread(target=shout, daemon=True).start()",
        "raise ValueError(chr(0xD800) + 'x' * 50_000_000)",
        "x = 'half \ud83d'",
    ],
    ids=["threads", "dtype", "no_grad", "fork", "shouting thread", "long error", "surrogate"],
)
def test_odd_last_cells_cost_nothing(
    hw2: Homework, perfect: HandIn, graded: Grader, source: str
) -> None:
    """What a later cell does to torch, threads or processes does not undo right answers."""
    short = replace(hw2, limits=Limits(cell_seconds=20, output_bytes=100_000))
    log, grade = graded(with_added(perfect, codec.printable(source)), homework=short)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    codec.encode_log(log).encode()


def test_the_whole_process_tree_is_ended(perfect: HandIn, hw2: Homework, tmp_path: Path) -> None:
    """Children that start a session of their own do not outlive the submission."""
    daemon = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', 'left-behind'],\n"
        "                 start_new_session=True)\n"
    )
    with Sandbox() as own:
        executed(with_added(perfect, daemon), hw2, sandbox=own)
        left = [
            p
            for p in psutil.process_iter(["cmdline"])
            if "left-behind" in (p.info["cmdline"] or [])
        ]
        assert not left


def test_nothing_is_left_on_disk(perfect: HandIn, hw2: Homework, tmp_path: Path) -> None:
    """Whatever a submission writes into its directory goes with it."""
    writer = "open('mine.txt', 'w').close()\nimport os\nprint(os.path.abspath('.'))"
    with Sandbox() as own:
        state = executed(with_added(perfect, writer), hw2, sandbox=own)
        home = own._home
        assert not list(home.glob("submission-*"))
    assert not home.exists()
    (printed,) = (s for s in state.steps() if s.cell.id == "added")
    assert printed.cell.outputs[0]["text"].strip() == "<directory>"


def test_the_environment_is_clean(
    perfect: HandIn, hw2: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets of the grader's environment do not reach student code."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "do-not-show")
    monkeypatch.setenv("SOME_TOKEN", "do-not-show")
    looking = "import os\nprint(sorted(os.environ))\nprint([v for v in os.environ.values() if 'show' in v])"
    with Sandbox() as own:
        state = executed(with_added(perfect, looking), hw2, sandbox=own)
    (printed,) = (s for s in state.steps() if s.cell.id == "added")
    text = printed.cell.outputs[0]["text"]
    assert "SOME_TOKEN" not in text
    assert "AUTOGRADER_SECRET" not in text
    assert text.rstrip().endswith("[]")


def test_output_is_capped_while_it_comes(hw2: Homework, perfect: HandIn, sandbox: Sandbox) -> None:
    """Prints beyond the share of a submission are cut, and cost no answer."""
    limited = replace(hw2, limits=Limits(output_bytes=20_000))
    loud = with_added(perfect, "for _ in range(2_000):\n    print('x' * 1_000)", after="imports")
    state = executed(loud, limited, sandbox=sandbox)
    (step,) = (s for s in state.steps() if s.cell.id == "added")
    (output,) = step.cell.outputs
    assert len(output["text"]) < 21_000
    assert output["text"].endswith("[output cut here]\n")
    assert judge(limited, state.log, secret=SECRET).score == EVERYTHING


def test_logs_and_messages_carry_no_paths(perfect: HandIn, graded: Grader) -> None:
    """Errors name the student's own line, not this machine's folders."""
    failing = "def identity_weights():\n    return open('/nowhere/at/all')"
    raising = "import torch\ntorch.nn.Linear(2, 2)(torch.ones(3))"
    log, grade = graded(with_added(with_cells(perfect, identity_answer=failing), raising))
    text = timeless(log)
    for place in (str(Path.home()), str(Path.cwd()), "site-packages", "/tmp/"):
        assert place not in text, place
    (mark,) = (m for m in grade.marks if m.question == "identity")
    assert "line 2 of the cell 'identity_answer': return open(" in mark.message


def test_what_goes_into_the_sandbox_names_nobody(
    perfect: HandIn, hw2: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the student's id nor a path, a point, a reference or an expected value is sent."""
    sent: list[str] = []
    send = Run.send

    def record(run: Run, message: object) -> None:
        sent.append(json.dumps(message))
        send(run, message)

    monkeypatch.setattr(Run, "send", record)
    named = replace(perfect, submission=Submission("ada_lovelace", "notebook", "0" * 64))
    executed(named, hw2, sandbox=sandbox)
    # The job, the questions, a word to go on at each of four stops, the original log's fields.
    assert len(sent) == 1 + 7 + 4 + 1
    text = "".join(sent)
    for word in ("ada_lovelace", str(Path.cwd()), str(Path.home()), "/tmp"):
        assert word not in text, word
    for word in ("points", "reference", "expected", "secret"):
        assert f'"{word}"' not in text, word


def test_a_run_may_have_less_time_than_a_question(
    perfect: HandIn, hw2: Homework, sandbox: Sandbox
) -> None:
    """As in a container whose time is nearly over: questions are asked all the same."""
    limits = replace(hw2.limits, submission_seconds=hw2.limits.question_seconds / 2)
    short = replace(hw2, limits=limits)
    state = executed(perfect, short, sandbox=sandbox)
    assert {outcome.status for outcome in state.log.outcomes} == {"returned"}


def test_nothing_runs_when_all_time_is_over(
    perfect: HandIn, hw2: Homework, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container: what is left is for the last page, and not for runs without time."""
    begun = []

    def noted(job: Mapping[str, Any]) -> AbstractContextManager[Run]:
        begun.append(job)
        return run(job)

    run = sandbox.run
    monkeypatch.setattr(sandbox, "run", noted)
    short = replace(hw2, limits=replace(hw2.limits, submission_seconds=10, question_seconds=60))
    source = "def identity_weights():\n    while True: pass"
    endless = with_added(perfect, source, after="identity_answer")
    state = executed(endless, short, sandbox=sandbox)
    status = {outcome.question: outcome.status for outcome in state.log.outcomes}
    assert [status[name] for name in ("identity", "copy_first", "unique")] == ["timed_out"] * 3
    assert len(begun) == 2  # the second one without the visible check, which never ends either


def test_a_notebook_imports_what_was_handed_in_beside_it(
    perfect: HandIn, hw2: Homework, sandbox: Sandbox
) -> None:
    """In its cells, and later when an answer is asked."""
    identity = next(cell for cell in perfect.cells if cell.id == "identity_answer")
    source = "import helper\n\ndef identity_weights():\n    import later\n    return helper.identity_weights()"
    hand_in = replace(
        with_cells(perfect, identity_answer=source),
        helpers={"helper.py": f"import numpy as np\n{identity.source}\n", "later.py": ""},
    )
    state = executed(hand_in, hw2, sandbox=sandbox)
    assert earned(judge(hw2, state.log, secret=SECRET))["identity"] == 12


def test_the_scrubber_knows_cells_and_places() -> None:
    """Cell file names and this machine's places become words."""
    scrub = Scrubber()
    scrub.add(Path("/tmp/sandbox-x/submission-y"), "<directory>")
    here = "/tmp/sandbox-x/submission-y"
    text = f'File "{here}/ipykernel_12/345.py", line 1, in {here}/a'
    assert scrub(text) == 'File "<cell>", line 1, in <directory>/a'


def test_grading_twice_gives_the_same_log(perfect: HandIn, hw2: Homework) -> None:
    """But for times, nothing differs between two runs in two processes: draws and set order included."""
    source = (
        "import random, torch, numpy as np\n"
        "print(random.random(), np.random.rand(), torch.rand(1), set('abcdefgh'))"
    )
    logs, printed = set(), set()
    for _ in range(2):
        with Sandbox() as own:
            state = executed(with_added(perfect, source), hw2, sandbox=own)
        logs.add(timeless(state.log))
        (step,) = (s for s in state.steps() if s.cell.id == "added")
        printed.add(step.cell.outputs[0]["text"])
    assert len(logs) == 1
    assert len(printed) == 1, printed


def test_the_provided_reference_is_not_there_for_the_port(perfect: HandIn, graded: Grader) -> None:
    """A port that calls NumpyTransformer finds that it is gone."""
    port = next(cell.source for cell in perfect.cells if cell.id == "port_answer")
    head, _ = port.split("    def forward", 1)
    calling = head + (
        "    def forward(self, seq):\n"
        "        w = [m.weight.T.detach().numpy() for m in (self.Km, self.Qm, self.Vm)]\n"
        "        pos = None if self.pos is None else self.pos.weight.detach().numpy()\n"
        "        return torch.tensor(NumpyTransformer(*w, pos).forward(seq.numpy()))\n"
    )
    _, grade = graded(with_cells(perfect, port_answer=calling))
    assert earned(grade)["port"] == 0
    assert "NumpyTransformer" in grade.marks[0].message


def test_top_level_await_and_magics_work(perfect: HandIn, graded: Grader) -> None:
    """Cells may use what Jupyter allows."""
    jupyter = "import asyncio\nawait asyncio.sleep(0)\n%time 1 + 1\n!true"
    log, grade = graded(with_added(perfect, jupyter, after="imports"))
    assert grade.score == EVERYTHING
    assert log.errors == ()
