"""The check tool in every notebook: one text for all, and what it detects by itself."""

import builtins
import linecache
import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder.authoring import kit_cells, release
from autograder.course import homework
from autograder.course.cells import bound_names, imported_names, used_names
from tests.helpers import ROOT

NAMES = homework.names(ROOT)


@pytest.fixture
def notebook() -> dict[str, Any]:
    """Run the two cells as in a notebook."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for source in kit_cells.tools().values():
        exec(source, namespace)
    return namespace


@pytest.mark.parametrize("name", NAMES)
def test_every_notebook_has_the_kits_cells(name: str) -> None:
    """The source has the kit's cells, so that visible and hidden checks read values alike."""
    path = ROOT / "source" / name / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cells = {cell.id: cell.source for cell in notebook.cells}
    wanted = kit_cells.tools_of(
        notebook, {q.id for q in homework.load(ROOT, name).questions if q.extra}
    )
    assert list(wanted) == ["value_tool", "check_tool", "style_tool", "ready_tool"]
    assert kit_cells.tools().items() <= wanted.items() <= cells.items()
    assert notebook.cells[-1].id == "ready_tool" or is_for_staff(notebook.cells[-1])
    for cell in notebook.cells:
        if cell.id in wanted:
            assert cell.metadata["jupyter"] == {"source_hidden": True}
            assert cell.metadata["cellView"] == "form"


@pytest.mark.parametrize("name", NAMES)
def test_no_released_notebook_imports_the_kit(name: str) -> None:
    """Students have no autograder: the functions that a cell needs are in a cell above."""
    cells = nbformat.read(ROOT / "release" / name / f"{name}.ipynb", as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    assert len(code) > 10
    wrong = {one for source in code for one in imported_names(source) if "autograder" in one}
    assert not wrong


def is_for_staff(cell: Any) -> bool:
    return bool(cell.metadata.get("autograder", {}).get("role") == "staff")


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.strip()


def test_a_changed_input_and_a_kept_state_are_noticed(
    notebook: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """The tool itself notices, whatever the check looks at."""
    calls: list[int] = []

    def doubles(x: Any) -> Any:
        x *= 2
        return x

    def forgets(x: Any) -> Any:
        calls.append(1)
        return x + (len(calls) > 1)

    def right(x: Any) -> Any:
        return x * 1

    def complaint() -> str | None:
        wanted = np.ones(2) * (2 if notebook["answer"].__name__ == "doubles" else 1)
        wrong: str | None = notebook["difference"](notebook["answer"](np.ones(2)), wanted)
        return wrong

    for function, sentence in (
        (doubles, "`answer` changes `x`, which it is given: work on a copy."),
        (forgets, "right the first time, but called again: it is off by up to 1"),
        (right, "passed"),
    ):
        notebook["answer"] = function
        notebook["check"]("answer", complaint)
        assert said(capsys) == f"[answer] {sentence}"
        assert notebook["answer"] is function


def cells(notebook: dict[str, Any], **texts: str) -> None:
    """Run texts as cells, each in its own file, as in a kernel."""
    for name, text in texts.items():
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), notebook)


ANSWERS = """
def helper(x):
    return x / 0

def answer(x):
    return helper(x)

class Model:
    def __init__(self):
        pass
    def forward(self, x):
        return helper(x)

def tensor(x):
    y = (x * 1).exp()
    y += 1
    return y
"""


