"""Answers in pieces, in text cells or in one heap are put together, and nothing else is touched."""

import sys
from dataclasses import replace

import pytest

from autograder.course.cells import defined_names
from autograder.model import Cell, HandIn, Homework, Submission
from autograder.program import repair as joining
from autograder.program.build import align
from autograder.program.repair import mend
from tests.helpers import with_cells

WHOLE = "def identity_weights():\n    Km = 1\n\n    return Km, 2, 3"
STUB = "def identity_weights():\n    raise NotImplementedError()"


def code(*sources: str) -> list[Cell]:
    return [Cell(id=f"own-{n}", type="code", source=s) for n, s in enumerate(sources)]


def mended(homework: Homework, cells: list[Cell]) -> tuple[list[str], list[str]]:
    """Return the code that is left, and what was said."""
    result, repairs = mend(cells, homework.cells)
    return [cell.source for cell in result if cell.type == "code"], repairs


def test_what_is_whole_stays(hw2: Homework, perfect: HandIn) -> None:
    """A notebook without damage comes back as it was."""
    assert mend(perfect.cells, hw2.cells) == (list(perfect.cells), [])


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_split_answer_is_joined(hw2: Homework, line: int) -> None:
    """Behind its first line, in its body, before its return."""
    lines = WHOLE.split("\n")
    sources, repairs = mended(hw2, code("\n".join(lines[:line]), "\n".join(lines[line:]), "x = 1"))
    assert sources[0] == WHOLE
    assert sources[-1] == "x = 1"
    assert repairs == [
        "The cell that defines `identity_weights` was split: it was joined with the cell below it."
    ]


def test_a_class_split_between_methods_is_joined(hw2: Homework) -> None:
    """The second half would be a function of its own in a notebook."""
    first = "class PytorchTransformer(nn.Module):\n    def __init__(self):\n        pass"
    second = "    def forward(self, seq):\n        return seq"
    sources, repairs = mended(hw2, code(first, second))
    assert sources[0] == f"{first}\n{second}"
    assert len(repairs) == 1


def test_an_indented_snippet_is_left_alone(hw2: Homework) -> None:
    """IPython takes indented code: it is nobody's second half."""
    assert mended(hw2, code(WHOLE, "    helper = 3")) == ([WHOLE, "    helper = 3"], [])


def test_a_broken_answer_takes_nothing_along(hw2: Homework) -> None:
    """What no cell below completes stays as it is, and so do they."""
    cells = code("def identity_weights(:", "x = 1", "y = 2")
    assert mended(hw2, cells) == ([cell.source for cell in cells], [])


@pytest.mark.parametrize("type", ["markdown", "raw"])
@pytest.mark.parametrize("source", [WHOLE, f"My answer:\n\n```python\n{WHOLE}\n```\n"])
def test_an_answer_in_a_text_cell_runs(hw2: Homework, type: str, source: str) -> None:
    """Bare or fenced; a stub beside it does not count as an answer."""
    sources, repairs = mended(hw2, [*code(STUB), Cell("t", type, source)])
    assert sources[0] == STUB
    assert sources[1].strip() == WHOLE
    assert repairs == ["The answer `identity_weights` stood in a text cell: it ran as code."]


def test_an_answer_in_a_databricks_text_cell_runs(hw2: Homework) -> None:
    """A text cell is a code cell with a magic there."""
    sources, repairs = mended(hw2, code(f"%md\n```\n{WHOLE}\n```"))
    assert [source.strip() for source in sources] == [WHOLE]
    assert len(repairs) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def identity_weights():  # is this right?\n    return 1, 2, 3",
        "def identity_weights():\n    print('%s'\n        % 3)\n    return 1, 2, 3",
        "%%time\nimport numpy as np\nnp.eye?\n?np.eye\nfiles = !ls\n" + WHOLE,
        "def identity_weights():\n    %time x = 1\n    return 1, 2, 3",
    ],
)
def test_answers_are_known_with_questions_and_magics_in_them(hw2: Homework, source: str) -> None:
    """A line is IPython's only where Python cannot read it: a stub below does not win."""
    assert defined_names(source) == {"identity_weights"}
    given = next(cell for cell in hw2.cells if cell.id == "identity_answer")
    cells = (*code(source), given)
    program = align(HandIn(Submission("a", "notebook", "0" * 64), cells), hw2)
    assert [s.runs for s in program.steps if "def identity_weights" in s.cell.source] == [
        True,
        False,
    ]


def test_a_note_about_an_answer_does_not_run(hw2: Homework) -> None:
    """Where a code cell has the answer, text is text."""
    note = Cell("t", "markdown", f"First I had\n```\n{WHOLE.replace('1', '9')}\n```")
    assert mended(hw2, [*code(WHOLE), note]) == ([WHOLE], [])


