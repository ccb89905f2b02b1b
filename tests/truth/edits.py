"""What students and tools do to a right notebook; a fair reader still finds every answer, right.

An edit takes a notebook of format 4 as plain dictionaries and returns another. It leaves alone
what an earlier one has made delicate, such as the halves of a split answer.
"""

import ast
import copy
import json
import re
from collections.abc import Callable
from pathlib import Path

import tests.truth.tools  # noqa: F401  its edits are registered as well
from tests.truth.cells import (
    CODE,
    PROVIDED,
    Edit,
    Generator,
    NothingToDo,
    a_written_answer,
    an_answer,
    chance,
    change_text,
    change_type,
    choose,
    double,
    edit,
    having,
    hurdles,
    insert,
    mark,
    merge_neighbours,
    move,
    new_cell,
    place_of,
    places,
    put_stamps,
    put_stub_beside,
    registered,
    renew,
    role_of,
    set_text,
    split,
    take,
)
from tests.truth.exports import EXPORTS, LOSES, STAMP, Notebook, plain, text

# Two sentences for each question marked by hand, in the order of the notebook.
WRITTEN = (
    "In both heads Vm comes out close to the identity, 1.03 on the diagonal against my 1. They differ in Qm and Km, since only the product of the two decides the scores.",
    "Every row of the learned weights puts at least 0.97 on the first column, as mine does. My keys read a single column of pos while the learned ones mix all four, because any rotation gives the same scores.",
    "The loss falls below 0.01 after 600 steps and then hardly moves. What remains comes from the soft weights, which never reach exactly 1.",
    "My matrices are sparse and the learned ones are full. Training has no reason to prefer zeros, so it keeps whatever the first draw gave it.",
    "The two outputs agree to two digits on every sequence I tried. They part on long sequences, where my larger gain keeps the weights sharp.",
    "Both heads find a token by its key and ignore its place. Mine does so by construction, the learned one only up to 0.02.",
)
NOTE = "Some notes for me. Each row of weights sums to one. I got stuck on the transpose for a while: nn.Linear stores its weight as (out, in). Ask in the tutorial on Thursday."


def right_notebook(course: Path, name: str) -> Notebook:
    """Return the release, filled with the instructor's code and with short written answers."""
    release: Notebook
    release, source = (
        json.loads((course / folder / name / f"{name}.ipynb").read_text(encoding="utf-8"))
        for folder in ("release", "source")
    )
    answers = {cell["id"]: text(cell) for cell in source["cells"]}
    texts = iter(WRITTEN)
    for cell in release["cells"]:
        role = role_of(cell)
        if role == "written":
            set_text(cell, next(texts))
        elif role == "answer":
            lines = answers[cell["id"]].split("\n")
            set_text(cell, "\n".join(x for x in lines if not re.match(r"\s*### (BEGIN|END) ", x)))
    return release


def sequence(right: Notebook, release: Notebook, rng: Generator) -> tuple[list[str], str, bytes]:
    """Make 1 to 5 random edits and a random export; return what was done, the suffix, the bytes."""
    notebook = copy.deepcopy(right)
    done: list[str] = []
    put_stamps(notebook, release)
    wanted = int(rng.integers(1, 6))
    while len(done) < wanted:
        edit = choose(rng, EDITS)
        changed = edit(notebook, rng, release)
        if plain(changed) != plain(notebook):
            notebook = changed
            done.append(edit.__name__)
    export = choose(rng, [e for e in EXPORTS if not LOSES[e] & hurdles(notebook, release)])
    return [*done, export.__name__], *export(notebook)


# Deleting.


@edit
def delete_a_provided_cell(notebook: Notebook, rng: Generator) -> None:
    """Delete a provided cell: code, check, demo or text."""
    take(notebook, choose(rng, having(notebook, *PROVIDED)))


@edit
def delete_several_provided_cells(notebook: Notebook, rng: Generator) -> None:
    """Delete two to six provided cells."""
    for _ in range(int(rng.integers(2, 7))):
        take(notebook, choose(rng, having(notebook, *PROVIDED)))


@edit
def delete_all_texts(notebook: Notebook, rng: Generator) -> None:
    """Delete every provided text."""
    for cell in having(notebook, "text"):
        take(notebook, cell)


@edit
def delete_all_checks_and_demos(notebook: Notebook, rng: Generator) -> None:
    """Delete every check and demo."""
    for cell in having(notebook, "check", "demo"):
        take(notebook, cell)


# Changing what was provided. A changed demo runs, and some take long: one edit is enough for them.