@pytest.mark.parametrize(
    ("complaint", "functions", "sentence"),
    [
        ("answer(1)", (), "your code raised ZeroDivisionError: division by zero (at `return x / 0`)"),
        ("Model().forward(1)", ("Model",), "your code raised ZeroDivisionError: division by zero (at `return x / 0`)"),
        ("Model(1)", ("Model",), "this check raised TypeError: Model.__init__() takes 1 positional argument but 2 were given (at `def complaint(): return Model(1)`) when it called your answer, or used what that returned"),
        ("answer", (), "passed"),
        ("answer + 1", (), "this check raised TypeError: unsupported operand type(s) for +: 'function' and 'int' (at `def complaint(): return answer + 1`) when it called your answer, or used what that returned"),
        ("tensor(torch.ones(2, requires_grad=True)).sum().backward()", ("tensor",), "it changes a tensor in place (like `x += 1`, `x[0] = 1` or `x.relu_()`), but the gradient needs the old values: make a new tensor"),
    ],
)  # fmt: skip
def test_a_line_of_the_check_is_not_the_student_s(
    notebook: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    complaint: str,
    functions: tuple[str, ...],
    sentence: str,
) -> None:
    """Errors inside an answer belong to its code; everything else belongs to the check."""
    what = "None and answer" if complaint == "answer" else complaint
    cells(notebook, answers=ANSWERS, a_check=f"import torch\ndef complaint(): return {what}")
    notebook["check"]("answer", notebook["complaint"], *functions)
    assert said(capsys) == f"[answer] {sentence}"


