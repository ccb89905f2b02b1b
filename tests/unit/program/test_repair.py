"""Answers in pieces, in text cells or in one cell are recovered, and nothing else changes."""

import sys
from dataclasses import replace

import pytest

from autograder.course.cells import defined_names
from autograder.program import repair as joining
from autograder.program.build import build
from autograder.program.repair import repair
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Cell, Homework
from tests.helpers import sentences, twinned, with_cells

WHOLE = "def count_positive(numbers):\n    above = numbers > 0\n\n    return above.sum()"
STUB = "def count_positive(numbers):\n    raise NotImplementedError()"


def code(*sources: str) -> list[Cell]:
    return [Cell(id=f"own-{n}", type="code", source=s) for n, s in enumerate(sources)]


def mended(homework: Homework, cells: list[Cell]) -> tuple[list[str], list[str]]:
    """Return the remaining code, and the reports."""
    result, repairs = repair(cells, homework.cells)
    return [cell.source for cell in result if cell.type == "code"], repairs


def test_what_is_whole_stays(toy: Homework, solved: Submission) -> None:
    """A notebook without damage comes back as it was."""
    assert repair(solved.cells, toy.cells) == (list(solved.cells), [])


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_split_answer_is_joined(toy: Homework, line: int) -> None:
    """The split may be after its first line, in its body, or before its return."""
    lines = WHOLE.split("\n")
    sources, repairs = mended(toy, code("\n".join(lines[:line]), "\n".join(lines[line:]), "x = 1"))
    assert sources[0] == WHOLE
    assert sources[-1] == "x = 1"
    assert repairs == [
        "The cell that defines `count_positive` was split: it was joined with the cell below it."
    ]


def test_a_class_split_between_methods_is_joined(toy: Homework) -> None:
    """In a notebook, the second half would be a separate function."""
    first = "class mean_positive(Base):\n    def __init__(self):\n        pass"
    second = "    def forward(self, seq):\n        return seq"
    sources, repairs = mended(toy, code(first, second))
    assert sources[0] == f"{first}\n{second}"
    assert len(repairs) == 1


def test_an_indented_snippet_is_left_alone(toy: Homework) -> None:
    """IPython accepts it; before version 9, as on Colab, also an indent of the first line alone."""
    assert mended(toy, code(WHOLE, "    helper = 3")) == ([WHOLE, "    helper = 3"], [])
    sources, repairs = mended(toy, code(f"\n import bisect\n{WHOLE}"))
    assert (sources, len(repairs)) == (["\nimport bisect\n" + WHOLE.replace("\n ", "\n")], 1)


def test_a_broken_answer_takes_nothing_along(toy: Homework) -> None:
    """Code that no cell below completes stays, and so do those cells."""
    cells = code("def count_positive(:", "x = 1", "y = 2")
    assert mended(toy, cells) == ([cell.source for cell in cells], [])


@pytest.mark.parametrize("type", ["markdown", "raw"])
@pytest.mark.parametrize("source", [WHOLE, f"My answer:\n\n```python\n{WHOLE}\n```\n"])
def test_an_answer_in_a_text_cell_runs(toy: Homework, type: str, source: str) -> None:
    """It may be bare or fenced; a stub beside it does not count as an answer."""
    sources, repairs = mended(toy, [*code(STUB), Cell("t", type, source)])
    assert sources[0] == STUB
    assert sources[1].strip() == WHOLE
    assert repairs == ["The answer `count_positive` was in a text cell: it ran as code."]


def test_an_answer_in_a_databricks_text_cell_runs(toy: Homework) -> None:
    """There, a text cell is a code cell with a magic."""
    sources, repairs = mended(toy, code(f"%md\n```\n{WHOLE}\n```"))
    assert [source.strip() for source in sources] == [WHOLE]
    assert len(repairs) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def count_positive(numbers):  # is this right?\n    return 3",
        "def count_positive(numbers):\n    print('%s'\n        % 3)\n    return 3",
        "%%time\nimport numpy as np\nnp.eye?\n?np.eye\nfiles = !ls\n" + WHOLE,
        "def count_positive(numbers):\n    %time x = 1\n    return 3",
    ],
)
def test_answers_are_known_with_questions_and_magics_in_them(toy: Homework, source: str) -> None:
    """A line is IPython's only if Python cannot read it; a stub below does not take precedence."""
    assert defined_names(source) == {"count_positive"}
    given = next(cell for cell in toy.cells if cell.id == "count_answer")
    cells = (*code(source), given)
    program = build(Submission(SubmissionId("a", "notebook", "0" * 64), cells), toy)
    assert [s.runs for s in program.steps if "def count_positive" in s.cell.source] == [True, False]


