"""Authors' mistakes in a homework's folder: one line gives the place and the remedy."""

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring import kit_cells, release
from autograder.authoring.calibrate import bands
from autograder.authoring.contract import branches, files, rules, sampling
from autograder.course import course as courses
from autograder.course import homework, inputs, known_answers, rubrics
from autograder.course.homework import HomeworkError
from autograder.records.errors import UserError
from autograder.sandbox.inside import worker


def changed(path: Path, old: str, new: str) -> None:
    """Replace a text that occurs at least once."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


STAFF = Path("source/toy/staff")
MISTAKE = """[below]
says = "Numbers below zero are counted."
fails = ["count"]
nudge = "Which numbers?"
explanation = "Those below zero are counted."
edits = [["    return int((numbers > 0).sum())", "    return int((numbers < 0).sum())"]]
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "spec.py",
            'use="count"',
            'use="cuont"',
            "question 'count' names the adapter 'cuont', but adapters.py does not define it",
        ),
        (
            "spec.py",
            '"count_positive"',
            '"count_positives"',
            "question 'count' evaluates 'count_positives', but no cell of source/toy/toy.ipynb",
        ),
        (
            "spec.py",
            "HOMEWORK = Homework(",
            'HOMEWORK = Homework(\n    collected="ps1",',
            "collected is 'ps1'; write nbgrader's names of the assignment and the notebook",
        ),
        ("adapters.py", "def count", "def count(", r"staff/adapters.py: line \d+: "),
        (
            "spec.py",
            'if_right={"count"',
            'points=5, if_right={"count"',
            r"question 'mean' has points=5, but its cell in source/toy/toy.ipynb has \d; remove `points`",
        ),
        (
            "spec.py",
            'Question("argue")',
            'Question("argue", cases=cases)',
            "'argue': it is marked by hand, so nothing uses cases",
        ),
        (
            "spec.py",
            'Question("argue")',
            'Question("argue", gradients=False)',
            "nothing uses gradients",
        ),
        ("spec.py", "title=", 'name="toy", title=', "name comes from the homework's folder"),
        (
            "spec.py",
            'use="count",\n            objects=("count_positive",),',
            'ask=__import__("autograder.kit", fromlist=["Ask"]).Ask(asserts="x"),',
            "asserts comes from the notebook",
        ),
        (
            "spec.py",
            '("count_positive",)',
            '("count_positive",), may_mutate=("mean",)',
            "may_mutate names 'mean', which is not one of",
        ),
        (
            "spec.py",
            "if_right=",
            'needs=("argue",), if_right=',
            "'mean' names 'argue', which is not an earlier",
        ),
        (
            "spec.py",
            "Close(reference.count, 0.0, describe)",
            "describe",
            "spec.py: .* 'count' is not a Check",
        ),
    ],
)
def test_a_name_that_is_not_there(mine: Path, file: str, old: str, new: str, said: str) -> None:
    """This covers adapters, objects, checks, needed questions and syntax errors."""
    changed(mine / STAFF / file, old, new)
    with pytest.raises(HomeworkError, match=said):
        homework.load(mine, "toy")


@pytest.mark.parametrize(("points", "near"), [(0.333, "0.33"), (1.125, "1.13")])
def test_points_have_at_most_two_decimals(mine: Path, points: float, near: str) -> None:
    """Marks are rounded to them, so no answer would earn exactly all points."""
    path = mine / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    next(one for one in marks if one.get("grade_id") == "mean")["points"] = points
    path.write_text(json.dumps(notebook))
    said = f"'mean' has {points} points, but marks have at most two decimals; give it {near}"
    with pytest.raises(HomeworkError, match=re.escape(said)):
        homework.load(mine, "toy")