def test_a_helper_that_hides_the_tool_is_named(
    notebook: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A check uses the kit's name; if a helper hides it, the sentence says what to change."""
    cells(
        notebook,
        answers="def difference(a, b):\n    return a - b\n\n\ndef gap(a, b):\n    return difference(a, b)\n",
        a_check="def gap_complaint():\n    return difference(gap(3, 1), 2, 1e-6)\n\n\n"
        "def wrong(got):\n    return difference(got, 2, 1e-6)\n\n\n"
        "def by_helper():\n    return wrong(gap(3, 1))\n\n\n"
        "def plain_complaint():\n    if gap(3, 1) != 2:\n        return 'it should be 2'\n",
    )
    notebook["check"]("gap", notebook["gap_complaint"])
    assert said(capsys) == "[gap] passed"
    notebook["check"]("gap", notebook["by_helper"])
    assert said(capsys) == (
        "[gap] `difference` belongs to the check tool, and yours hides it: give yours a different "
        "name, and restart the kernel"
    )
    notebook["check"]("gap", notebook["plain_complaint"])
    assert said(capsys) == "[gap] passed"
    exec("def gap(a, b):\n    return difference(a, b) + 1\n", notebook)
    notebook["check"]("gap", notebook["plain_complaint"])  # whose helpers call no tool
    assert said(capsys) == "[gap] it should be 2"
    notebook["check"]("gap", notebook["gap_complaint"])
    assert said(capsys) == "[gap] it is off by up to 1"


ANSWER = """
def tokens(sentence, count):
    return sentence.split()[:count]
"""
SHOWN = """# @title Check: tokens, on inputs that you see
def tokens_complaint():
    for inputs, right in [
        ({'sentence': 'a b', 'count': 1}, ['a']),
    ]:
        given = ", ".join(f"{name} = {item!r}" for name, item in inputs.items())
        got = as_plain(tokens(*inputs.values()))
        if unlike(got, as_plain(right)):
            return f"for {given} it should be {right!r}, yours is {got!r}"
        if difference([1.0], np.array([1.0])) or not is_finite(1.0):
            return "this is not reached"
        if folded("Á") != worded("á", ("spaces", "capitals")) or what_prints(lambda: print(1)) != "1\\n":
            return "this is not reached"

check('tokens', tokens_complaint)"""


def kit_of_a_shown_check() -> dict[str, str]:
    cell = nbformat.v4.new_code_cell(SHOWN + "\nunlike_picture")
    return kit_cells.tools_of(nbformat.v4.new_notebook(cells=[cell]))


def names_of_the_kit() -> list[str]:
    """Return every name that one of the kit's cells binds, and those of Python's that it reads."""
    sources = kit_of_a_shown_check().values()
    read = {name for source in sources for name in used_names(source) if hasattr(builtins, name)}
    return sorted(read.union(*map(bound_names, sources)) - {"ready_to_submit"})


def test_no_everyday_name_breaks_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    """Even with `numbers`, `plain`, `list` or `io`, the check of a right answer passes."""
    names = names_of_the_kit()
    assert {"numbers", "plain", "list", "np", "unicodedata", "_same", "KIT"} <= {*names}
    taken = []
    for name in names:
        namespace: dict[str, Any] = {"__name__": "__main__"}
        cells(namespace, **kit_of_a_shown_check())
        capsys.readouterr()
        cells(namespace, answer=f"{name} = 'a word'\n{ANSWER}")
        try:
            cells(namespace, a_check=SHOWN)
        except TypeError:
            taken.append(name)
            continue
        assert said(capsys) == "[tokens] passed", name
    assert taken == ["check"]


def test_a_cell_that_takes_the_name_check_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Cells call it by that name; nothing is said about notebooks that leave it alone."""
    shell = InteractiveShell()
    for source in [*kit_of_a_shown_check().values(), *kit_cells.tools().values(), ANSWER]:
        shell.run_cell(source)
    assert capsys.readouterr().out.count("belongs") == 0
    shell.run_cell("check = 'a word'")
    assert capsys.readouterr().out == (
        "`check` belongs to the check tool, and yours hides it: give yours a different name, and "
        "restart the kernel\n"
    )


def test_what_only_serves_is_collapsed() -> None:
    """This covers titled cells, checks, and demos that draw, but not answers and printing demos."""
    v4 = nbformat.v4
    cells = [v4.new_code_cell(f"{title}show(1)", id=f"a{n}") for n, title in enumerate(TITLES)]
    cells[1].metadata["autograder"] = {"role": "demo"}
    cells.append(v4.new_code_cell("print(1)", id="b", metadata={"autograder": {"role": "demo"}}))
    for id, source in (("mine", "check('mine', f)"), ("bare", "assert f() == 1")):
        graded = {"grade": True, "solution": False, "grade_id": id, "points": 1}
        cells.append(v4.new_code_cell(source, id=id, metadata={"nbgrader": graded}))
    notebook = v4.new_notebook(cells=[v4.new_code_cell(id="check_tool"), *cells])
    assert kit_cells.with_tools(notebook)
    assert not kit_cells.with_tools(notebook)
    hidden = [bool(cell.metadata.get("jupyter", {}).get("source_hidden")) for cell in cells]
    assert hidden == [True, True, False, False, True, False]
    assert cells[4].source == "# @title Check: mine\ncheck('mine', f)"


TITLES = ("# @title Given: a tool\n", "", "")


@pytest.mark.parametrize("name", NAMES)
def test_every_check_is_collapsed_below_its_title(name: str) -> None:
    """Colab and JupyterLab show its first line, which says what it checks."""
    cells = nbformat.read(ROOT / "source" / name / f"{name}.ipynb", as_version=4).cells
    marks = [cell.metadata.get("nbgrader", {}) for cell in cells]
    checks = [(m["grade_id"], c) for c, m in zip(cells, marks, strict=True) if m.get("grade")]
    checks = [(id, c) for id, c in checks if not c.metadata["nbgrader"]["solution"]]
    assert len(checks) >= 6
    for id, cell in checks:
        first = cell.source.split("\n")[0]
        assert re.fullmatch(rf"# @title Check: {id} \([^()]*(\([^()]*\)[^()]*)*\)", first), first
        assert len(first) <= 110
        assert cell.metadata["jupyter"] == {"source_hidden": True}
        assert cell.metadata["cellView"] == "form"


def test_what_trains_is_called_once(
    notebook: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A check can opt out if calling twice would take too long."""
    calls: list[int] = []
    notebook["check"]("answer", lambda: calls.append(1), again=False)
    assert (said(capsys), calls) == ("[answer] passed", [1])


def test_what_is_no_number_is_said(notebook: dict[str, Any]) -> None:
    """NaN, infinity, text and nothing are not called a distance, on either side."""
    difference = notebook["difference"]
    assert difference([1e-16], [0.0]) is None
    assert difference([1e-6], [0.0]) is not None
    assert difference([], [1.0]) is not None
    with pytest.raises(notebook["Refused"]):
        difference("1", [1.0])
    for nothing in (None, np.nan, [np.nan], [np.inf], np.array([-np.inf])):
        for pair in ((nothing, [1.0]), ([1.0], nothing), (nothing, nothing)):
            with pytest.raises(notebook["Refused"]):
                difference(*pair)


def test_a_stale_tool_is_refreshed(tmp_path: Path) -> None:
    """`autograder release` writes the kit's text, even if a notebook lacks the first cell."""
    folder = tmp_path / "source" / "hw"
    folder.mkdir(parents=True)
    old = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("old", id="check_tool")])
    nbformat.write(old, folder / "hw.ipynb")
    release.refresh(tmp_path, "hw")
    cells = nbformat.read(folder / "hw.ipynb", as_version=4).cells
    assert {cell.id: cell.source for cell in cells} == kit_cells.tools()
    assert [cell.id for cell in cells] == ["value_tool", "check_tool"]


