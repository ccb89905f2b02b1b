"""An otter master notebook becomes nbgrader's form, or one line names the cell that cannot."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from autograder.authoring.imports import otter
from autograder.records.errors import UserError

PATH = Path("hw.ipynb")
Row = tuple[str, str]
QUESTION, ENDS = ("raw", "# BEGIN QUESTION\nname: q1"), ("raw", "# END QUESTION")
SOLUTION, END_SOLUTION = ("raw", "# BEGIN SOLUTION"), ("raw", "# END SOLUTION")
TESTS = BEGIN_TESTS, ONE_TEST, END_TESTS = (
    ("raw", "# BEGIN TESTS"),
    ("code", "assert x"),
    ("raw", "# END TESTS"),
)


def notebook(*rows: Row, output: str = "", printed: str = "") -> nbformat.NotebookNode:
    """Return a notebook; an output belongs to its last code cell."""
    new = {"raw": v4.new_raw_cell, "text": v4.new_markdown_cell, "code": v4.new_code_cell}
    made = v4.new_notebook(cells=[new[kind](source) for kind, source in rows])
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    if printed:
        code[-1].outputs.append(v4.new_output("stream", name="stdout", text=printed))
    if output:
        data = {"text/plain": output}
        code[-1].outputs.append(v4.new_output("execute_result", data=data))
    return made


def converted(*rows: Row, output: str = "", printed: str = "") -> list[nbformat.NotebookNode]:
    """Return the cells in nbgrader's form."""
    made = notebook(*rows, output=output, printed=printed)
    otter.as_nbgrader(PATH, made)
    return list(made.cells)


def as_test(source: str, *, output: str = "", printed: str = "") -> str:
    """Return one test's converted form."""
    rows = (QUESTION, BEGIN_TESTS, ("code", source), END_TESTS, ENDS)
    (cell,) = converted(*rows, output=output, printed=printed)
    return str(cell.source)


def answered(source: str) -> str:
    """Return one solution cell's converted form."""
    return str(converted(QUESTION, SOLUTION, ("code", source), END_SOLUTION, ENDS)[0].source)


def test_only_a_notebook_with_questions_is_otter_s() -> None:
    """A Markdown heading that looks like a block does not count."""
    assert otter.is_otter(notebook(QUESTION, ENDS))
    assert otter.is_otter(notebook(("text", "```otter\n# BEGIN QUESTION\nname: q\n```")))
    assert not otter.is_otter(notebook(("text", "# BEGIN QUESTION"), ("raw", "begin question")))


@pytest.mark.parametrize(
    ("source", "output", "printed", "wanted"),
    [
        ("assert f(1)", "", "", "assert f(1)"),
        ("x = f(1)\nx", "[1,\n 2]", "", "x = f(1)\nassert repr(x) == '[1,\\n 2]'"),
        ("f(1) == 2", "True", "", "assert f(1) == 2"),
        ("f(1) == 2", "False", "", "assert repr(f(1) == 2) == 'False'"),
        ("def test(env):\n    assert env['x']\n\ntest(1)", "", "", "def test(env):\n    assert env['x']\n\ntest(globals())"),
        ("def test(x, y):\n    assert x < y", "", "", "def test(x, y):\n    assert x < y\n\ntest(x, y)"),
    ],
)  # fmt: skip
def test_a_test_raises_where_otter_s_fails(
    source: str, output: str, printed: str, wanted: str
) -> None:
    """Otter compares with the outputs stored in the cell; test functions are called."""
    assert as_test(source, output=output, printed=printed) == wanted


@pytest.mark.parametrize(
    "source", ["f(1) == 2", "f(1)", "print(f(1))", "for n in (1, 2):\n    print(f(n))", "x"]
)
def test_a_test_that_compares_nothing_is_refused(source: str) -> None:
    """Cleared of its output, it would take any answer."""
    with pytest.raises(UserError, match="cell 3 has no stored output for this test"):
        as_test(source)


@pytest.mark.parametrize(
    "source", ["np.testing.assert_equal(f(1), 2)", "check_all(f)", "for n in x:\n    assert f(n)"]
)
def test_a_test_that_raises_needs_no_output(source: str) -> None:
    """Assertions show nothing if they hold."""
    assert as_test(source) == source