def test_a_note_about_an_answer_does_not_run(toy: Homework) -> None:
    """If a code cell has the answer, text stays text."""
    note = Cell("t", "markdown", f"First I had\n```\n{WHOLE.replace('0', '9')}\n```")
    assert mended(toy, [*code(WHOLE), note]) == ([WHOLE], [])


def test_text_by_magic_or_in_a_string_is_text(toy: Homework) -> None:
    """This covers %md, %%markdown and Colab's long strings, whose LaTeX may be invalid in Python."""
    cells = code("%md one line", "%%markdown\ntext", '"""$\\xi$ and \\nu\n"""', "x = '''code'''")
    result, _ = repair(cells, toy.cells)
    assert [(cell.type, cell.source) for cell in result] == [
        ("markdown", "one line"),
        ("markdown", "text"),
        ("markdown", "$\\xi$ and \\nu"),
        ("code", "x = '''code'''"),
    ]


def test_a_script_in_one_cell_is_taken_apart(toy: Homework) -> None:
    """It was written by nbconvert, and the student pasted it into a notebook."""
    more = "".join(f"\n\n\n# In[{n}]:\n\n\nx = {n}" for n in range(3, 6))
    script = f"#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[ ]:\n\n\nx = 1\n\n\n# My text\n\n# In[2]:\n\n\n{WHOLE}{more}"
    result, repairs = repair(code(script), toy.cells)
    assert [(cell.type, cell.source) for cell in result] == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "My text"),
        ("code", WHOLE),
        *(("code", f"x = {n}") for n in range(3, 6)),
    ]
    assert repairs == ["A cell with a whole script was taken apart: 7 cells."]


def test_a_comment_that_looks_like_a_mark_cuts_nothing(toy: Homework) -> None:
    """One example is `# %%` in a student's own cell, even in a string."""
    cells = code(f'TABLE = """\n# %% scale\n60\n"""\n{WHOLE}', f"# %% mine\n{WHOLE}")
    assert mended(toy, cells) == ([cell.source for cell in cells], [])


def test_heaps_are_bounded(toy: Homework) -> None:
    """No cell becomes thousands of cells, and no notebook a hundred thousand."""
    cells = code(*["#%%\n1\n" * 2_000] * 3, *["#%%\n1\n" * 900] * 20)
    assert len(repair(cells, toy.cells)[0]) == 3 + 3 * 900 + 17


def test_a_complete_answer_takes_no_scratch_along(toy: Homework) -> None:
    """An indented cell that would run alone is not part of the class above it."""
    port = "class mean_positive(Base):\n    def forward(self, seq):\n        return seq"
    scratch = "    model = mean_positive(3, 3, 3)\n    print(model)"
    assert mended(toy, code(port, scratch)) == ([port, scratch], [])


def test_an_answer_that_was_commented_out_stays_out(toy: Homework) -> None:
    """It is one long string in a code cell, beside the stub."""
    sources, repairs = mended(toy, code(STUB, f"'''\n{WHOLE}\n'''"))
    assert (sources, repairs) == ([STUB], [])


def test_long_text_is_not_parsed_again_and_again(toy: Homework) -> None:
    """A thousand indented cells below an answer do not cause a thousand tries."""
    result, _ = repair(code("class mean_positive:", *["    x = ("] * 1000), toy.cells)
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
def test_a_line_that_cannot_be_read_costs_itself(toy: Homework, broken: str, said: str) -> None:
    """The right answer below it is graded, and a report quotes the line with the reason."""
    answer = f'@wrapped\n{WHOLE}\n\nTEXT = """\nat the margin\n"""\nawait ready()'
    cells = code(f"{broken}\n{answer}")
    program = build(Submission(SubmissionId("a", "notebook", "0" * 64), tuple(cells)), toy)
    (step,) = [step for step in program.steps if step.name == "the cell 'count_answer'"]
    assert step.cell.source.endswith(f"\n{answer}")
    assert step.runs
    assert defined_names(step.cell.source) == {"count_positive"}
    (sentence,) = [each for each in sentences(program.repairs) if "cannot read" in each]
    assert sentence.startswith("The cell that defines `count_positive` has lines that Python")
    assert said in sentence


def test_newer_syntax_is_told_from_mistakes(toy: Homework) -> None:
    """Examples are an f-string of Python 3.12, and a missing colon."""
    running = ".".join(map(str, sys.version_info[:2]))
    _, (newer,) = mended(toy, code(f"print(f'{{d['a']}}')\n{WHOLE}"))
    assert f"this may be newer syntax; the grader runs Python {running}" in newer
    _, (wrong,) = mended(toy, code(f"for i in d\n    pass\n{WHOLE}"))
    assert "newer" not in wrong