@pytest.mark.parametrize(
    ("quoted", "line"),
    [
        (np.arange(4.0).reshape(2, 2), "for x = array([[0., 1.], [2., 3.]]): it is off"),
        (str(np.arange(4).reshape(2, 2)), "for x = '[[0 1]\\n [2 3]]': it is off"),
        (np.arange(30.0), "29.]): it is off"),
        ("a\nb", "for x = 'a\\nb': it is off"),
    ],
)
def test_an_array_in_a_sentence_is_in_one_line(
    notebook: dict[str, Any], capsys: pytest.CaptureFixture[str], quoted: Any, line: str
) -> None:
    """A report quotes one line of a check's output, so the fault must be in it."""
    notebook["check"]("mean", lambda: f"for x = {quoted!r}: it is off")
    printed = said(capsys)
    assert line in printed.split("\n")[0]
    notebook["check"]("mean", lambda: f"it is off\nfor x =   a  b\n0  1  2 {quoted}")
    assert said(capsys).startswith("[mean] it is off\nfor x =   a  b\n0  1  2")


@pytest.mark.parametrize(
    ("got", "right", "said"),
    [
        ("a b", "a b", None),
        ("a c", "a b", "word 2, 'c', is the first that is not right"),
        ("a", "a b", "it has 1 word, and should have 2"),
        ("a  b", "a b", "its spaces are not right at character 3"),
        ("a b\n", "a b", "its spaces are not right at character 4"),
        ("", "a", "it has 0 words, and should have 1"),
        ("e\u0301", "\u00e9", "word 1, 'e\u0301', is right but for its Unicode form (NFC or NFD)"),
        ("\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3", "word 1, '\u03bf\u03b4\u03bf\u03c2', is the first that is not right"),
        ("\u0645\u0631\u062d\u0628\u0627", "\u0645\u0631\u062d\u0628\u0627", None),
        (None, "a", "it is None, and should be text: is there a `return`?"),
        (["a"], "a", "it is a list, and should be text"),
    ],
)  # fmt: skip
def test_a_difference_of_texts_is_placed(
    notebook: dict[str, Any], got: Any, right: str, said: str | None
) -> None:
    """It names the first word or space, as `Text` does."""
    assert notebook["difference"](got, right) == said


@pytest.mark.parametrize("right", [["a"], ("a", 1), {"a": 1}, {1, 2}, frozenset()])
def test_a_difference_of_anything_else_says_what_to_use(
    notebook: dict[str, Any], capsys: pytest.CaptureFixture[str], right: Any
) -> None:
    """The author reads it in the check of the right answer."""
    notebook["check"]("answer", lambda: notebook["difference"](right, right))
    assert "`difference` compares numbers, or two texts: compare anything else with ==" in said(
        capsys
    )
