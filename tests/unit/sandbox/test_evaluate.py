"""evaluate: an adapter's results, and the texts of errors."""

import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tqdm

from autograder.records import data
from autograder.records.questions import RESULT, STEPS
from autograder.sandbox.inside import evaluate

INPUTS: dict[str, Any] = {
    "visits": pd.DataFrame({"visited": ["2026-03-01", "soon"], "weight": [60.5, 7]})
}


def asked(source: str, folder: Path, **request: Any) -> dict[str, Any]:
    """Return the outcome of an answer in a cell with this source."""
    file = folder / "cell.py"
    file.write_text(source)
    notebook: dict[str, Any] = {"pd": pd, "np": np}
    exec(compile(source, str(file), "exec"), notebook)
    whole = {
        "question": "clean", "number": 0, "adapter": "", "objects": ["clean"], "hide": (), "watch": (),
        "reads": "data", "inputs": data.encode_inputs(INPUTS), **request,
    }  # fmt: skip
    return evaluate.answer(
        whole,
        adapters={"array": lambda clean, visits: np.ones(2), "none": lambda clean, visits: None},
        notebook=notebook,
        seed=0,
        cell_names={str(file): "the cell"},
    )


@pytest.mark.parametrize("reads", ["numbers", "data", "error", "picture"])
@pytest.mark.parametrize(("adapter", "kind"), [("array", "ndarray"), ("none", "NoneType")])
def test_an_adapter_that_returns_no_dict_is_named(
    tmp_path: Path, adapter: str, kind: str, reads: str
) -> None:
    """Whatever is read of the answer."""
    found = asked("def clean(visits): pass", tmp_path, adapter=adapter, reads=reads)
    said = f'staff/adapters.py: {adapter} returns {kind}, not a dict; return a dict, such as {{"{RESULT}": ...}}'
    assert (found["status"], found["error"]) == ("refused", said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pd.to_datetime(visits['visited'], format='%Y-%m-%d')", "'...'"),
        (
            "[float(one[:4]) for one in visits['visited']]",
            "could not convert string to float: '...'",
        ),
        ("dict(a=1)[visits['visited'][1]]", "KeyError: '...'"),
        ("visits['amount']", "KeyError: 'amount'"),
        ("visits.set_index('weight')['weight']", "KeyError: 'weight'"),
    ],
)
def test_a_library_quotes_no_input(tmp_path: Path, line: str, said: str) -> None:
    """Except inputs in the student's own line."""
    error = asked(f"def clean(visits):\n    return {line}\n", tmp_path)["error"]
    assert said in error.replace('"', "'")
    assert "soon" not in error.split("\n")[0]
    assert "2026-03-01" not in error


def test_what_a_student_raises_stays(tmp_path: Path) -> None:
    """It is the text of the student's own error."""
    source = "def clean(visits):\n    raise ValueError(f'got {visits.visited[1]!r}')\n"
    assert "ValueError: got 'soon'" in asked(source, tmp_path)["error"]


def test_progress_bars_and_imports_count_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first bar starts no thread, and an answer may be the first to import a module."""
    monkeypatch.setattr(tqdm.tqdm, "monitor", None)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)

    def call() -> dict[str, Any]:
        import colorsys

        return {RESULT: colorsys.ONE_THIRD}

    assert evaluate.counted(call)[STEPS] == evaluate.counted(call)[STEPS]
    assert evaluate.alone(lambda: {RESULT: [*tqdm.tqdm([1])]})[RESULT] == [1]


class Finder:
    """A finder that works while a module is imported, and finds none."""

    def find_spec(self, *_: object) -> None:
        for _number in range(1_000):
            pass


def test_work_inside_the_import_system_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a library's own lines are not, and only while Python itself imports."""
    loop = Finder().find_spec
    hidden = compile("for number in range(1_000):\n    pass", f"{sys.prefix}/x.py", "exec")
    load = importlib._bootstrap._find_and_load  # type: ignore[attr-defined]

    def foreign() -> dict[str, Any]:
        with contextlib.suppress(ImportError, KeyError):
            load("no_such.module", lambda _name: exec(hidden))
        return {RESULT: 0}

    assert evaluate.counted(foreign)[STEPS] > 1_000
    direct = importlib._bootstrap._call_with_frames_removed  # type: ignore[attr-defined]
    assert evaluate.counted(lambda: {RESULT: direct(loop)})[STEPS] > 1_000
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert evaluate.counted(lambda: {RESULT: __import__("colorsys")})[STEPS] > 1_000


def test_data_that_contain_themselves_are_withdrawn_at_once() -> None:
    """Every number is reached, and nothing twice."""
    numbers = np.ones(2)
    items: list[Any] = []
    items += [items, items, numbers]
    evaluate.withdraw(items)
    assert np.isnan(numbers).all()