def test_text_by_magic_or_in_a_string_is_text(hw2: Homework) -> None:
    """%md, %%markdown and Colab's long strings, in which LaTeX need not be valid Python."""
    cells = code("%md one line", "%%markdown\ntext", '"""$\\xi$ and \\nu\n"""', "x = '''code'''")
    result, _ = mend(cells, hw2.cells)
    assert [(cell.type, cell.source) for cell in result] == [
        ("markdown", "one line"),
        ("markdown", "text"),
        ("markdown", "$\\xi$ and \\nu"),
        ("code", "x = '''code'''"),
    ]


def test_a_script_in_one_cell_is_taken_apart(hw2: Homework) -> None:
    """As nbconvert writes it, brought back into a notebook."""
    more = "".join(f"\n\n\n# In[{n}]:\n\n\nx = {n}" for n in range(3, 6))
    script = f"#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[ ]:\n\n\nx = 1\n\n\n# My text\n\n# In[2]:\n\n\n{WHOLE}{more}"
    result, repairs = mend(code(script), hw2.cells)
    assert [(cell.type, cell.source) for cell in result] == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "My text"),
        ("code", WHOLE),
        *(("code", f"x = {n}") for n in range(3, 6)),
    ]
    assert repairs == ["A cell that held a script was taken apart: 7 cells."]


def test_a_comment_that_looks_like_a_mark_cuts_nothing(hw2: Homework) -> None:
    """`# %%` in somebody's own cell, even in a string."""
    cells = code(f'TABLE = """\n# %% scale\n60\n"""\n{WHOLE}', f"# %% mine\n{WHOLE}")
    assert mended(hw2, cells) == ([cell.source for cell in cells], [])


def test_heaps_are_bounded(hw2: Homework) -> None:
    """No cell becomes thousands of cells, and no notebook a hundred thousand."""
    cells = code(*["#%%\n1\n" * 2_000] * 3, *["#%%\n1\n" * 900] * 20)
    assert len(mend(cells, hw2.cells)[0]) == 3 + 3 * 900 + 17


def test_a_complete_answer_takes_no_scratch_along(hw2: Homework) -> None:
    """An indented cell that would run alone is no part of the class above it."""
    port = "class PytorchTransformer(nn.Module):\n    def forward(self, seq):\n        return seq"
    scratch = "    model = PytorchTransformer(3, 3, 3)\n    print(model)"
    assert mended(hw2, code(port, scratch)) == ([port, scratch], [])


def test_an_answer_that_was_commented_out_stays_out(hw2: Homework) -> None:
    """As one long string in a code cell, beside the stub."""
    sources, repairs = mended(hw2, code(STUB, f"'''\n{WHOLE}\n'''"))
    assert (sources, repairs) == ([STUB], [])


def test_long_text_is_not_parsed_again_and_again(hw2: Homework) -> None:
    """A thousand indented cells below an answer are no reason to try a thousand times."""
    result, _ = mend(code("class PytorchTransformer:", *["    x = ("] * 1000), hw2.cells)
    assert len(result) == 1001


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("d = {'a': 1}\nprint(f'{d['a']}')", "line 2 (f-string: "),
        ("drive.mount('/content/drive'", "line 1 ('(' was never closed)"),
        ("for i in range(3)\n    print(i)\n# mine", "lines 1 to 3 (expected ':')"),
        ("match d\n    case 1:\n        pass", "lines 1 to 3 (expected ':')"),
        ('print("""hello)', "line 1 (unterminated triple-quoted"),
        ("return 3", "line 1 ('return' outside function)"),
        ("type X = int", "line 1 (invalid syntax; this may be newer syntax; the grader runs"),
    ],
    ids=["f-string", "bracket", "for", "match", "string", "return", "type"],
)
def test_a_line_that_cannot_be_read_costs_itself(hw2: Homework, broken: str, said: str) -> None:
    """The right answer below it is graded, and what was left out is said, with line and reason."""
    answer = f'@wrapped\n{WHOLE}\n\nTEXT = """\nat the margin\n"""\nawait ready()'
    cells = code(f"{broken}\n{answer}")
    program = align(HandIn(Submission("a", "notebook", "0" * 64), tuple(cells)), hw2)
    (step,) = [step for step in program.steps if step.name == "the cell 'identity_answer'"]
    assert step.cell.source.endswith(f"\n{answer}")
    assert step.runs
    assert defined_names(step.cell.source) == {"identity_weights"}
    (repair,) = [repair for repair in program.repairs if "cannot read" in repair]
    assert repair.startswith("The cell that defines `identity_weights` has lines that Python")
    assert said in repair