@pytest.mark.parametrize("file", ["wrong/zero.txt", "right/loop.ipynb", "rubrics/argue.txt"])
def test_a_file_that_nobody_reads_is_told(mine: Path, file: str) -> None:
    """This covers known answers and rubrics with a wrong suffix, but not hidden files and caches."""
    (mine / STAFF / "wrong" / ".cache").mkdir()
    assert files.files_are_read(mine / STAFF).holds
    (mine / STAFF / file).write_text("text")
    told = files.files_are_read(mine / STAFF)
    assert not told.holds
    assert told.detail.startswith(f"nothing reads staff/{file} (its name has to end with .")


SHARED = '"""What both sides need."""\n\n\nFACTOR, OTHER = 1, 2\n\n\ndef whole(value):\n    """Return it as a number."""\n    return float(value)\n'
IMPORT = "from .shared import (\n    FACTOR,\n    whole,\n)\n"


def test_adapters_and_reference_share_functions(mine: Path) -> None:
    """shared.py goes into the sandbox with the adapters, and affects the facts."""
    before = homework.load(mine, "toy")
    (mine / STAFF / "shared.py").write_text(SHARED)
    changed(
        mine / STAFF / "adapters.py",
        "from typing import Any\n",
        f"from typing import Any\n{IMPORT}",
    )
    changed(mine / STAFF / "adapters.py", "number(function", "whole(function")
    after = homework.load(mine, "toy")
    adapters = worker.load_adapters(after.adapters)
    assert adapters["count"](lambda numbers: len(numbers), [1.0, 2.0]) == {"the count": 2.0}
    lines = (mine / STAFF / "adapters.py").read_text().splitlines()
    assert adapters["count"].__code__.co_firstlineno - 1 == next(
        n for n, line in enumerate(lines) if line.startswith("def count")
    )
    assert adapters["FACTOR"] == 1
    assert adapters["whole"].__code__.co_filename == "staff/shared.py"
    assert after.facts_digest != before.facts_digest
    changed(mine / STAFF / "shared.py", "float(value)", "int(value)")
    assert homework.load(mine, "toy").facts_digest != after.facts_digest


@pytest.mark.parametrize(
    ("shared", "wanted", "said"),
    [
        (SHARED, "from .reference import count\n", "line 5: of staff/, only shared.py goes into"),
        (SHARED, "from .shared import half\n", "line 5: shared.py defines no 'half'"),
        (
            SHARED,
            "from .shared import whole as w\n",
            "line 5: 'whole' keeps its name; import it without `as w`",
        ),
        (
            f"from . import spec\n{SHARED}",
            IMPORT,
            "shared.py: it goes into the sandbox without the rest of staff/",
        ),
        ("def whole(:\n", IMPORT, "staff/shared.py: line 1: "),
    ],
)
def test_what_shared_cannot_do_is_told(mine: Path, shared: str, wanted: str, said: str) -> None:
    """This covers neighbours that stay here, unknown names, and files that need others."""
    (mine / STAFF / "shared.py").write_text(shared)
    changed(
        mine / STAFF / "adapters.py",
        "from typing import Any\n",
        f"from typing import Any\n{wanted}",
    )
    with pytest.raises(HomeworkError, match=re.escape(said)):
        homework.load(mine, "toy")