def test_a_call_that_showed_nothing_needs_no_output() -> None:
    """It ran, so its cell would have had an output."""
    made = notebook(QUESTION, BEGIN_TESTS, ("code", "near(f(1), 2)"), END_TESTS, ENDS)
    made.cells[2].execution_count = 1
    otter.as_nbgrader(PATH, made)
    assert made.cells[0].source == "near(f(1), 2)"


def test_numbered_tests_take_no_other_question_s_name() -> None:
    """Two tests of q1 would be q1_1 and q1_2."""
    two = (BEGIN_TESTS, ONE_TEST, ONE_TEST, END_TESTS)
    other = ("raw", "# BEGIN QUESTION\nname: q1_1")
    made = converted(QUESTION, *two, ENDS, other, *TESTS, ENDS)
    assert [cell.metadata.nbgrader.grade_id for cell in made] == ["q1_test_1", "q1_test_2", "q1_1"]


@pytest.mark.parametrize(("x", "passes"), [(2, True), (3, False)])
@pytest.mark.parametrize("output", ["", "2"])
def test_what_is_printed_is_compared(x: int, passes: bool, output: str) -> None:
    """The last line's value is compared, too, if it is stored."""
    source = "def f(x):\n    print(x)\n    return x\ny = x\nf(y)" if output else "y = x\nprint(y)"
    code = as_test(source, output=output, printed="2\n")
    if passes:
        exec(code, {"x": x})
    else:
        with pytest.raises(AssertionError):
            exec(code, {"x": x})


def test_all_that_a_test_prints_is_compared() -> None:
    """Each statement may print, and the lines of a long text stay where they are."""
    source = 'print(f(1))\n\nfor n in (2, 3):\n    print(f"""a\n{f(n)}""")\nprint(f(4))'
    code = as_test(source, printed="1\na\n2\na\n3\n4\n")
    exec(code, {"f": lambda x: x})
    with pytest.raises(AssertionError):
        exec(code, {"f": lambda x: min(x, 3)})


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x = 1 # SOLUTION", "# x = ...\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION"),
        ("x = 1 #SOLUTION NO PROMPT", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"),
        (
            "a = 1 # SOLUTION\nb = 2\nf(a == b) # SOLUTION",
            "# a = ...\n### BEGIN SOLUTION\na = 1\n### END SOLUTION\nb = 2\n### BEGIN SOLUTION\n"
            "f(a == b)\n### END SOLUTION",
        ),
        (
            "def f(x):\n    # BEGIN SOLUTION\n    if x:\n        return 1\n    return 2\n    # END SOLUTION",
            "def f(x):\n    ### BEGIN SOLUTION\n    if x:\n        return 1\n    return 2\n    ### END SOLUTION",
        ),
        (
            "def f(x):\n    return x # SOLUTION\ny = 1 # SOLUTION",
            "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n# y = ...\n"
            "### BEGIN SOLUTION\ny = 1\n### END SOLUTION",
        ),
        ("x = 1\nsecret = 2 # IGNORE", "x = 1"),
        ("x = {  # SOLUTION\n    'two': 2\n}\ny = x", "# x = ...\n### BEGIN SOLUTION\nx = {\n    'two': 2\n}\n### END SOLUTION\ny = x"),
        ("x = (a\n     + b)  # SOLUTION", "# x = ...\n### BEGIN SOLUTION\nx = (a\n     + b)\n### END SOLUTION"),
        ("x = a + \\\n  b # SOLUTION: as told", "# x = ...\n### BEGIN SOLUTION\nx = a + \\\n  b\n### END SOLUTION"),
        ("def f():\n    return \"\"\"a\nb\"\"\"  # SOLUTION\ny = 1", "def f():\n    ### BEGIN SOLUTION\n    return \"\"\"a\nb\"\"\"\n    ### END SOLUTION\ny = 1"),
        ("def f(x):  # SOLUTION NO PROMPT\n    y = x\n    return y\nz = 1", "### BEGIN SOLUTION\ndef f(x):\n    y = x\n    return y\n### END SOLUTION\nz = 1"),
        ("np.random.seed(1)  # SEED\nx = 1", "### BEGIN SOLUTION\nnp.random.seed(1)\n### END SOLUTION\nx = 1"),
        ("def f():\n    # BEGIN SOLUTION NO PROMPT\n\n    return 1\n    # END SOLUTION\n    \"\"\" # BEGIN PROMPT\n    # Next, f.\n    pass\n    \"\"\"; # END PROMPT", "def f():\n    # Next, f.\n    # pass\n    ### BEGIN SOLUTION\n\n    return 1\n    ### END SOLUTION"),
    ],
)  # fmt: skip
def test_a_solution_has_nbgrader_s_marks(source: str, wanted: str) -> None:
    """Otter's placeholder becomes a comment."""
    assert answered(source) == wanted


