"""The class and the forms that `make bench` compares times on."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from tests.benchmarks import asking, classroom, rivals
from tests.benchmarks.forms import READY, trimmed

NAME = "hw2_transformer"


def identity(gain: float) -> dict[str, object]:
    return {"identity_weights": lambda: (np.eye(3), gain * np.eye(3), np.eye(3))}


@pytest.mark.slow
@pytest.mark.turns(8)
def test_a_class_is_the_same_for_the_same_seed(hw2: Homework, tmp_path: Path) -> None:
    """Equal seeds write equal bytes, also in a larger class; other seeds write others."""
    small = classroom.make(tmp_path / "small", 5, seed=1, homework=hw2)
    large = classroom.make(tmp_path / "large", 8, seed=1, homework=hw2)
    other = classroom.make(tmp_path / "other", 5, seed=2, homework=hw2)
    written = [[path.read_bytes() for path in paths] for paths in (small, large, other)]
    assert [path.name for path in large[:2]] == ["student-0001.ipynb", "student-0002.ipynb"]
    assert written[0] == written[1][:5]
    assert not set(written[0]) & set(written[2])


def test_no_two_of_a_class_are_the_same(hw2: Homework, tmp_path: Path) -> None:
    """All files differ, and each is a notebook with the release's cells in their order."""
    paths = classroom.make(tmp_path, 60, seed=3, homework=hw2)
    assert len({path.read_bytes() for path in paths}) == 60
    released = [cell.id for cell in hw2.cells]
    for path in paths:
        ids = [cell["id"] for cell in codec.loads(path.read_bytes())["cells"]]
        assert [id for id in ids if not id.startswith("scratch_")] == released


def test_a_class_may_have_saved_figures(hw2: Homework, tmp_path: Path) -> None:
    """Its members' answers are the same as without."""
    bare, full = (
        codec.loads(classroom.make(tmp_path, 1, seed=1, homework=hw2, outputs=o)[0].read_bytes())
        for o in (False, True)
    )
    assert [cell["source"] for cell in bare["cells"]] == [cell["source"] for cell in full["cells"]]
    outputs = [one for cell in full["cells"] for one in cell.get("outputs", [])]
    assert sum("image/png" in one.get("data", {}) for one in outputs) > 5


@pytest.mark.slow
@pytest.mark.turns(8)
@pytest.mark.parametrize("name", ["hw2_transformer", "hw3_proofs"])
def test_a_class_is_mixed_as_it_says(name: str, course: Path) -> None:
    """About 50 % have all code right, 40 % not, and only the rest leave code unwritten."""
    from autograder.course import homework

    chosen = homework.load(course, name)
    members = list(classroom.students(400, seed=4, homework=chosen))
    kinds = [member.kind for member in members]
    assert 0.4 < kinds.count("right") / 400 < 0.6
    assert 0.3 < kinds.count("wrong") / 400 < 0.5
    code = {cell.id for cell in chosen.cells if (cell.role, cell.type) == ("answer", "code")}
    for member in members:
        assert (code <= member.answers.keys()) == (member.kind != "unwritten")
        assert "SOLUTION" not in "".join(member.answers.values())


@pytest.mark.slow
@pytest.mark.turns(8)
def test_a_class_earns_what_it_should(hw2: Homework, tmp_path: Path) -> None:
    """The right ones earn all machine points, those with unwritten answers lose some."""
    paths = classroom.make(tmp_path, 12, seed=1, homework=hw2)
    full = sum(question.points for question in hw2.questions if not question.by_hand)
    earned = {
        student: sum(points.values()) for student, points in rivals.our_points(paths, hw2).items()
    }
    members = {s.name: s.kind for s in classroom.students(12, seed=1, homework=hw2)}
    assert set(members.values()) == {"right", "wrong", "unwritten"}
    assert all(earned[name] == full for name, kind in members.items() if kind == "right")
    assert all(earned[name] < full for name, kind in members.items() if kind == "unwritten")
    assert any(earned[name] < full for name, kind in members.items() if kind == "wrong")


def test_hidden_tests_ask_as_we_do() -> None:
    """Right matrices earn everything, soft ones half, and others or missing ones nothing."""
    assert asking.points(NAME, "identity", identity(30), 12) == 12
    assert asking.points(NAME, "identity", identity(5), 12) == 6
    with pytest.raises(AssertionError, match="Wrong on"):
        asking.points(NAME, "identity", identity(-30), 12)
    with pytest.raises(AssertionError, match="not defined"):
        asking.points(NAME, "identity", {}, 12)


def test_a_part_of_the_points_is_a_test_of_its_own() -> None:
    """Half-right matrices pass the test for half of the points and fail that for all."""
    notebook = identity(5)
    asking.demand(NAME, "identity", notebook, 0.5)
    with pytest.raises(AssertionError, match="off by up to"):
        asking.demand(NAME, "identity", notebook, 1.0)


def test_what_an_answer_may_not_use_is_back_afterwards() -> None:
    """A withheld name is missing while a question is evaluated, and back for the cells after it."""
    notebook: dict[str, object] = {"LEARNED_IDENTITY": [np.eye(3)] * 3}
    exec("def identity_weights(): return LEARNED_IDENTITY", notebook)
    with pytest.raises(AssertionError, match="LEARNED_IDENTITY"):
        asking.points(NAME, "identity", notebook, 12)
    assert len(notebook["LEARNED_IDENTITY"]) == 3  # type: ignore[arg-type]


def test_a_question_that_needs_another_one_earns_nothing_alone() -> None:
    """port_vectorised counts only where port is right."""
    with pytest.raises(AssertionError, match="counts only once `port`"):
        asking.points(NAME, "port_vectorised", {}, 4)


def test_demos_can_be_left_out(course: Path) -> None:
    """Without them, exactly the cells that only illustrate are gone."""
    notebook = json.loads((course / "release" / NAME / f"{NAME}.ipynb").read_text())
    assert trimmed(notebook, demos=True) == notebook
    left = {cell["id"] for cell in trimmed(notebook, demos=False)["cells"]}
    gone = [cell["id"] for cell in notebook["cells"] if cell["id"] not in left]
    assert "identity_training" in gone
    assert not {"port_answer", "port", "compare_identity", "training_tools"} & set(gone)


@pytest.mark.slow
@pytest.mark.turns(8)
def test_nbgrader_and_otter_give_our_points(hw2: Homework, tmp_path: Path) -> None:
    """On right, wrong and unwritten answers the forms without demos give what we give."""
    if not READY.exists():
        with pytest.raises(UserError, match="make bench"):
            rivals.prepared(tmp_path, hw2)
        pytest.skip("nbgrader and otter are not installed: make bench")
    notebooks = classroom.make(tmp_path / "class", 3, seed=1, homework=hw2)
    ours = rivals.our_points(notebooks, hw2)
    for rival in rivals.prepared(tmp_path / "forms", hw2)[:2]:
        seconds = rival.seconds(notebooks)
        assert len(seconds) == len(rival.processor_seconds()) == 3
        assert rivals.differences(ours, rival.scores()) == []
        assert list(rival.scores()) == [path.stem for path in notebooks]