def test_a_missing_spec_is_not_a_missing_homework(mine: Path) -> None:
    """The line names the missing file."""
    (mine / STAFF / "spec.py").unlink()
    with pytest.raises(HomeworkError, match=r"^source/toy/staff/spec.py is missing"):
        homework.load(mine, "toy")


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (
            "wrong/x.py",
            '"""Off."""\nFAILS = "count"\nNUDGE = "a"\nEXPLANATION = "b"\n',
            r"FAILS is 'count'; write a tuple of ids, such as \('count',\)",
        ),
        (
            "right/x.py",
            '"""Other."""\nSIZE = len("abc")\n\n\ndef count_positive(numbers):\n    return SIZE\n',
            "line 2: SIZE is not a literal",
        ),
        (
            "right/x.py",
            '"""Other."""\nSIZE = 3\n\n\ndef count_positive(numbers):\n    return 3\n',
            "line 2: no function of the file uses SIZE; take it away",
        ),
        (
            "wrong/x.py",
            '"""Off."""\nFAILS = ("count",)\nNUDGE = "a"\nEXPLANATION = "b"\nUNSEN = {"count": "why"}\n',
            "line 5: no function of the file uses UNSEN; did you mean UNSEEN?",
        ),
        (
            "right/x.py",
            '"""Other."""\nfor n in range(3):\n    print(n)\n',
            "line 2: only definitions, imports and literals with a name go into the notebook",
        ),
        (
            "right/x.py",
            '"""Other."""\nA, B = 1, 2\n\n\ndef count_positive(numbers):\n    return A\n',
            "line 2: only definitions",
        ),
    ],
)
def test_a_known_answer_that_cannot_be_read(mine: Path, kind: str, text: str, said: str) -> None:
    """It names file and line, and the expected contents."""
    (mine / STAFF / kind).write_text(text)
    read: Callable[..., object] = known_answers.wrong if "wrong" in kind else known_answers.right
    with pytest.raises(HomeworkError, match=f"^source/toy/staff/{kind}: {said}"):
        read(mine, homework.load(mine, "toy"))


def test_a_name_of_a_known_answer_goes_with_its_functions(mine: Path) -> None:
    """It then becomes part of the notebook's answer."""
    text = (
        '"""Other."""\nLIMIT: float = 0\n\n\ndef count_positive(numbers):\n'
        "    return sum(n > LIMIT for n in numbers)\n"
    )
    (mine / STAFF / "right" / "x.py").write_text(text)
    answers = known_answers.right(mine, homework.load(mine, "toy"))
    (answer,) = (one for one in answers if one.name == "x")
    names: dict[str, Any] = {}
    exec(answer.define, names)
    assert names["count_positive"]([-1, 2]) == 1
    assert any("LIMIT: float = 0" in cell.source for cell in answer.submission.cells)


def test_inputs_that_cannot_be_drawn_again(mine: Path) -> None:
    """A global generator gives a regrade different inputs; `check` draws in a separate process."""
    changed(mine / STAFF / "spec.py", "rng.uniform(0.1, 2,", "np.random.uniform(0.1, 2,")
    with sampling.elsewhere(mine, "toy") as there:
        clause = rules.drawn_again(homework.load(mine, "toy"), there)
    assert not clause.holds
    assert clause.detail.startswith("count, mean: a separate process draws different inputs")


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("[][0] * rng.uniform(0.1, 2,", "IndexError"),
        (
            "{1} or (",
            "TypeError.* a case may contain arrays, tables, numbers, texts, numpy Generators, and lists and dicts of",
        ),
    ],
)
def test_cases_that_raise_or_are_no_json(mine: Path, new: str, said: str) -> None:
    """One line names the question."""
    changed(mine / STAFF / "spec.py", "rng.uniform(0.1, 2,", new)
    with pytest.raises(UserError, match=f"question 'count' cannot be drawn: {said}"):
        inputs.complain_of_cases(homework.load(mine, "toy"))


def test_a_case_is_a_dict(mine: Path) -> None:
    """It contains the inputs by name."""
    changed(mine / STAFF / "spec.py", "return [{", "return [np.ones(2)] or [{")
    with pytest.raises(UserError, match="a case is a ndarray instead of a dict of inputs by name"):
        inputs.complain_of_cases(homework.load(mine, "toy"))


def test_a_reference_that_raises(mine: Path) -> None:
    """The line names the question and the error."""
    changed(mine / STAFF / "reference.py", "return {", "1 / 0\n    return {")
    chosen = homework.load(mine, "toy")
    with pytest.raises(HomeworkError, match="reference of question 'count' raised ZeroDivision"):
        list(branches.missed(mine / STAFF, chosen))


