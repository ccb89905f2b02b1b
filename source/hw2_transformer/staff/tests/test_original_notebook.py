"""Notebooks in the original form, whose parts share their variables: they earn what their own logs do."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbformat import v4

from autograder.grading.grader import Grader
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover, reading
from tests.helpers import COURSE

SETUP = """
import inspect, json, random, time
import numpy as np
import torch
import torch.nn as nn

TO_SAVE = {"time": time.time()}

def _set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
"""
HEAD = """
class NumpyTransformer:
    def __init__(self, Km, Qm, Vm, pos=None):
        self.Km, self.Qm, self.Vm, self.pos = Km, Qm, Vm, pos

    def forward(self, seq):
        if self.pos is not None:
            seq = np.concatenate([seq, self.pos[: len(seq)]], axis=-1)
        scores = (seq @ self.Qm) @ (seq @ self.Km).T / np.sqrt(self.Km.shape[1])
        weights = np.exp(scores)
        return weights / weights.sum(axis=1, keepdims=True) @ seq @ self.Vm
"""
PORT = """
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)
        self.root = np.sqrt(qk_dim)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: seq.shape[0]]], dim=-1)
        scores = self.Qm(seq) @ self.Km(seq).T / self.root
        return nn.functional.softmax(scores, dim=-1) @ self.Vm(seq)

def test():
    _set_seed(1998)
    output = PytorchTransformer(7, 4, 3, 2, 9)(torch.randn(8, 7))
    TO_SAVE["torch_transformer_shape"] = list(output.shape)
    TO_SAVE["torch_transformer_value"] = output.view(-1).tolist()[2:7]
    TO_SAVE["torch_transformer_init"] = inspect.getsource(PytorchTransformer.__init__)
    TO_SAVE["torch_transformer_forward"] = inspect.getsource(PytorchTransformer.forward)

test()
"""
CONTENT = """
A, B, C = np.array([1, 0, 0]), np.array([0, 1, 0]), np.array([0, 0, 1])
Km, Qm, Vm = 5.0 * np.eye(3), 9.0 * np.eye(3), np.eye(3)

_set_seed(1997)
seq = np.stack(random.choices([A, B, C], k=np.random.randint(1, 7)))
out = NumpyTransformer(Km, Qm, Vm).forward(seq)
TO_SAVE["attention_by_content"] = out.reshape(-1).tolist()
TO_SAVE["attention_by_content_Q"] = Qm.reshape(-1).tolist()
TO_SAVE["attention_by_content_K"] = Km.reshape(-1).tolist()
TO_SAVE["attention_by_content_V"] = Vm.reshape(-1).tolist()
"""
POSITION = """
A, B, C = np.array([1, 0, 0]), np.array([0, 1, 0]), np.array([0, 0, 1])
pos = np.eye(4)
Km = np.array([[0.0], [0.0], [0.0], [40.0], [0.0], [0.0], [0.0]])
Qm, Vm = np.ones((7, 1)), np.vstack([np.eye(3), np.zeros((4, 3))])

_set_seed(2017)
seq = np.stack(random.choices([A, B, C], k=np.random.randint(1, 5)))
out = NumpyTransformer(Km, Qm, Vm, pos).forward(seq)
TO_SAVE["attention_by_position"] = out.reshape(-1).tolist()
TO_SAVE["attention_by_position_pos"] = pos.reshape(-1).tolist()
TO_SAVE["attention_by_position_Q"] = Qm.reshape(-1).tolist()
TO_SAVE["attention_by_position_K"] = Km.reshape(-1).tolist()
TO_SAVE["attention_by_position_V"] = Vm.reshape(-1).tolist()
"""
LOG = """
with open("submission_log.json", "w", encoding="utf-8") as f:
    json.dump(TO_SAVE, f)