@pytest.mark.parametrize(
    "source",
    [
        "def count_positive(\n    return 1",
        "The keys are alike in both of them.",
        "%%bash\nimport -window root\nls |",
        "%time x = 1\n!ls\nimport numpy as np\nnp.eye?",
        "import asyncio\nawait asyncio.sleep(0)",
    ],
)
def test_what_has_nothing_worth_it_or_is_no_mistake_stays(toy: Homework, source: str) -> None:
    """This covers a broken definition alone, prose, other languages and IPython's own lines."""
    assert mended(toy, code(source)) == ([source], [])


def test_many_broken_lines_are_said_in_one(toy: Homework) -> None:
    """None of them is compiled forever."""
    _, (sentence,) = mended(toy, code("x = (\n" * 50 + WHOLE))
    assert len(sentence) < 400
    assert "and 47 more" in sentence
    assert repair(code(*["(\n" * 9_000 + WHOLE] * 20), toy.cells)[1] == []


def test_pieces_are_compiled_up_to_a_size(toy: Homework, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred long pieces of classes are not compared with each other forever."""
    compiled: list[int] = []
    compiles = joining.compiles_alone
    monkeypatch.setattr(
        joining, "compiles_alone", lambda source: compiled.append(len(source)) or compiles(source)
    )
    pieces = ["class mean_positive:", "    def f(self):\n" + "        x = 1\n" * 1_200] * 50
    repair(code(*pieces), toy.cells)
    assert sum(compiled) < 20 * joining.JOINED


# What follows concerns the whole program.


def stripped(cell: Cell, number: int) -> Cell:
    return replace(cell, id=f"cell-{number}", grade_id=None, role="provided", points=None)


def test_without_any_metadata_every_cell_is_known(toy: Homework, solved: Submission) -> None:
    """Without ids, grade_ids and roles, the program is the same, and needs no repairs."""
    bare = replace(solved, cells=tuple(stripped(c, n) for n, c in enumerate(solved.cells)))
    program, whole = build(bare, toy), build(solved, toy)
    assert [s.name for s in program.steps if s.runs] == [s.name for s in whole.steps if s.runs]
    assert (program.repairs, program.written) == ((), whole.written)


def test_two_stubs_with_the_same_text_are_told_apart(toy: Homework, solved: Submission) -> None:
    """One written answer is filled and one empty: each is recognised by its place."""
    homework, answers = twinned(toy, solved)
    stub = next(cell.source for cell in homework.cells if cell.id == "twin")
    half = with_cells(answers, twin=stub)
    bare = replace(half, cells=tuple(stripped(c, n) for n, c in enumerate(half.cells)))
    assert build(bare, homework).written == {"argue": "answered", "twin": "unchanged"}


@pytest.mark.parametrize(
    "lost",
    [
        Cell("x", "markdown", "Both are sums over nothing."),
        Cell("x", "code", "# The keys are alike in both of them.\nx = 1"),
    ],
)
def test_text_that_may_be_an_answer_waits_for_a_person(
    toy: Homework, unargued: Submission, lost: Cell
) -> None:
    """The stub is unchanged, but a text or comment of the student's own is elsewhere."""
    for cells in ((lost, *unargued.cells), (*unargued.cells, lost)):
        assert build(replace(unargued, cells=cells), toy).written["argue"] == "missing"


def test_code_beside_a_written_answer_runs(toy: Homework, solved: Submission) -> None:
    """Text that Python cannot parse is not automatically a written answer."""
    place = next(n for n, c in enumerate(solved.cells) if c.id == "argue")
    cells = [stripped(c, n) for n, c in enumerate(solved.cells)]
    cells.insert(place, Cell("own", "code", "files = !ls\nHELP = 60"))
    program = build(replace(solved, cells=tuple(cells)), toy)
    assert [step.runs for step in program.steps if step.cell.id == "own"] == [True]
    assert program.candidates == {}


def test_candidates_are_few_and_short(toy: Homework, solved: Submission) -> None:
    """Forty texts of a megabyte must not make the log unreadable."""
    place = next(n for n, c in enumerate(solved.cells) if c.id == "argue")
    many = [replace(solved.cells[place], source=f"{n} " + "x" * 100_000) for n in range(40)]
    cells = (*solved.cells[:place], *many, *solved.cells[place + 1 :])
    texts = build(replace(solved, cells=cells), toy).candidates["argue"]
    assert sum(map(len, texts)) <= 5_000


def test_two_texts_for_one_question_are_both_shown(toy: Homework, solved: Submission) -> None:
    """A duplicated cell with a different text leaves the choice to a person."""
    place = next(n for n, c in enumerate(solved.cells) if c.id == "argue")
    double = replace(solved.cells[place], source="Another answer.")
    cells = (*solved.cells[: place + 1], double, *solved.cells[place + 1 :])
    program = build(replace(solved, cells=cells), toy)
    assert program.written["argue"] == "answered"
    first, second = program.candidates["argue"]
    assert (first, second) == (solved.cells[place].source.strip(), "Another answer.")


def test_an_empty_copy_below_the_answer_does_not_win(toy: Homework, solved: Submission) -> None:
    """The given cell was put back below the filled one."""
    given = next(cell for cell in toy.cells if cell.id == "count_answer")
    program = build(replace(solved, cells=(*solved.cells, replace(given, id="again"))), toy)
    assert not program.steps[-1].runs
    assert "An empty copy of the answer cell 'count_answer' was left out." in sentences(
        program.repairs
    )


def test_two_versions_both_run_and_it_is_said(toy: Homework, solved: Submission) -> None:
    """They run in order; the evaluation decides which counts."""
    program = build(replace(solved, cells=(*solved.cells, *code(WHOLE))), toy)
    assert program.steps[-1].runs
    assert any(
        "`count_positive` is defined in 2 cells" in line for line in sentences(program.repairs)
    )


def test_an_answer_above_what_it_needs_finds_it(toy: Homework, solved: Submission) -> None:
    """Imports run above an answer that was moved to the top, and again in their place."""
    answer = next(cell for cell in solved.cells if cell.id == "mean_answer")
    others = [cell for cell in solved.cells if cell.id != "mean_answer"]
    program = build(replace(solved, cells=(answer, *others)), toy)
    ran = [step.cell.id for step in program.steps if step.runs]
    assert ran.index("imports") < ran.index("mean_answer")
    assert ran.count("imports") == 2
    assert any("'imports' was below an answer" in repair for repair in sentences(program.repairs))


def test_a_provided_cell_in_pieces_runs_once_and_whole(toy: Homework, solved: Submission) -> None:
    """Pieces of a demo with training do not run at all."""
    cells: list[Cell] = []
    for cell in solved.cells:
        if cell.id in ("check_tool", "look"):
            parts = cell.source.split("\n\n\n")
            assert len(parts) > 1
            cells += [replace(cell, id=f"{cell.id}-{n}", source=s) for n, s in enumerate(parts)]
        else:
            cells.append(cell)
    program = build(replace(solved, cells=tuple(cells)), toy)
    ran = [step.cell.id for step in program.steps if step.runs]
    assert ran.count("check_tool") == 1
    assert not [id for id in ran if id.startswith(("check_tool-", "look"))]
    assert "The provided cell 'check_tool' was cut: it ran as given." in sentences(program.repairs)


def test_a_line_of_a_provided_cell_in_a_cell_of_ones_own_runs(
    toy: Homework, solved: Submission
) -> None:
    """If the whole cell is there, a copy of its line belongs to the student."""
    line = Cell("own", "code", "NUMBERS = np.array([1.5, -2.0, 0.0, 0.5])")
    program = build(replace(solved, cells=(*solved.cells, line)), toy)
    assert program.steps[-1].runs
    assert program.repairs == ()


def test_provided_code_that_became_text_comes_back(toy: Homework, solved: Submission) -> None:
    """A cell was turned into Markdown by mistake."""
    cells = tuple(
        replace(cell, type="markdown") if cell.id == "imports" else cell for cell in solved.cells
    )
    program = build(replace(solved, cells=cells), toy)
    assert next(s.cell.id for s in program.steps if s.runs) == "imports"
    assert "The provided cell 'imports' was missing: it was put back." in sentences(program.repairs)


BROKEN = "def count_positive(numbers):\n    return (numbers > 0).sum()\n\ntotal = = 3"


def test_a_homework_may_leave_alone_what_python_cannot_read(toy: Homework) -> None:
    """With mend=False, such a cell does not run and is not completed, and a sentence explains why."""
    split = code("def count_positive(numbers):", "    return 3", BROKEN, "%%bash\nx = = 1")
    cells, repairs = repair(split, toy.cells, mend=False)
    assert cells == split
    assert repairs == [
        "The cell that defines `count_positive` did not run: Python cannot read it (line 1: expected "
        "an indented block after function definition on line 1).",
        "The cell 'own-1' did not run: Python cannot read it (line 1: unexpected indent).",
        "The cell that defines `count_positive` did not run: Python cannot read it (line 4: invalid "
        "syntax).",
    ]


@pytest.mark.parametrize("mend", [True, False])
def test_what_is_run_follows_the_homework(toy: Homework, solved: Submission, mend: bool) -> None:
    """The answer cell keeps its place either way."""
    submission = with_cells(solved, count_answer=BROKEN)
    program = build(submission, replace(toy, mend=mend))
    (step,) = [one for one in program.steps if one.stands_for == "count_answer"]
    assert ("# total = = 3" in step.cell.source) == mend
    assert any("did not run" in one for one in sentences(program.repairs)) != mend