@pytest.mark.parametrize("signs", ["SIGNS", "SIGNS[:2]"])
def test_branches_of_a_solution_behind_an_adapter(mine: Path, signs: str) -> None:
    """If the solution is the reference, its own lines are counted, for all parts together."""
    spec = mine / STAFF / "spec.py"
    changed(spec, "Close(reference.mean, 1e-6, describe)", "PARTS")
    changed(
        spec,
        "HOMEWORK =",
        'PARTS = Parts(Part("one", Close(), 2), Part("two", Close(), 1, lambda numbers: len(numbers) > 3))\n\nHOMEWORK =',
    )
    changed(spec, "import Close,", "import Part, Parts, Close,")
    changed(spec, "for signs in SIGNS]", f"for signs in {signs}]")
    notebook = mine / "source" / "toy" / "toy.ipynb"
    line = "    chosen = numbers[numbers > 0]"
    changed(notebook, line, f"{line}\\n    if len(numbers) < 4:\\n        chosen = +chosen")
    chosen = homework.load(mine, "toy")
    cells = homework.read_cells(notebook)
    found = list(branches.missed(mine / STAFF, chosen, cells))
    missed = [id for id, what in found if what.startswith("the solution mean_positive.py: line ")]
    assert missed == ["mean"] * (signs != "SIGNS")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("len(numbers) > 9", "Part 'one': `where` is true for none of the 4 cases; draw a case for"),
        ("1 / 0", "Part 'one': `where` raised ZeroDivisionError: division by zero; it is called with"),
        ("numbers.nothing", "Part 'one': `where` raised AttributeError"),
    ],
)  # fmt: skip
def test_a_part_that_is_about_no_case(mine: Path, where: str, said: str) -> None:
    """It is reported before anybody is graded."""
    spec = mine / STAFF / "spec.py"
    part = f'Parts(Part("one", Close(reference.mean), 3, lambda numbers: {where}))'
    changed(spec, "Close(reference.mean, 1e-6, describe)", part)
    changed(spec, "import Close,", "import Part, Parts, Close,")
    with pytest.raises(UserError, match=re.escape(said)):
        inputs.complain_of_cases(homework.load(mine, "toy"))


def test_cells_without_ids_get_lasting_ones(mine: Path) -> None:
    """Older notebooks have none: `release` writes them once, after a message."""
    path = mine / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["id"] not in kit_cells.tools():
            del cell["id"]
    notebook["nbformat_minor"] = 0
    path.write_text(json.dumps(notebook))
    with pytest.raises(HomeworkError, match="a cell has no id; run `autograder release toy`"):
        release.release_files(mine, "toy")
    release.refresh(mine, "toy")
    first = release.release_files(mine, "toy")
    release.refresh(mine, "toy")
    assert release.release_files(mine, "toy") == first
    ids = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    assert len(set(ids)) == len(ids)
    assert "count" in ids


def test_a_task_cell_and_files_beside_the_notebook_do_not_vanish(mine: Path) -> None:
    """The task cell is refused, and the files are named."""
    (mine / "source" / "toy" / "helper.py").write_text("x = 1\n")
    assert release.left_behind(mine, "toy") == ["helper.py"]
    path = mine / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["metadata"]["nbgrader"] = {"task": True, "grade_id": "t", "points": 2}
    path.write_text(json.dumps(notebook))
    with pytest.raises(HomeworkError, match="is a manually graded task"):
        release.release_files(mine, "toy")