@pytest.mark.parametrize(
    ("points", "each", "wanted"),
    [
        ("points: 1", [None] * 3, [0.33, 0.34, 0.33]),
        ("points: [1, 0, 2]", [None] * 3, [1, 0, 2]),
        ("points: 5", [1, None, None], [1, 2, 2]),
        ("all_or_nothing: false", [2, None], [2, 0]),
        ("all_or_nothing: false", [None, None], [0.5, 0.5]),
        ("points:\n  each: 2", [None, None], [2, 2]),
    ],
)
def test_points_are_divided_as_otter_does(
    points: str, each: list[float | None], wanted: list[float]
) -> None:
    """Shares are in hundredths, and add up to exactly the question's points."""
    config = '""" # BEGIN TEST CONFIG\npoints: {}\n""" # END TEST CONFIG\nassert x'
    cells = [("code", "assert x" if one is None else config.format(one)) for one in each]
    begin = ("raw", f"{QUESTION[1]}\n{points}")
    made = converted(begin, BEGIN_TESTS, *cells, END_TESTS, ENDS)
    assert [cell.metadata.nbgrader.points for cell in made] == wanted


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([QUESTION], "cell 1: question 'q1' has no `# END QUESTION`"),
        ([QUESTION, QUESTION], "cell 2: `# BEGIN QUESTION` is in a question"),
        ([BEGIN_TESTS, QUESTION], "cell 1: `# BEGIN TESTS` is in no question"),
        ([QUESTION, ENDS, QUESTION], "cell 3: question 'q1' is there a second time"),
        ([QUESTION, SOLUTION, ENDS], "cell 3: `# END QUESTION` is in `solution`"),
        ([("raw", "# BEGIN QUESTION"), ENDS], "cell 1: this question has no name"),
        ([("raw", "# BEGIN QUESTION\nname: [q"), ENDS], "cell 1: this is not YAML"),
        ([("raw", "# BEGIN QUESTION\n- q"), ENDS], "cell 1: write `key: value` lines"),
        ([QUESTION, BEGIN_TESTS, ("text", "a")], "cell 3 is in `# BEGIN TESTS` but is not code"),
        ([QUESTION, BEGIN_TESTS, ("code", "assert (")], "cell 3 is not Python"),
        ([("raw", f"{QUESTION[1]}\nmanual: true"), *TESTS, ENDS], "is `manual` and has tests"),
        ([("raw", f"{QUESTION[1]}\npoints: many"), *TESTS, ENDS], "has the points 'many'"),
        ([("raw", f"{QUESTION[1]}\npoints: [1, 2]"), *TESTS, ENDS], "has 1 tests and points for 2"),
        ([QUESTION, SOLUTION, ("code", "# BEGIN SOLUTION")], "`# BEGIN SOLUTION` without"),
        ([QUESTION, SOLUTION, ("code", "# END SOLUTION")], "`# END SOLUTION` has no beginning"),
        (
            [QUESTION, SOLUTION, ("code", "x = (  # SOLUTION")],
            "has a `# SOLUTION`, but Python cannot read it (line 1:",
        ),
        ([("code", "# BEGIN IGNORE\nx"), QUESTION, ENDS], "`# BEGIN IGNORE` without"),
    ],
)
def test_what_cannot_be_graded_is_one_line(rows: list[Row], said: str) -> None:
    """It names the file and the cell."""
    with pytest.raises(UserError) as raised:
        otter.as_nbgrader(PATH, notebook(*rows))
    line = str(raised.value)
    assert line.startswith("hw.ipynb: cell ")
    assert said in line
    assert "\n" not in line


def test_what_changes_without_a_word_has_a_note() -> None:
    """This covers questions that nothing grades, and answers that students get whole."""
    made = notebook(QUESTION, SOLUTION, ("code", "x = 1"), END_SOLUTION, ENDS)
    first, second = otter.as_nbgrader(PATH, made)
    assert "cell 3 is a solution of q1 without a line" in first
    assert second == "q1 has no test and is not `manual`, so it is not graded"
