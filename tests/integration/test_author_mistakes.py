"""Mistakes that authors make: each is one line that tells where it is and what is expected."""

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.authoring import new
from tests.command_line import run
from tests.helpers import TOY

SPEC, ADAPTERS, REFERENCE = (f"staff/{name}.py" for name in ("spec", "adapters", "reference"))
NOTEBOOK, TEXT = "toy.ipynb", "hw.py"
WRONG, RIGHT = "staff/wrong/counts_zeros.py", "staff/right/loops.py"
ARGUED = "staff/rubrics/argue.md"
GONE = "\0"
"""In place of a new text: the file is removed."""
CASE = '{"numbers": np.array(signs) * rng.uniform(0.1, 2, len(signs))}'
CHECK = "Close(reference.count, 0.0, describe)"
ARGUE = '        Question("argue"),\n'


class Mistake(NamedTuple):
    """One edit of a file of a homework, and the complaint on it.

    Args:
        file: Below the homework's folder.
        old: The text that is replaced, wherever it is; "" for the whole file.
        new: What is there in its place.
        said: Regular expression of the whole complaint.
    """

    file: str
    old: str
    new: str
    said: str


IN_SPEC = r"source/toy/staff/spec\.py: "
IN_NOTEBOOK = r"source/toy/toy\.ipynb: "
CANNOT_BE_DRAWN = "the cases of question 'count' cannot be drawn: "
A_CASE = "; a case may contain arrays, tables, numbers, texts, numpy Generators, and lists and dicts of these"


def in_spec(old: str, new: str, said: str) -> Mistake:
    return Mistake(SPEC, old, new, IN_SPEC + said)


def in_notebook(old: str, new: str, said: str) -> Mistake:
    return Mistake(NOTEBOOK, old, new, IN_NOTEBOOK + said)


def in_text(old: str, new: str, said: str) -> Mistake:
    return Mistake(TEXT, old, new, r"source/hw/hw\.py: line " + said)