@pytest.mark.parametrize(
    ("told", "detail"),
    [
        ("", "kept"),
        ("points = 7\nby_hand_at_most = 2", "kept"),
        ("points = 60", "it is worth 7 points, but course.toml requires 60"),
        (
            "by_hand_at_most = 1.5",
            "2 points are marked by hand, but course.toml allows at most 1.5",
        ),
    ],
)
def test_rules_of_the_course(mine: Path, told: str, detail: str) -> None:
    """A course may fix the points of its homeworks, and the share marked by hand."""
    settings = mine / "course.toml"
    settings.write_text(f"{settings.read_text()}\n[rules]\n{told}\n")
    clause = next(c for c in rules.clauses(mine, "toy") if c.rule == "1 rules of the course")
    assert (clause.holds, clause.detail) == (detail == "kept", detail)


@pytest.mark.parametrize("folder", ["ML [2026]", "a*b", "a,b"])
def test_branches_are_counted_in_a_folder_of_any_name(mine: Path, folder: str) -> None:
    """A sign in its name may mean something to the tool that counts lines."""
    course = mine.rename(mine.with_name(folder))
    line = '    return {"the count"'
    changed(
        course / STAFF / "reference.py",
        line,
        f"    if len(numbers) > 99:\n        return 0\n{line}",
    )
    reference = course / STAFF / "reference.py"
    reference.write_text(reference.read_text(), encoding="utf-8-sig")  # as some editors save it
    missed = branches.missed(course / STAFF, homework.load(course, "toy"))
    assert "reference.py: line" in dict(missed)["count"]


def test_branches_of_a_reference_in_a_subfolder_are_counted(mine: Path) -> None:
    """The files of staff/ may be in folders."""
    text = "def count(numbers):\n    if len(numbers) > 99:\n        return 0\n    return 1\n"
    (mine / STAFF / "parts").mkdir()
    (mine / STAFF / "parts" / "counts.py").write_text(text)
    with (mine / STAFF / "reference.py").open("a") as reference:
        reference.write("\n\nfrom .parts.counts import count\n")
    missed = branches.missed(mine / STAFF, homework.load(mine, "toy"))
    assert "counts.py: line 2" in dict(missed)["count"]


@pytest.mark.parametrize("file", ["adapters.py", "lab.py"])
def test_a_file_in_another_encoding_is_one_line(mine: Path, file: str) -> None:
    """Some editors on Windows write their own encoding."""
    (mine / STAFF / file).write_bytes("# Größe".encode("cp1252"))
    with pytest.raises(HomeworkError, match=f"toy/staff/{file} is not UTF-8; save it as UTF-8"):
        homework.imported(mine, "toy")
    if file == "adapters.py":
        with pytest.raises(HomeworkError, match="is not UTF-8"):
            homework.load(mine, "toy")


def test_a_byte_order_mark_changes_nothing(mine: Path) -> None:
    """Some editors on Windows write one, which nobody sees."""
    (mine / STAFF / "mistakes.toml").write_text(MISTAKE)
    known = [one.name for one in known_answers.wrong(mine, homework.load(mine, "toy"))]
    paths = [mine / "course.toml", *(mine / STAFF).rglob("*.toml"), *(mine / STAFF).rglob("*.md")]
    for path in (*paths, *(mine / STAFF).rglob("*.py")):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [one.name for one in known_answers.wrong(mine, homework.load(mine, "toy"))] == known
    assert rubrics.read(mine / STAFF / "rubrics" / "argue.md").items
    assert courses.read(mine).title


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%matplotlib inline\nx = 1", ""),
        ("from pathlib import Path\nx = int(Path('data/x.txt').read_text())", ""),
        ("x = 1 / 0", "cell 'x' raises ZeroDivisionError: division by zero"),
    ],
)
def test_a_notebook_is_trained_as_it_runs(tmp_path: Path, cell: str, said: str) -> None:
    """Its magics are left out, and it finds its data."""
    folder = tmp_path / "source" / "hw"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "x.txt").write_text("1")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell, id="x")])
    nbformat.write(notebook, folder / "hw.ipynb")
    with pytest.raises(HomeworkError, match=said) if said else contextlib.nullcontext():
        assert bands.answers(tmp_path, "hw")["x"] == 1