@edit
def add_an_import(notebook: Notebook, rng: Generator) -> None:
    """Add an import on top of a provided cell."""
    line = choose(rng, ("import statistics", "from math import pi", "import numpy as numpy"))
    change_text(notebook, rng, lambda source: f"{line}\n{source}", "code", "check")


def _changes(name: str, says: str, change: Callable[[str], str], *roles: str) -> None:
    """Register an edit that changes the source of a provided cell."""

    def changed(notebook: Notebook, rng: Generator) -> None:
        change_text(notebook, rng, change, *roles)

    changed.__name__, changed.__doc__ = name, f"{says}."
    edit(changed)


def _tabs(source: str) -> str:
    blanks = re.compile(r"^(?: {4})+", re.MULTILINE)
    return blanks.sub(lambda m: "\t" * (len(m[0]) // 4), source)


# fmt: off
_changes("add_a_comment", "Write a comment at the end of a provided cell", lambda s: f"{s}\n# I do not get this", "code", "check")
_changes("add_a_print", "Print something at the end of a provided cell", lambda s: f'{s}\nprint("so far")', "code", "check")
_changes("change_a_docstring", "Write a reminder into a docstring of a provided cell", lambda s: re.sub(r'"""(?=\w)', '"""(Read!) ', s, count=1), "code")
_changes("add_blank_lines", "Leave blank lines in a provided cell, and blanks at line ends", lambda s: "\n" + s.replace("\n\n", "  \n\n \n"), "code", "check")
_changes("indent_with_tabs", "Indent a provided cell with tabs, as some editors do", _tabs, "code", "check")
_changes("reformat", "Have a tool write a provided cell anew: the same program in another layout", lambda s: ast.unparse(ast.parse(s)), "code", "check")
_changes("paste_with_windows_line_ends", r"Paste a provided cell from an editor of Windows, with \r\n", lambda s: re.sub("\r?\n", "\r\n", s), "code", "check")
_changes("comment_a_check_out", "Comment every line of a check out", lambda s: re.sub("^", "# ", s, flags=re.MULTILINE), "check")
_changes("change_a_demo", "Write a comment on top of a demo", lambda s: f"# nice\n{s}", "demo")
# fmt: on


@edit
def change_a_text(notebook: Notebook, rng: Generator) -> None:
    """Change a provided text: a word in bold, the last one cut off, a remark below."""
    changes = (
        lambda source: re.sub(r"\b(\w{5,})\b", r"**\1**", source, count=1),
        lambda source: source.rsplit(" ", 1)[0],
        lambda source: f"{source}\n\n(done, see below)",
    )
    change_text(notebook, rng, choose(rng, changes), "text")


# Doubling.


@edit
def double_a_cell_below(notebook: Notebook, rng: Generator) -> None:
    """Paste a copy of a cell right below it."""
    cell = choose(rng, having(notebook, "answer", "written", *PROVIDED))
    double(notebook, rng, cell, place_of(notebook, cell) + 1)


@edit
def double_a_cell_later(notebook: Notebook, rng: Generator) -> None:
    """Paste a copy of a cell somewhere below it."""
    cell = choose(rng, having(notebook, "answer", "written", *PROVIDED))
    double(notebook, rng, cell, choose(rng, places(notebook, place_of(notebook, cell) + 1)))


@edit
def double_an_answer(notebook: Notebook, rng: Generator) -> None:
    """Paste a copy of an answer somewhere below it."""
    cell = choose(rng, having(notebook, "answer", "written"))
    double(notebook, rng, cell, choose(rng, places(notebook, place_of(notebook, cell) + 1)))


@edit
def fill_a_copy_of_the_given_cell(notebook: Notebook, rng: Generator) -> None:
    """Double a given cell with all its metadata, and fill the lower copy."""
    put_stub_beside(notebook, rng, below=False)


@edit
def insert_the_given_cell_again(notebook: Notebook, rng: Generator) -> None:
    """Put the given, unfilled cell in again below the answer."""
    put_stub_beside(notebook, rng, below=True)


@edit
def answer_in_a_cell_of_ones_own(notebook: Notebook, rng: Generator) -> None:
    """Leave the given cell as it is, and answer in a new cell beside it."""
    cell = put_stub_beside(notebook, rng, below=chance(rng))
    cell["metadata"] = {}
    renew(notebook, rng, cell)


@edit
def keep_an_older_wrong_answer(notebook: Notebook, rng: Generator) -> None:
    """Keep a first, wrong try above the right answer, with the same metadata."""
    cell = an_answer(notebook, rng)
    first = copy.deepcopy(cell)
    given = text(cell[STAMP]["stub"])
    set_text(first, given.replace("raise NotImplementedError()", "return None"))
    # Moved above the wrong one, the right one would no longer be the newer.
    mark(cell, whole=False)
    mark(first, role="stub", whole=False)
    insert(notebook, place_of(notebook, cell), first)


@edit
def collect_the_answers_in_one_cell(notebook: Notebook, rng: Generator) -> None:
    """Move the code of all answers into one new cell at the end, and leave theirs empty."""
    cells = having(notebook, "answer", type="code", alone=True)
    if not cells:
        raise NothingToDo
    everything = new_cell(notebook, rng, "\n\n\n".join(map(text, cells)), role="answer")
    for cell in cells:
        set_text(cell, "")
        mark(cell, role="stub", whole=False)
    insert(notebook, len(notebook["cells"]), everything)


@edit
def leave_the_stub_standing(notebook: Notebook, rng: Generator) -> None:
    """Leave `raise NotImplementedError()` below the answer's last return, where it does nothing."""
    cell = an_answer(notebook, rng)
    last: ast.AST = ast.parse(text(cell))
    while isinstance(last, ast.Module | ast.ClassDef | ast.FunctionDef):
        last = last.body[-1]
    if not isinstance(last, ast.Return):
        raise NothingToDo
    set_text(cell, f"{text(cell).rstrip()}\n{' ' * last.col_offset}raise NotImplementedError()")


@edit
def leave_the_stubs_comment(notebook: Notebook, rng: Generator) -> None:
    """Leave `# YOUR CODE HERE` at the end of an answer."""
    cell = an_answer(notebook, rng)
    set_text(cell, f"{text(cell)}\n# YOUR CODE HERE")


# Converting.


@edit
def answer_as_text(notebook: Notebook, rng: Generator) -> None:
    """Turn an answer into a Markdown cell, fenced or bare."""
    cell = an_answer(notebook, rng)
    change_type(cell, "markdown")
    set_text(cell, choose(rng, ("{}", "```python\n{}\n```", "```\n{}\n```")).format(text(cell)))
    mark(cell, "text")


@edit
def answer_as_raw(notebook: Notebook, rng: Generator) -> None:
    """Turn an answer into a raw cell."""
    cell = an_answer(notebook, rng)
    change_type(cell, "raw")
    mark(cell, "text", "raw")


@edit
def written_as_raw(notebook: Notebook, rng: Generator) -> None:
    """Turn a written answer into a raw cell."""
    cell = a_written_answer(notebook, rng)
    change_type(cell, "raw")
    mark(cell, "raw")


@edit
def written_in_code(notebook: Notebook, rng: Generator) -> None:
    """Turn a written answer into a code cell: as it is, as a comment, a string, a print, a magic."""
    cell = a_written_answer(notebook, rng)
    form = choose(rng, ("{}", "# {}", '"""{}"""', 'print("""{}""")', "%%markdown\n{}", "%md {}"))
    change_type(cell, "code")
    mark(cell, *{"{}": ["broken"], "%md {}": ["broken"], "%%markdown\n{}": ["magic"]}.get(form, []))
    source = text(cell).replace("\n", "\n# ") if form == "# {}" else text(cell)
    set_text(cell, form.format(source))


@edit
def text_as_another_type(notebook: Notebook, rng: Generator) -> None:
    """Turn a provided text into a raw cell or a code cell."""
    cell = choose(rng, [c for c in having(notebook, "text") if c["cell_type"] == "markdown"])
    type = choose(rng, ("raw", "code"))
    change_type(cell, type)
    mark(cell, "raw" if type == "raw" else "broken")


@edit
def provided_code_as_another_type(notebook: Notebook, rng: Generator) -> None:
    """Turn a provided cell of code into Markdown or raw, which takes one key in Jupyter."""
    cell = choose(rng, [c for c in having(notebook, *CODE) if c["cell_type"] == "code"])
    type = choose(rng, ("raw", "markdown"))
    change_type(cell, type)
    mark(cell, "text", *(["raw"] if type == "raw" else []))


# Splitting and merging.


@edit
def split_an_answer(notebook: Notebook, rng: Generator) -> None:
    """Split an answer at any line, so that neither half need run."""
    cell = an_answer(notebook, rng)
    lines = text(cell).splitlines(True)
    cut = choose(rng, range(1, len(lines)))
    first, second = "".join(lines[:cut]), "".join(lines[cut:])
    if not first.strip() or not second.strip():
        raise NothingToDo
    mark(split(notebook, rng, cell, first.removesuffix("\n"), second), "halved")


@edit
def split_a_provided_cell(notebook: Notebook, rng: Generator) -> None:
    """Split a provided cell between two of its statements."""
    cell = choose(rng, [c for c in having(notebook, "code") if c["cell_type"] == "code"])
    starts = [
        min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        for node in ast.parse(text(cell)).body
    ]
    cut = choose(rng, starts[1:]) - 1
    lines = text(cell).splitlines(True)
    split(notebook, rng, cell, "".join(lines[:cut]), "".join(lines[cut:]))


@edit
def split_a_written_answer(notebook: Notebook, rng: Generator) -> None:
    """Split a written answer between its sentences."""
    cell = a_written_answer(notebook, rng)
    first, _, second = text(cell).partition(". ")
    split(notebook, rng, cell, f"{first}.", second)


@edit
def merge_an_answer_with_the_code_below(notebook: Notebook, rng: Generator) -> None:
    """Merge an answer with the check or other provided code below it."""
    merge_neighbours(notebook, rng, ["answer"], CODE)


@edit
def merge_an_answer_with_the_code_above(notebook: Notebook, rng: Generator) -> None:
    """Merge an answer with the provided code above it, once some texts are deleted."""
    for cell in having(notebook, "text"):
        if chance(rng):
            take(notebook, cell)
    merge_neighbours(notebook, rng, CODE, ["answer"])


@edit
def merge_provided_code(notebook: Notebook, rng: Generator) -> None:
    """Merge two provided cells of code."""
    merge_neighbours(notebook, rng, CODE, CODE)


@edit
def merge_two_texts(notebook: Notebook, rng: Generator) -> None:
    """Merge two texts, once checks and demos between them are deleted."""
    for cell in having(notebook, "check", "demo"):
        if chance(rng):
            take(notebook, cell)
    merge_neighbours(notebook, rng, ["text"], ["text"])


@edit
def merge_a_written_answer_with_the_text_above(notebook: Notebook, rng: Generator) -> None:
    """Write the answer into the question's own cell."""
    merge_neighbours(notebook, rng, ["text"], ["written"])


@edit
def merge_a_written_answer_with_the_text_below(notebook: Notebook, rng: Generator) -> None:
    """Merge a written answer with the text that follows it."""
    merge_neighbours(notebook, rng, ["written"], ["text"])


# Moving.


@edit
def move_an_answer_above_all_code(notebook: Notebook, rng: Generator) -> None:
    """Move an answer above all other code, the imports among it."""
    answer = choose(rng, having(notebook, "answer"))
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    if code is answer:
        raise NothingToDo
    move(notebook, answer, lambda: place_of(notebook, code))


@edit
def move_an_answer_to_the_end(notebook: Notebook, rng: Generator) -> None:
    """Move an answer to the very end."""
    answer = choose(rng, having(notebook, "answer"))
    move(notebook, answer, lambda: len(notebook["cells"]))


@edit
def move_an_answer_to_a_check(notebook: Notebook, rng: Generator) -> None:
    """Move an answer right above a check, mostly that of another question."""
    answer, check = (choose(rng, having(notebook, role)) for role in ("answer", "check"))
    move(notebook, answer, lambda: place_of(notebook, check))


@edit
def move_an_answer_anywhere(notebook: Notebook, rng: Generator) -> None:
    """Move an answer to any other place."""
    answer = choose(rng, having(notebook, "answer"))
    move(notebook, answer, lambda: choose(rng, places(notebook)))


@edit
def move_a_check_anywhere(notebook: Notebook, rng: Generator) -> None:
    """Move a check to any other place."""
    check = choose(rng, having(notebook, "check"))
    move(notebook, check, lambda: choose(rng, places(notebook)))


@edit
def move_a_written_answer(notebook: Notebook, rng: Generator) -> None:
    """Move a written answer below another cell of its part."""
    cell = choose(rng, having(notebook, "written"))

    def below() -> int:
        parts = [other[STAMP]["part"] for other in notebook["cells"]]
        return choose(rng, [n for n in places(notebook, 1) if parts[n - 1] == cell[STAMP]["part"]])

    move(notebook, cell, below)


@edit
def swap_two_parts(notebook: Notebook, rng: Generator) -> None:
    """Swap two parts with all their cells."""
    parts = sorted({cell[STAMP]["part"] for cell in notebook["cells"]} - {0})
    if len(parts) < 2:
        raise NothingToDo
    one, other = rng.choice(parts, 2, replace=False).tolist()
    for cell in notebook["cells"]:
        part = cell[STAMP]["part"]
        cell[STAMP]["part"] = {one: other, other: one}.get(part, part)
    notebook["cells"].sort(key=lambda cell: cell[STAMP]["part"])


# Adding.


def _adds(name: str, says: str, *sources: str, type: str = "code", hurdle: str = "") -> None:
    """Register an edit that adds a cell of the student's own anywhere."""

    def add(notebook: Notebook, rng: Generator) -> None:
        stamp = {"hurdles": [hurdle] if hurdle else []}
        cell = new_cell(notebook, rng, choose(rng, sources), type, **stamp)
        insert(notebook, choose(rng, places(notebook)), cell)

    add.__name__, add.__doc__ = name, f"Add {says}."
    edit(add)


# fmt: off
_adds("add_a_failing_cell", "a cell that fails", "1 / 0", "print(my_matrix)", "np.eye(3) @ np.eye(4)", hurdle="order")
_adds("add_a_note", "a long note", NOTE, f"## Notes\n\n{NOTE}", type="markdown")
_adds("add_a_formula", "a scratch copy of the formula", "x = np.ones((4, 2))\nscores = x @ x.T / np.sqrt(2)\nscores")
_adds("add_a_helper", "a helper that nothing uses", "def my_softmax(s):\n    return np.exp(s) / np.exp(s).sum()")
_adds("add_prints", "a cell that prints", "print('here')\nprint(1 + 1)", "result = 3\nresult")
_adds("add_an_empty_cell", "an empty cell", "", "\n", "# ")
_adds("add_an_empty_text", "an empty text", "", " \n", type="markdown")
_adds("add_an_indented_cell", "an indented snippet, which IPython accepts", "    x = 3\n    print(x)", hurdle="broken")
_adds("add_a_broken_cell", "a cell that is no Python", "for i in range(3)\n    print(i)", "x = = 3", "print('a", "def todo(", hurdle="broken")
_adds("add_an_installation", "the installation of what is there", "!pip install numpy", "%pip install -q numpy")
_adds("add_a_timed_cell", "a cell that is timed", "%%time\nsum(range(1000))", "%timeit -n 1 -r 1 sum(range(1000))")
_adds("add_a_line_magic", "a magic of old tutorials", "%matplotlib inline", "%load_ext autoreload\n%autoreload 2")
_adds("add_colabs_drive", "what mounts a drive in Colab, and fails elsewhere", "from google.colab import drive\ndrive.mount('/content/drive')", hurdle="order")
_adds("add_a_question_mark", "a question to IPython", "np.eye?", "?print", hurdle="broken")
_adds("add_a_raw_cell", "a raw cell", NOTE, type="raw", hurdle="raw")
# fmt: on


@edit
def note_after_a_written_answer(notebook: Notebook, rng: Generator) -> None:
    """Leave a stray note below a written answer."""
    cell = choose(rng, having(notebook, "written"))
    note = new_cell(notebook, rng, choose(rng, ("TODO: check the numbers again", NOTE)), "markdown")
    insert(notebook, place_of(notebook, cell) + 1, note)


@edit
def picture_in_a_written_answer(notebook: Notebook, rng: Generator) -> None:
    """Paste a picture into a written answer."""
    cell = a_written_answer(notebook, rng)
    set_text(cell, f"{text(cell)}\n\n![image.png](attachment:image.png)")
    cell["attachments"] = {"image.png": {"image/png": "iVBORw0KGgo="}}


@edit
def line_on_top_of_an_answer(notebook: Notebook, rng: Generator) -> None:
    """Put a comment, a title of Colab's, an import or a blank line on top of an answer."""
    cell = an_answer(notebook, rng)
    line = choose(rng, ("# my solution", "#@title Answer", "# @title Answer", "import math", ""))
    set_text(cell, f"{line}\n{text(cell)}")


@edit
def line_magic_on_an_answer(notebook: Notebook, rng: Generator) -> None:
    """Put a line magic on top of an answer."""
    cell = an_answer(notebook, rng)
    set_text(cell, f"%matplotlib inline\n{text(cell)}")
    mark(cell)


@edit
def cell_magic_on_an_answer(notebook: Notebook, rng: Generator) -> None:
    """Put a cell magic on top of an answer."""
    cell = an_answer(notebook, rng)
    set_text(cell, f"{choose(rng, ('%%time', '%%capture'))}\n{text(cell)}")
    mark(cell, "magic")


EDITS: tuple[Edit, ...] = tuple(registered)