"""
OVERWRITTEN = "Km = Qm = Vm = pos = out = np.zeros((2, 2))"
FULL = {"port": 8, "port_positions": 8, "port_gradients": 4, "port_vectorised": 4}
FORMS: dict[str, tuple[list[str], dict[str, float]]] = {
    "all right": ([HEAD, PORT, CONTENT, POSITION], FULL | {"identity": 12, "copy_first": 12}),
    "equal keys": (
        [HEAD, PORT, CONTENT, POSITION.replace("[0.0], [40.0], [0.0]", "[9.0], [9.0], [9.0]")],
        FULL | {"identity": 12, "copy_first": 0},
    ),
    "too soft": (
        [HEAD, PORT, CONTENT.replace("9.0", "0.9"), POSITION],
        FULL | {"identity": 6, "copy_first": 12},
    ),
    "no scale": (
        [HEAD, PORT.replace(" / self.root", ""), CONTENT, POSITION],
        {**dict.fromkeys(FULL, 0), "identity": 12, "copy_first": 12},
    ),
    "in another order": (
        [HEAD, POSITION, CONTENT, PORT],
        FULL | {"identity": 12, "copy_first": 12},
    ),
    "overwritten": (
        [HEAD, PORT, CONTENT, OVERWRITTEN, POSITION, OVERWRITTEN, "TO_SAVE = dict(TO_SAVE)"],
        FULL | {"identity": 12, "copy_first": 12},
    ),
    "in one cell": ([HEAD + PORT + CONTENT + POSITION], FULL | {"identity": 12, "copy_first": 12}),
    "another matrix saved": (
        [HEAD, PORT, CONTENT.replace("Km.reshape", "Vm.reshape"), POSITION],
        FULL | {"identity": 0, "copy_first": 12},
    ),
    "one part": ([HEAD, PORT, CONTENT], FULL | {"identity": 12, "copy_first": 0}),
}


def submit(folder: Path, cells: list[str]) -> Path:
    """Write a notebook, and beside it, in a folder of its own, the log that it writes where it runs."""
    cells = [SETUP, *cells, LOG]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source.strip()) for source in cells])
    log, path = folder / "log", folder / "notebook" / "hw.ipynb"
    log.mkdir(parents=True)
    path.parent.mkdir()
    nbformat.write(notebook, path)
    (log / "run.py").write_text("\n".join(cells))
    subprocess.run([sys.executable, "run.py"], cwd=log, check=True, timeout=300)
    (log / "run.py").unlink()
    return folder


@pytest.mark.parametrize("name", ["all right", "in another order", "overwritten", "in one cell"])
def test_a_notebook_has_the_functions_that_its_log_has(name: str, hw2: Homework) -> None:
    """They return each part's matrices as they were when its lines ran, whatever came further down."""
    cells = [SETUP, *FORMS[name][0]]
    added = hw2.read_notebook(cells)
    names: dict[str, Any] = {"inspect": None}
    for number, source in enumerate(cells):
        exec(source.replace("\ntest()\n", ""), names)
        exec(added.get(number, ""), names)
    log = hw2.read_log(names["TO_SAVE"])
    of_the_log: Mapping[str, Any] = {}
    exec("\n".join(log.cells), of_the_log)
    for weights in ("identity_weights", "copy_first_weights"):
        for mine, theirs in zip(names[weights](), of_the_log[weights](), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"attention_by_content_K": [1.0]}, "not a multiple of 3"),
        ({"attention_by_content": [0.0] * 18}, "were not made by these matrices"),
        ({"attention_by_content": None}, "should be a list of numbers"),
    ],
)
def test_what_a_notebook_saved_is_checked_as_a_log_is(
    change: dict[str, Any], said: str, hw2: Homework
) -> None:
    """A sentence says what is wrong with it."""
    cells = [SETUP, HEAD, CONTENT]
    names: dict[str, Any] = {}
    exec("\n".join([*cells, hw2.read_notebook(cells)[2]]), names)
    names["TO_SAVE"].update(change)
    with pytest.raises(ValueError, match=said):
        names["identity_weights"]()


def test_a_notebook_of_ours_is_left_alone(tmp_path: Path, hw2: Homework) -> None:
    """Where a function is there, what a cell saves in the original form is not looked at."""
    path = tmp_path / "hw.ipynb"
    cells = [SETUP, HEAD, CONTENT, "def identity_weights():\n    return Km, Qm, Vm"]
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell(c) for c in cells]), path)
    (found,), _ = discover.find([path])
    submission = reading.read(found, hw2)
    assert len(submission.cells) == len(cells)
    assert not submission.remarks


@pytest.mark.slow
@pytest.mark.turns(3)
@pytest.mark.parametrize("name", FORMS)
def test_a_notebook_earns_what_its_log_earns(name: str, tmp_path: Path, hw2: Homework) -> None:
    """Question by question, and the report says what was read."""
    cells, deserved = FORMS[name]
    folder = submit(tmp_path, cells)
    with Sandbox() as sandbox:
        grader = Grader(hw2, COURSE, sandbox)
        for form in ("notebook", "log"):
            (found,), complaints = discover.find([folder / form])
            assert not complaints
            (out := folder / f"graded_{form}").mkdir()
            graded = grader.grade(found, out)
            assert (grade := graded.grade), graded.complaint
            earned = {mark.question: mark.earned for mark in grade.marks if not mark.by_hand}
            assert earned == deserved | {"unique": 0}, form
            read = any("in an earlier form" in remark for remark in grade.remarks)
            assert read == (form == "notebook")