# Nothing is run for these.
READ: Mapping[str, Mistake] = {
    "no HOMEWORK": in_spec(
        "HOMEWORK =", "HOMEWROK =", "the homework is called HOMEWROK; call it HOMEWORK"
    ),
    "a syntax error in spec.py": in_spec(
        "HOMEWORK = Homework(", "HOMEWORK = Homework((", r"line 25: '\(' was never closed"
    ),
    "a syntax error in adapters.py": Mistake(
        ADAPTERS,
        "def count(",
        "def count((",
        r"source/toy/staff/adapters\.py: line 9: Function parameters cannot be parenthesized",
    ),
    "a syntax error in what spec.py imports": Mistake(
        REFERENCE,
        "found = 0\n    for",
        "found = = 0\n    for",
        r"source/toy/staff/reference\.py: line 10: invalid syntax",
    ),
    "spec.py imports a missing module": in_spec(
        "import numpy as np",
        "import no_such_module\nimport numpy as np",
        "line 5: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "spec.py imports what the kit has not": in_spec(
        "import Close",
        "import Cloze, Close",
        "line 7: ImportError: cannot import name 'Cloze' from 'autograder.kit'.*",
    ),
    "a field that there is not": in_spec(
        'title="Toy',
        'titel="Toy',
        r"line 25: TypeError: Homework.__init__\(\) got an unexpected keyword argument 'titel'; did you mean title\?",
    ),
    "a reference that there is not": in_spec(
        "reference.count,",
        "reference.cuont,",
        r"line 30: AttributeError: module 'reference' has no attribute 'cuont'; did you mean count\?",
    ),
    "a negative tolerance": in_spec(
        "1e-6",
        "-1e-6",
        "question 'mean': Close: tolerance is -1e-06; write a number that is at least 0",
    ),
    "a tolerance that is text": in_spec(
        "1e-6",
        '"1e-6"',
        "question 'mean': Close: tolerance is '1e-6'; write a number that is at least 0",
    ),
    "a word that an argument does not know": in_spec(
        CHECK,
        '__import__("autograder.kit").kit.Table(reference.count, rows="any")',
        "question 'count': Table: rows is 'any'; write 'in order' or 'any order'",
    ),
    "a word among several that an argument does not know": in_spec(
        CHECK,
        '__import__("autograder.kit").kit.Text(reference.count, ignoring=("case",))',
        r"question 'count': Text: ignoring is \('case',\); write a tuple of 'spaces', .*",
    ),
    "cases that are no function": in_spec(
        '            cases,\n            use="count"',
        '            [{}],\n            use="count"',
        "the cases of question 'count' are given as a list; give a function of rng .*",
    ),
    "an argument that is no function": in_spec(
        CHECK,
        'Close(reference.count, 0.0, "the numbers")',
        "question 'count': Close: describe is 'the numbers'; give a function",
    ),
    "a check that is none": in_spec(
        CHECK,
        "describe",
        "the check of question 'count' is not a Check: write a class that is derived from .*",
    ),
    "a question that is none": in_spec(
        ARGUE,
        '        "argue",\n',
        r"questions: 'argue' is not a Question; write Question\('argue'\)",
    ),
    "a question twice": in_spec(
        ARGUE, ARGUE * 2, "two questions have the id 'argue'; give each its own"
    ),
    "a question that the notebook does not have": Mistake(
        SPEC,
        '            "count",\n',
        '            "cuont",\n',
        IN_NOTEBOOK + r"graded cell 'count' has no question in staff/spec.py \(it has: cuont, .*\)",
    ),
    "needs a later question": in_spec(
        "            if_right=",
        '            needs=("argue",),\n            if_right=',
        r"question 'mean' names 'argue', which is not an earlier question \(these are count\)",
    ),
    "if_right names no question": in_spec(
        'if_right={"count"',
        'if_right={"cuont"',
        r"question 'mean' names 'cuont', which is not an earlier question \(these are count\)",
    ),
    "needs is a text": in_spec(
        "            if_right=",
        '            needs="count",\n            if_right=',
        r"question 'mean': needs is 'count'; write a tuple .* such as \('count',\)",
    ),
    "warm is a text": in_spec(
        '    title="Toy',
        '    warm="numpy",\n    title="Toy',
        r"warm is 'numpy'; write a tuple of names, such as \('numpy',\)",
    ),
    "an adapter that there is not": in_spec(
        'use="count"',
        'use="cuont"',
        "question 'count' names the adapter 'cuont', but adapters.py does not define it",
    ),
    "hide names nothing": in_spec(
        'hide=("mean_by_hand",)',
        'hide=("mean_by_hnad",)',
        r"question 'mean': `hide` names 'mean_by_hnad', but no cell of .* defines it",
    ),
    "a question of code without a check": in_spec(
        f"            {CHECK},\n", "", "the check of question 'count' is not a Check: .*"
    ),
    "a question of code that people mark": Mistake(
        SPEC,
        f"            {CHECK},\n",
        "            None,\n",
        IN_NOTEBOOK + "question 'count' is marked by hand, so its cell must be a manually graded "
        "answer; or give it a check in staff/spec.py",
    ),
    "a written answer with a check": Mistake(
        SPEC,
        ARGUE,
        '        Question("argue", check=Close(reference.count, 0.0)),\n',
        IN_NOTEBOOK
        + "question 'argue' is marked by a check, so its cell must be an autograder test",
    ),
    "cases without a return": in_spec(
        'return [{"numbers"',
        '[{"numbers"',
        CANNOT_BE_DRAWN + r"it returns None: is there a `return`\?" + A_CASE,
    ),
    "no case": in_spec(
        'return [{"numbers"',
        'return [] and [{"numbers"',
        CANNOT_BE_DRAWN + "it returns no case" + A_CASE,
    ),
    "a case that is no dict": in_spec(
        CASE,
        "np.array(signs)",
        CANNOT_BE_DRAWN + "a case is a ndarray instead of a dict of inputs by name" + A_CASE,
    ),
    "a dict in place of a list": in_spec(
        f"[{CASE} for signs in SIGNS]",
        '{"numbers": rng.normal(size=3)}',
        CANNOT_BE_DRAWN + "it returns a dict instead of a list of dicts .*" + A_CASE,
    ),
    "a case of a type that cannot be sent": in_spec(
        CASE,
        '{"numbers": object()}',
        CANNOT_BE_DRAWN
        + "a case contains something that it may not contain: it is or contains a object"
        + A_CASE,
    ),
    "cases that raise": in_spec(
        "rng.uniform(",
        "rng.unifrom(",
        CANNOT_BE_DRAWN
        + r"AttributeError: .* has no attribute 'unifrom' \(spec.py, line 16\)"
        + A_CASE,
    ),
    "a reference with other arguments": Mistake(
        REFERENCE,
        "def count(numbers: Array)",
        "def count(values: Array)",
        IN_SPEC
        + r"question 'count': reference is called with a case's inputs by name \(numbers\): "
        "missing a required argument: 'values'",
    ),
    "an adapter with other arguments": Mistake(
        ADAPTERS,
        "def count(function: Callable[..., Any], numbers: Array)",
        "def count(function: Callable[..., Any], values: Array)",
        r"source/toy/staff/adapters\.py: line 9: count is called with 1 of .* by name \(numbers\): "
        "missing a required argument: 'values'",
    ),
    "an adapter that takes no function": Mistake(
        ADAPTERS,
        "def count(function: Callable[..., Any], numbers: Array)",
        "def count(numbers: Array)",
        r"source/toy/staff/adapters\.py: line 9: count is called with 1 of .* by name \(numbers\): "
        "multiple values for argument 'numbers'",
    ),
    "a notebook that is no JSON": in_notebook(
        '"nbformat": 4,',
        '"nbformat": 4',
        r"not a notebook \(Expecting ',' delimiter: line \d+ column 2 .*\)",
    ),
    "JSON that is no notebook": in_notebook("", "[]", "not a notebook of format 4"),
    "no notebook": Mistake(NOTEBOOK, "", GONE, r"source/toy/toy\.ipynb is missing"),
    "no points": in_notebook(
        '     "points": 3,\n',
        "",
        "question 'mean' has no graded cell with points; in the metadata of cell "
        "'mean', set grade to true and points to a number that is at least 0",
    ),
    "a grade_id twice": in_notebook(
        '"grade_id": "mean_answer"',
        '"grade_id": "count_answer"',
        "the cells 'count_answer' and 'mean_answer' have the grade_id "
        "'count_answer'; give each its own",
    ),
    "a cell id twice": in_notebook(
        '"id": "mean_text"',
        '"id": "count_text"',
        "two cells have the id 'count_text'; give each its own",
    ),
    "a solution that does not end": in_notebook(
        '"    return int((numbers > 0).sum())\\n",\n    "    ### END SOLUTION"',
        '"    return int((numbers > 0).sum())"',
        "cell 'count_answer': a `### BEGIN SOLUTION` and its `### END SOLUTION` .*",
    ),
    "a solution in a cell that is no answer": in_notebook(
        '"print(signs(NUMBERS))"',
        '"### BEGIN SOLUTION\\n", "print(signs(NUMBERS))\\n", "### END SOLUTION"',
        "cell 'look': `### BEGIN SOLUTION` is in a cell that is not an answer, .*; make "
        r"it an autograded answer \(solution\)",
    ),
    "an answer that does not define its function": Mistake(
        NOTEBOOK,
        '"def count_positive(numbers)',
        '"def count_positives(numbers)',
        IN_SPEC + "question 'count' evaluates 'count_positive', but no cell of "
        "source/toy/toy.ipynb defines it",
    ),
    "a visible check that is no Python": in_notebook(
        '"def count_complaint():', '"def count_complaint(:', "cell 'count': line 2: invalid syntax"
    ),
    "a role that there is not": in_notebook(
        '"role": "demo"', '"role": "dmeo"', "cell 'look' has the role 'dmeo'; use 'demo' or 'staff'"
    ),
    "a rubric for no question": Mistake(
        "staff/rubrics/other.md",
        "",
        "# other\n",
        r"source/toy/staff/rubrics/other\.md: 'other' is not a question marked by hand; name the rubric "
        r"after one \(argue\)",
    ),
}
# `check` alone reads these; nothing is run for them either.
KNOWN: Mapping[str, Mistake] = {
    "EDITS that are nowhere": Mistake(
        RIGHT,
        "",
        '"""Other."""\nEDITS = {"nothing like it": "x"}\n',
        r"source/toy/staff/right/loops\.py: EDITS: no answer cell has 'nothing like it'",
    ),
    "a wrong answer that is no Python": Mistake(
        WRONG,
        "def count_positive(",
        "def count_positive((",
        r"source/toy/staff/wrong/counts_zeros\.py: line 8: Function parameters cannot be .*",
    ),
    "a wrong answer without FAILS": Mistake(
        WRONG,
        "FAILS =",
        "FAIL =",
        r"source/toy/staff/wrong/counts_zeros\.py: FAILS is missing; name the questions that lose",
    ),
    "FAILS that names no question": Mistake(
        WRONG,
        '("count",)',
        '("cuont",)',
        r"source/toy/staff/wrong/counts_zeros\.py: FAILS names 'cuont', which is not a question "
        r"\(there are count, mean, argue\)",
    ),
    "a right answer to nothing": Mistake(
        RIGHT,
        "def count_positive",
        "def count_pos",
        r"source/toy/staff/right/loops\.py: no answer cell of the notebook defines count_pos",
    ),
}
# A sandbox is started for these.
RUN: Mapping[str, Mistake] = {
    "a reference that raises": Mistake(
        REFERENCE,
        "found = 0\n    for",
        "found = 1 / 0\n    for",
        r"source/toy/staff: the check of 'count' failed: ZeroDivisionError: division by zero "
        r"\(reference\.py, line 10\)",
    ),
    "warm names a missing module": in_spec(
        '    title="Toy',
        '    warm=("no_such_module",),\n    title="Toy',
        "warm: 'no_such_module' cannot be imported here .*",
    ),
    "adapters.py imports a missing module": Mistake(
        ADAPTERS,
        "from typing import Any",
        "from typing import Any\nimport no_such_module",
        r"source/toy/staff/adapters\.py: line 5: ModuleNotFoundError: No module named .*",
    ),
}
# All of the contract is tried on these, and one of its lines has NO.
TRIED: Mapping[str, Mistake] = {
    "a rubric without a section": Mistake(
        ARGUED,
        "## Half marks",
        "## Half",
        r"toy \| 10 rubrics parse \| argue \| NO \| source/toy/staff/rubrics/argue\.md, line 13: "
        "`## Half` is not a section; use .*",
    ),
    "a rubric with other points": Mistake(
        ARGUED,
        "- **1** Gives",
        "- **2** Gives",
        r"toy \| 10 rubrics parse \| argue \| NO \| source/toy/staff/rubrics/argue\.md: its items "
        "give 3 points in all, but the question has 2; .*",
    ),
    "a question without a rubric": Mistake(
        ARGUED,
        "",
        GONE,
        r"toy \| 10 rubrics parse \| argue \| NO \| source/toy/staff/rubrics/argue\.md cannot be "
        r"read \(No such file or directory\); it begins with `# argue` and has the sections .*",
    ),
    "a wrong answer that is right": Mistake(
        WRONG,
        ">= 0",
        "> 0",
        r"toy \| 4 mistakes lose their questions \| counts_zeros \| NO \| staff/wrong/counts_zeros\.py loses "
        "nothing, should lose count, .*",
    ),
    "a right answer that is wrong": Mistake(
        RIGHT,
        "[number for number in numbers if number > 0])",
        "numbers)",
        r"toy \| 5 right in other ways \| loops \| NO \| staff/right/loops\.py loses count; .*",
    ),
    "names that do not agree": Mistake(
        ADAPTERS,
        '{"the count"',
        '{"count"',
        r"toy \| 1 names agree \| all \| NO \| count: the reference gives 'the count', and count "
        "gives 'count'",
    ),
    "an adapter that returns no dict": Mistake(
        ADAPTERS,
        'return {"the count": number(function(numbers))}',
        "return number(function(numbers))",
        "source/toy/staff: the check of 'count' failed: staff/adapters.py: count returns int64, not a dict; return "
        "a dict, such as .*",
    ),
    "a visible check that leaves something behind": Mistake(
        NOTEBOOK,
        r'''"check(\"count\", count_complaint, \"count_positive\")"''',
        r'''"check(\"count\", lambda: setattr(np, \"found\", 2) or count_complaint(), \"count_positive\")\n",
    "print(np.found)"''',
        r"toy \| 7 graded twice \| instructor \| NO \| the cell 'count' fails \(AttributeError: module 'numpy' "
        r"has no attribute 'found'\), but not with the visible checks above called: .*",
    ),
}
WRITTEN: Mapping[str, Mistake] = {
    "a kind of cell that there is not": in_text(
        "# %% provided", "# %% provide", "6: `# %% provide` does not begin a cell; use .*"
    ),
    "a check without points": in_text(
        "# %% check initials 4",
        "# %% check initials",
        "20: `# %% check initials` does not begin a cell; use .* a question, and points",
    ),
    "points that are no number": in_text(
        "# %% check initials 4",
        "# %% check initials four",
        "20: `# %% check initials four`: four is not a number of points",
    ),
    "two checks of one question": in_text(
        "# %% check trimmed_mean 4",
        "# %% check initials 4",
        "34: `# %% check initials 4` is already in line 20; .*",
    ),
    "two answers to one question": in_text(
        "# %% answer trimmed_mean",
        "# %% answer initials",
        "27: `# %% answer initials` is already in line 14; .*",
    ),
    "a solution that does not end": Mistake(
        TEXT,
        "    ### END SOLUTION\n",
        "",
        r"source/hw/hw\.py: cell 'initials_answer': a `### BEGIN SOLUTION` .* do not match",
    ),
    "a solution that is no Python": Mistake(
        TEXT,
        "return np.mean(kept",
        "return np.mean((kept",
        r"source/hw/hw\.py: cell 'trimmed_mean_answer': line 4: '\(' was never closed",
    ),
    "no cell at all": Mistake(
        TEXT, "", "x = 1\n", r"source/hw/hw\.py: no line begins a cell with `# %%`"
    ),
    "a written answer that is text": Mistake(
        TEXT,
        "# %% written robust 2",
        "# %% text",
        r"source/hw/staff/rubrics/robust\.md: 'robust' is not a question marked by hand; .*",
    ),
}