def test_newer_syntax_is_told_from_mistakes(hw2: Homework) -> None:
    """An f-string of Python 3.12, and a colon that is missing."""
    running = ".".join(map(str, sys.version_info[:2]))
    _, (newer,) = mended(hw2, code(f"print(f'{{d['a']}}')\n{WHOLE}"))
    assert f"this may be newer syntax; the grader runs Python {running}" in newer
    _, (wrong,) = mended(hw2, code(f"for i in d\n    pass\n{WHOLE}"))
    assert "newer" not in wrong


@pytest.mark.parametrize(
    "source",
    [
        "def identity_weights(\n    return 1",
        "The keys are alike in both of them.",
        "%%bash\nimport -window root\nls |",
        "%time x = 1\n!ls\nimport numpy as np\nnp.eye?",
        "import asyncio\nawait asyncio.sleep(0)",
    ],
)
def test_what_has_nothing_worth_it_or_is_no_mistake_stays(hw2: Homework, source: str) -> None:
    """A broken definition alone, prose, another language, IPython's own lines."""
    assert mended(hw2, code(source)) == ([source], [])


def test_many_broken_lines_are_said_in_one(hw2: Homework) -> None:
    """And none of them is compiled for ever."""
    _, (repair,) = mended(hw2, code("x = (\n" * 50 + WHOLE))
    assert len(repair) < 400
    assert "and 47 more" in repair
    assert mend(code(*["(\n" * 9_000 + WHOLE] * 20), hw2.cells)[1] == []


