"""Answers in torch: what cells do to torch costs nothing, and an answer runs as it was written."""

from dataclasses import replace

import pytest

from autograder.records import codec
from autograder.records.facts import Submission
from autograder.records.homework import Homework, Limits
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import Grader, earned, executed, with_added, with_cells

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

EVERYTHING = 48 + 4


def test_the_last_answer_loses_only_itself(
    hw2: Homework, perfect: Submission, graded: Grader
) -> None:
    """It is asked in the notebook's own process; what ends that is asked for nothing more."""
    deadly = "def unique_weights():\n    import os\n    os._exit(0)"
    log, grade = graded(with_cells(perfect, unique_answer=deadly), homework=hw2)
    assert earned(grade)["unique"] == 0
    assert grade.score == EVERYTHING - 4
    assert "torch_transformer_value" in log.original


@pytest.mark.parametrize(
    "source",
    [
        "torch.set_num_threads(4)\ntorch.randn(1500, 1500) @ torch.randn(1500, 1500)",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
    ],
    ids=["threads", "dtype", "no_grad"],
)
def test_what_a_last_cell_does_to_torch_costs_nothing(
    hw2: Homework, perfect: Submission, graded: Grader, source: str
) -> None:
    """It does not undo right answers."""
    short = replace(hw2, limits=Limits(cell_seconds=20, output_bytes=100_000))
    log, grade = graded(with_added(perfect, codec.printable(source)), homework=short)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    codec.encode_log(log).encode()


def test_the_provided_reference_is_not_there_for_the_port(
    hw2: Homework, perfect: Submission, graded: Grader
) -> None:
    """A port that calls NumpyTransformer finds that it is gone."""
    port = next(cell.source for cell in perfect.cells if cell.id == "port_answer")
    head, _ = port.split("    def forward", 1)
    calling = head + (
        "    def forward(self, seq):\n"
        "        w = [m.weight.T.detach().numpy() for m in (self.Km, self.Qm, self.Vm)]\n"
        "        pos = None if self.pos is None else self.pos.weight.detach().numpy()\n"
        "        return torch.tensor(NumpyTransformer(*w, pos).forward(seq.numpy()))\n"
    )
    _, grade = graded(with_cells(perfect, port_answer=calling), homework=hw2)
    assert earned(grade)["port"] == 0
    assert "NumpyTransformer" in grade.marks[0].message


def test_a_compiled_answer_is_itself(hw2: Homework, perfect: Submission, graded: Grader) -> None:
    """torch.compile would take seconds in every fork."""
    port = next(cell.source for cell in perfect.cells if cell.id == "port_answer")
    compiled = port.replace(
        "    def forward(self", "    @torch.compile(dynamic=True)\n    def forward(self"
    )
    assert "@torch.compile" in compiled
    log, grade = graded(with_cells(perfect, port_answer=compiled), homework=hw2)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]
    assert log.seconds < 20


LATER = [
    "math = None",
    "del np, torch",
    "import math as nn",
    "class PytorchTransformer:\n    pass",
    "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_default_device('meta')",
    "torch.set_grad_enabled(False)",
]


@pytest.mark.parametrize("source", LATER)
def test_what_comes_after_a_check_undoes_no_answer_in_torch(
    hw2: Homework, perfect: Submission, graded: Grader, source: str
) -> None:
    """Names that an answer uses are overwritten below, as people do when they play."""
    _, grade = graded(with_added(perfect, source), homework=hw2)
    assert grade.score == EVERYTHING, [m for m in grade.marks if m.earned != m.points]


def test_draws_of_torch_are_the_same_in_two_processes(perfect: Submission, hw2: Homework) -> None:
    """Its generator is seeded, as those of Python and numpy are."""
    printed = set()
    for _ in range(2):
        with Sandbox() as own:
            state = executed(with_added(perfect, "print(torch.rand(1))"), hw2, sandbox=own)
        (step,) = (s for s in state.steps() if s.cell.id == "added")
        printed.add(step.cell.outputs[0]["text"])
    assert len(printed) == 1, printed