def rows(mistakes: Mapping[str, Mistake]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mistake", mistakes.values(), ids=list(mistakes))


def make(mistake: Mistake, folder: Path) -> None:
    """Make one mistake in a homework's folder."""
    path = folder / mistake.file
    if mistake.new == GONE:
        path.unlink()
    elif mistake.old:
        text = path.read_text(encoding="utf-8")
        assert mistake.old in text
        path.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")
    else:
        path.write_text(mistake.new, encoding="utf-8")


Refuses = Callable[..., Path]


@pytest.fixture
def refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refuses:
    """Make a mistake in a copy of a course's homework, and return the copy.

    A verb fails with the one line of the complaint, and no name of a folder outside.
    """

    def run_verb(verb: str, mistake: Mistake, course: Path = TOY) -> Path:
        ignored = shutil.ignore_patterns("__pycache__")
        course = shutil.copytree(course, tmp_path / "course", ignore=ignored).resolve()
        (folder,) = (course / "source").iterdir()
        make(mistake, folder)
        status, out, err = run(capsys, verb, folder.name, "--course", course)
        lines = [line for line in err.splitlines() if not line.startswith("note: ")]
        assert status == 2
        assert len(lines) == 1, err
        if "a rule is broken" in err:
            lines = [line for line in out.splitlines() if " | NO | " in line]
            assert len(lines) == 1, out
        assert str(course) not in lines[0]
        assert re.fullmatch(mistake.said, lines[0].removeprefix("autograder: "))
        return course

    return run_verb


@rows(READ)
def test_a_mistake_that_is_read(mistake: Mistake, refuses: Refuses) -> None:
    """`release` prints that, and writes nothing."""
    course = refuses("release", mistake)
    released = Path("release", "toy", "toy.ipynb")
    assert (course / released).read_bytes() == (TOY / released).read_bytes()


@rows(KNOWN)
def test_a_mistake_in_a_known_answer(mistake: Mistake, refuses: Refuses) -> None:
    """`check` prints that before it tries anything."""
    refuses("check", mistake)


@pytest.mark.slow
@pytest.mark.turns(5)
@rows(RUN)
def test_a_mistake_that_shows_when_it_runs(mistake: Mistake, refuses: Refuses) -> None:
    """`release` runs the instructor's own answers."""
    refuses("release", mistake)


@pytest.mark.slow
@pytest.mark.turns(5)
@rows(TRIED)
def test_a_mistake_that_the_contract_finds(mistake: Mistake, refuses: Refuses) -> None:
    """One line of `check` has NO."""
    refuses("check", mistake)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with what `autograder new homework` writes."""
    course = tmp_path_factory.mktemp("begun") / "course"
    new.new_course(course, "Statistics")
    new.new_homework(course.resolve(), "hw")
    return course


@pytest.mark.slow
@pytest.mark.turns(5)
@rows(WRITTEN)
def test_a_mistake_in_a_notebook_as_text(mistake: Mistake, begun: Path, refuses: Refuses) -> None:
    """`release` names the line of the text, or the cell that was made of it."""
    refuses("release", mistake, begun)