def test_pieces_are_compiled_up_to_a_size(hw2: Homework, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred long pieces of classes: what they have to do with one another is not tried for ever."""
    compiled: list[int] = []
    compiles = joining._compiles
    monkeypatch.setattr(
        joining, "_compiles", lambda source: compiled.append(len(source)) or compiles(source)
    )
    pieces = ["class PytorchTransformer:", "    def f(self):\n" + "        x = 1\n" * 1_200] * 50
    mend(code(*pieces), hw2.cells)
    assert sum(compiled) < 20 * joining._JOINED


# What follows concerns the whole program.


def stripped(cell: Cell, number: int) -> Cell:
    return replace(cell, id=f"cell-{number}", grade_id=None, role="provided", points=None)


def test_without_any_metadata_every_cell_is_known(hw2: Homework, perfect: HandIn) -> None:
    """Ids, grade_ids and roles gone: the same program, and nothing to mend."""
    bare = replace(perfect, cells=tuple(stripped(c, n) for n, c in enumerate(perfect.cells)))
    program, whole = align(bare, hw2), align(perfect, hw2)
    assert [s.name for s in program.steps if s.runs] == [s.name for s in whole.steps if s.runs]
    assert (program.repairs, program.written) == ((), whole.written)


def test_two_stubs_with_the_same_text_are_told_apart(hw2: Homework, perfect: HandIn) -> None:
    """One written answer given and one left: each is known by its place."""
    stub = next(cell.source for cell in hw2.cells if cell.id == "compare_copy_first")
    half = with_cells(perfect, compare_copy_first=stub)
    bare = replace(half, cells=tuple(stripped(c, n) for n, c in enumerate(half.cells)))
    assert align(bare, hw2).written == {
        "compare_identity": "answered",
        "compare_copy_first": "unchanged",
    }


def test_text_that_may_be_an_answer_waits_for_a_person(hw2: Homework, perfect: HandIn) -> None:
    """The stub is unchanged, but a text of the student's own stands somewhere else."""
    stub = next(cell.source for cell in hw2.cells if cell.id == "compare_identity")
    cells = with_cells(perfect, compare_identity=stub).cells
    lost = Cell("x", "markdown", "Both have Vm near the identity.")
    program = align(replace(perfect, cells=(lost, *cells)), hw2)
    assert program.written["compare_identity"] == "missing"


def test_code_beside_a_written_answer_runs(hw2: Homework, perfect: HandIn) -> None:
    """What Python cannot parse is not for that reason a written answer."""
    place = next(n for n, c in enumerate(perfect.cells) if c.id == "compare_identity")
    cells = [stripped(c, n) for n, c in enumerate(perfect.cells)]
    cells.insert(place, Cell("own", "code", "files = !ls\nHELP = 60"))
    program = align(replace(perfect, cells=tuple(cells)), hw2)
    assert [step.runs for step in program.steps if step.cell.id == "own"] == [True]
    assert program.candidates == {}


def test_a_sentence_in_a_comment_may_be_the_answer(hw2: Homework, perfect: HandIn) -> None:
    """In a code cell of the student's own, wherever it stands."""
    stub = next(cell.source for cell in hw2.cells if cell.id == "compare_identity")
    note = Cell("own", "code", "# The keys are alike in both of them.\nx = 1")
    cells = (*with_cells(perfect, compare_identity=stub).cells, note)
    program = align(replace(perfect, cells=cells), hw2)
    assert program.written["compare_identity"] == "missing"


def test_candidates_are_few_and_short(hw2: Homework, perfect: HandIn) -> None:
    """Forty texts of a megabyte are no log that nobody can read."""
    place = next(n for n, c in enumerate(perfect.cells) if c.id == "compare_identity")
    many = [replace(perfect.cells[place], source=f"{n} " + "x" * 100_000) for n in range(40)]
    cells = (*perfect.cells[:place], *many, *perfect.cells[place + 1 :])
    texts = align(replace(perfect, cells=cells), hw2).candidates["compare_identity"]
    assert sum(map(len, texts)) <= 5_000


def test_two_texts_for_one_question_are_both_shown(hw2: Homework, perfect: HandIn) -> None:
    """A doubled cell with another text is no reason to choose: a person does."""
    place = next(n for n, c in enumerate(perfect.cells) if c.id == "compare_identity")
    double = replace(perfect.cells[place], source="Another answer.")
    cells = (*perfect.cells[: place + 1], double, *perfect.cells[place + 1 :])
    program = align(replace(perfect, cells=cells), hw2)
    assert program.written["compare_identity"] == "answered"
    first, second = program.candidates["compare_identity"]
    assert (first, second) == (perfect.cells[place].source.strip(), "Another answer.")


def test_an_empty_copy_below_the_answer_does_not_win(hw2: Homework, perfect: HandIn) -> None:
    """Somebody brought the given cell back below the filled one."""
    given = next(cell for cell in hw2.cells if cell.id == "identity_answer")
    program = align(replace(perfect, cells=(*perfect.cells, replace(given, id="again"))), hw2)
    assert not program.steps[-1].runs
    assert "An empty copy of the answer cell 'identity_answer' was left out." in program.repairs


def test_two_versions_both_run_and_it_is_said(hw2: Homework, perfect: HandIn) -> None:
    """In their order; which counts is found out when they are evaluated."""
    program = align(replace(perfect, cells=(*perfect.cells, *code(WHOLE))), hw2)
    assert program.steps[-1].runs
    assert any("`identity_weights` is defined in 2 cells" in line for line in program.repairs)


def test_an_answer_above_what_it_needs_finds_it(hw2: Homework, perfect: HandIn) -> None:
    """The imports run above an answer that was moved to the top, and again in their place."""
    answer = next(cell for cell in perfect.cells if cell.id == "port_answer")
    others = [cell for cell in perfect.cells if cell.id != "port_answer"]
    program = align(replace(perfect, cells=(answer, *others)), hw2)
    ran = [step.cell.id for step in program.steps if step.runs]
    assert ran.index("imports") < ran.index("port_answer")
    assert ran.count("imports") == 2
    assert any("'imports' stood below an answer" in repair for repair in program.repairs)


def test_a_provided_cell_in_pieces_runs_once_and_whole(hw2: Homework, perfect: HandIn) -> None:
    """Pieces of a demo, with training in it, do not run at all."""
    cells: list[Cell] = []
    for cell in perfect.cells:
        if cell.id in ("check_tool", "identity_training"):
            parts = cell.source.split("\n\n\n")
            assert len(parts) > 1
            cells += [replace(cell, id=f"{cell.id}-{n}", source=s) for n, s in enumerate(parts)]
        else:
            cells.append(cell)
    program = align(replace(perfect, cells=tuple(cells)), hw2)
    ran = [step.cell.id for step in program.steps if step.runs]
    assert ran.count("check_tool") == 1
    assert not [id for id in ran if id.startswith(("check_tool-", "identity_training"))]
    assert "The provided cell 'check_tool' was cut: it ran as given." in program.repairs


def test_a_line_of_a_provided_cell_in_a_cell_of_ones_own_runs(
    hw2: Homework, perfect: HandIn
) -> None:
    """Where the whole cell is there, a copy of its line is the student's own."""
    line = Cell("own", "code", "A, B, C = np.eye(3)")
    program = align(replace(perfect, cells=(*perfect.cells, line)), hw2)
    assert program.steps[-1].runs
    assert program.repairs == ()


def test_provided_code_that_became_text_comes_back(hw2: Homework, perfect: HandIn) -> None:
    """A cell turned into Markdown by mistake."""
    cells = tuple(
        replace(cell, type="markdown") if cell.id == "imports" else cell for cell in perfect.cells
    )
    program = align(replace(perfect, cells=cells), hw2)
    assert next(s.cell.id for s in program.steps if s.runs) == "imports"
    assert "The provided cell 'imports' was missing: it was put back." in program.repairs
