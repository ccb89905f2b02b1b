"""Leaks seeded into a release, of many kinds and in many places: each has to be caught.

What is leaked is taken from the homework itself, so this works for any folder of source/.
"""

import ast
import base64
import html
import io
import json
import re
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, PngImagePlugin

from autograder.authoring import release
from autograder.authoring.calibrate.table import Table
from autograder.authoring.contract import proof
from autograder.authoring.leaks.digits import DIGITS, long_numbers
from autograder.authoring.leaks.search import Leak, Secrets
from autograder.course import course as courses
from autograder.course import inputs, known_answers, rubrics
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Homework
from autograder.records.questions import Array, Inputs
from autograder.sandbox.supervisor import Sandbox

Files = Mapping[Path, bytes]
Notebook = dict[str, Any]


class NothingToLeak(Exception):
    """This homework has no such thing, or it was not given."""


@dataclass(frozen=True)
class Row:
    """One line of the proof: what was tried, and whether the gate did what it should.

    Args:
        name: The seeded leak, or "untouched release".
        good: It was caught; or, for the untouched release, nothing was said.
        detail: What the gate said first.
    """

    name: str
    good: bool
    detail: str


@dataclass(frozen=True)
class Staff:
    """What staff of one homework know and students must not."""

    course: Path
    homework: Homework
    logs: Sequence[SubmissionLog]
    hidden: Mapping[str, Sequence[Inputs]]

    @property
    def folder(self) -> Path:
        return self.course / "source" / self.homework.name / "staff"

    @cached_property
    def source(self) -> Notebook:
        path = self.folder.parent / f"{self.homework.name}.ipynb"
        notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
        return notebook

    @cached_property
    def answers(self) -> list[str]:
        """The solution regions of the code cells, the longest first."""
        texts = [
            "".join(cell["source"]) for cell in self.source["cells"] if cell["cell_type"] == "code"
        ]
        regions = [
            textwrap.dedent(region).strip("\n")
            for text in texts
            for region in re.findall(r"(?s)### BEGIN SOLUTION\n(.*?)[ \t]*### END SOLUTION", text)
        ]
        return _some(sorted(regions, key=len, reverse=True))

    @property
    def line(self) -> str:
        """The shortest line of an answer that sets something, and is no word of the release."""
        given = " ".join(cell.source for cell in self.homework.cells)
        lines = {
            line.split("#")[0].strip() for answer in self.answers for line in answer.splitlines()
        }
        telling = [
            x for x in lines if len(re.findall(r"\w+", x)) > 2 and "=" in x and x not in given
        ]
        return min(_some(sorted(telling)), key=len)

    @cached_property
    def essay(self) -> str:
        """A sample answer to a question that a person marks."""
        return _some(
            [
                "".join(cell["source"])
                for cell in self.source["cells"]
                if {"grade", "solution"}
                <= {k for k, v in cell["metadata"].get("nbgrader", {}).items() if v is True}
            ]
        )[0]

    @property
    def rubric(self) -> str:
        """The longest sentence of a rubric, the question left out, which students have."""
        paths = self.folder.glob("rubrics/*.md")
        texts = [rubrics.secret(path.read_text(encoding="utf-8")) for path in paths]
        return max(_some(re.findall(r"[^.:\n]+\.", "\n".join(texts))), key=len).strip()

    @property
    def module(self) -> Path:
        """The longest Python file of staff/ that does not run beside student code."""
        files = [path for path in self.folder.glob("*.py") if path.name != "adapters.py"]
        return max(_some(files), key=lambda path: path.stat().st_size)

    @property
    def mistake(self) -> known_answers.KnownAnswer:
        return max(
            _some(known_answers.wrong(self.course, self.homework)),
            key=lambda m: len(m.written.explanation),
        )

    @property
    def designed(self) -> Array:
        """A matrix of the instructor with few different numbers in it, all of them simple."""
        simple = [
            value
            for value in self._values
            # In single precision a mask's -1e30 is another number.
            if value.size >= 9 and (value == value.round()).all() and 1 < np.abs(value).max() < 1e6
        ]
        return _some(simple)[0]

    @property
    def expected(self) -> Array:
        """Numbers that an answer gives and nobody can guess."""
        return _some([value for value in self._values if _is_long(value)])[0]

    @property
    def drawn(self) -> Array:
        """A hidden input with numbers in it that nobody can guess."""
        arrays = [
            np.asarray(value)
            for cases in self.hidden.values()
            for case in cases
            for value in case.values()
            if isinstance(value, np.ndarray) and _is_long(value)
        ]
        return _some(arrays)[-1]

    @property
    def _values(self) -> list[Array]:
        outcomes = [outcome for log in self.logs for outcome in log.outcomes]
        values = [value for outcome in outcomes for value in (outcome.value or {}).values()]
        return [np.asarray(value) for value in values if not isinstance(value, str)]

    @cached_property
    def plot(self) -> bytes:
        """A picture that the instructor's answers draw, as PNG."""
        path = self.course / "solutions" / self.homework.name / f"{self.homework.name}.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.is_file() else []
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        pictures = [
            output["data"]["image/png"]
            for output in outputs
            if "image/png" in output.get("data", {})
        ]
        return base64.b64decode("".join(_some(pictures)[-1]))


def _some(items: list[Any]) -> list[Any]:
    if not items:
        raise NothingToLeak
    return items


def _is_long(array: Array) -> bool:
    """Whether an array has a row of numbers with many digits."""
    if array.dtype.kind != "f" or array.size < 12:
        return False
    first = np.abs(array.ravel()[:6])
    return bool((first > 0.1).all() and (first * 100 != np.round(first * 100)).all())


Seed = Callable[[Files, Staff], Files | str]
SEEDS: list[Seed] = []


def seed(function: Seed) -> Seed:
    SEEDS.append(function)
    return function


def leaks(course: Path, homework: Homework, sandbox: Sandbox) -> Table:
    """Seed every leak, with the instructor's own values and hidden inputs."""
    table = Table(f"{homework.name}: leaks seeded into the release and into feedback")
    asked = proof.compared(homework)
    log, _ = proof.run(known_answers.instructor(course, homework), asked, sandbox)
    hidden = {
        question.id: inputs.draw(question, submission=log.submission, secret=proof.SECRET)
        for question in asked.questions
        if question.ask
    }
    for row in rows(course, homework, [log], hidden):
        table.tried += 1
        table.lines.append(f"{row.name:<36} {row.detail}")
        if not row.good:
            table.short.append(f"{row.name}: {row.detail}")
    return table


def rows(
    course: Path,
    homework: Homework,
    logs: Sequence[SubmissionLog],
    hidden: Mapping[str, Sequence[Inputs]],
) -> Iterator[Row]:
    """Try the untouched release, then every seeded leak that this homework has the material for.

    Args:
        course: The course's folder.
        homework: Which homework.
        logs: The instructor's; without them no expected value is leaked, nor looked for.
        hidden: Question id -> hidden inputs; without them none is leaked.
    """
    secrets = Secrets.of(course, homework, logs, hidden)
    staff = Staff(course, homework, logs, hidden)
    files = release.release_files(course, homework.name)
    found = secrets.leaks_in_files(files)
    yield Row("untouched release", not found, _said(found) or "nothing is said")
    for function in SEEDS:
        try:
            leaking = function(files, staff)
        except NothingToLeak:
            continue
        if isinstance(leaking, str):
            found = secrets.leaks_in_text("feedback", leaking, feedback=True)
        else:
            assert leaking != files, function.__name__
            found = secrets.leaks_in_files(leaking)
        # Any stored output is one leak too many; what is in it has to be seen as well.
        found = [leak for leak in found if "stored output" not in leak.what]
        yield Row(function.__name__, bool(found), _said(found) or "not caught")


def _said(found: Sequence[Leak]) -> str:
    return f"{found[0].place}: {found[0].what}" if found else ""


# What changes a release.


def _edited(files: Files, change: Callable[[Notebook], object]) -> Files:
    """Return the files with the notebook changed in place."""
    path = next(path for path in files if path.suffix == ".ipynb")
    notebook = json.loads(files[path])
    change(notebook)
    return {**files, path: json.dumps(notebook).encode()}


def _cells(notebook: Notebook, kind: str) -> list[Notebook]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def _said_in(files: Files, kind: str, text: str) -> Files:
    """Return the files with a text behind that of the last cell of a kind."""

    def change(notebook: Notebook) -> None:
        cell = _cells(notebook, kind)[-1]
        cell["source"] = "".join(cell["source"]) + "\n\n" + text

    return _edited(files, change)


def _put_out(files: Files, output: Notebook) -> Files:
    return _edited(files, lambda notebook: _cells(notebook, "code")[0].update(outputs=[output]))


def _shown(data: Notebook) -> Notebook:
    return {"output_type": "display_data", "metadata": {}, "data": data}


def _with_metadata(files: Files, metadata: Notebook) -> Files:
    return _edited(files, lambda notebook: notebook["cells"][0]["metadata"].update(metadata))


def _file(files: Files, name: str, data: bytes | str) -> Files:
    return {**files, Path(name): data.encode() if isinstance(data, str) else data}


def _stored(array: Array, *more: Array) -> bytes:
    file = io.BytesIO()
    if more:
        np.savez_compressed(file, *more, array)
    else:
        np.save(file, array)
    return file.getvalue()


def _png(**chunks: Any) -> bytes:
    file = io.BytesIO()
    Image.linear_gradient("L").save(file, "PNG", **chunks)
    return file.getvalue()


def _encoded(data: bytes | str) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def _listed(array: Array, digits: int, count: int = 4) -> str:
    return ", ".join(f"{number:.{digits}f}" for number in array.ravel()[:count])


# In the text of a cell.


@seed
def answer_in_a_hint(files: Files, staff: Staff) -> Files:
    """An answer stands in a collapsed hint."""
    hint = f"<details><summary>Hint 4</summary>\n\n```\n{staff.answers[0]}\n```\n</details>"
    return _said_in(files, "markdown", hint)


@seed
def line_in_a_hint(files: Files, staff: Staff) -> Files:
    """The shortest line of an answer stands in a sentence."""
    return _said_in(
        files, "markdown", f"If you are stuck, try `{staff.line}` and see what happens."
    )


@seed
def answer_in_a_docstring(files: Files, staff: Staff) -> Files:
    """A provided function shows an answer in its docstring."""
    body = textwrap.indent(f'"""Return it.\n\n{staff.answers[0]}\n"""', "    ")
    return _said_in(files, "code", f"def helper():\n{body}")


@seed
def answer_in_a_stub(files: Files, staff: Staff) -> Files:
    """Somebody wrote the answer between the markers, and again as a comment above them."""

    def change(notebook: Notebook) -> None:
        cells = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
        comment = textwrap.indent(staff.answers[-1], "    # ")
        cells[0]["source"] = comment + "\n" + "".join(cells[0]["source"])

    return _edited(files, change)


@seed
def answer_with_other_names(files: Files, staff: Staff) -> Files:
    """A provided cell does the same with its variables renamed."""
    answer = re.sub(r" *#.*", "", staff.answers[0])
    nodes = (node for node in ast.walk(ast.parse(answer)) if isinstance(node, ast.Name))
    names = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    for name in _some(sorted(names)):
        answer = re.sub(rf"(?<![.\w]){name}(?![\w(])", f"my_{name.lower()}", answer)
    return _said_in(files, "code", answer)


@seed
def answer_without_its_comments(files: Files, staff: Staff) -> Files:
    """An answer stands in a provided cell, with other spaces and no comments."""
    lines = re.sub(r" *#.*", "", staff.answers[0]).splitlines()
    return _said_in(files, "code", "\n\n".join(filter(None, lines)).replace(" = ", "="))


@seed
def region_that_was_not_cleared(files: Files, staff: Staff) -> Files:
    """The source's cells go out as they are."""
    return _edited(files, lambda notebook: notebook.update(cells=staff.source["cells"]))


@seed
def sample_answer_in_the_question(files: Files, staff: Staff) -> Files:
    """A question quotes a part of the sample answer."""
    words = staff.essay.split()
    return _said_in(files, "markdown", "> " + " ".join(words[len(words) // 2 :][:16]) + " ...")


@seed
def sentence_of_the_marking_notes(files: Files, staff: Staff) -> Files:
    """A question quotes what markers are told."""
    return _said_in(files, "markdown", f"How it is marked. {staff.rubric}")


@seed
def explanation_of_a_mistake(files: Files, staff: Staff) -> Files:
    """A hint names the mistake that students should find."""
    return _said_in(files, "markdown", f"Mind this: {staff.mistake.written.explanation}")


@seed
def code_of_staff(files: Files, staff: Staff) -> Files:
    """A helper was copied from a module of staff/."""
    lines = staff.module.read_text(encoding="utf-8").splitlines()
    return _said_in(files, "code", "\n".join(lines[len(lines) // 2 :][:20]))


@seed
def base64_in_a_cell(files: Files, staff: Staff) -> Files:
    """A cell holds an answer that nobody can read at a glance."""
    return _said_in(files, "code", f"KEY = b64decode('{_encoded(staff.answers[0])}')")


@seed
def string_with_escapes_in_a_cell(files: Files, staff: Staff) -> Files:
    """A cell holds an answer as one string literal."""
    return _said_in(files, "code", f"TEXT = {json.dumps(staff.answers[0])}")


@seed
def hidden_numbers_in_a_cell(files: Files, staff: Staff) -> Files:
    """A visible check uses a few numbers of a hidden case, rounded."""
    return _said_in(files, "code", f"example = np.array([{_listed(staff.drawn, 4)}])")


@seed
def one_hidden_number(files: Files, staff: Staff) -> Files:
    """A text gives a single number of a hidden case, in full: one of ten is shorter than the others."""
    (first, *_), _ = long_numbers(np.abs(staff.drawn.ravel()), DIGITS)
    return _said_in(files, "markdown", f"For instance {float(first)!r}.")


@seed
def expected_numbers_in_a_table(files: Files, staff: Staff) -> Files:
    """A table gives expected values, rounded."""
    cells = _listed(staff.expected, 4).replace(", ", " | ")
    return _said_in(files, "markdown", f"| a | b | c | d |\n|---|---|---|---|\n| {cells} |")


@seed
def designed_matrix_in_a_cell(files: Files, staff: Staff) -> Files:
    """A provided cell lists the instructor's matrix, number by number."""
    return _said_in(files, "code", f"start = np.array({staff.designed.tolist()})")


@seed
def path_in_a_text(files: Files, staff: Staff) -> Files:
    """A text says where the data lie on the instructor's machine."""
    return _said_in(files, "markdown", f"The data were made by `{staff.course}/make.py`.")


@seed
def name_of_a_staff_file(files: Files, staff: Staff) -> Files:
    """A comment says which file of staff/ something belongs to."""
    return _said_in(files, "code", f"# keep this like staff/{staff.module.name}")


# In outputs.


@seed
def printed_answer(files: Files, staff: Staff) -> Files:
    """A stored output shows an answer's source."""
    return _put_out(
        files,
        {"output_type": "stream", "name": "stdout", "text": staff.answers[0].splitlines(True)},
    )


@seed
def printed_values(files: Files, staff: Staff) -> Files:
    """A stored output shows what an answer gives, as numpy prints it."""
    text = np.array2string(staff.expected, precision=4)
    return _put_out(
        files,
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "metadata": {},
            "data": {"text/plain": text},
        },
    )


@seed
def plot_in_an_output(files: Files, staff: Staff) -> Files:
    """A stored output shows what the instructor's answer looks like."""
    return _put_out(files, _shown({"image/png": _encoded(staff.plot)}))


@seed
def coloured_source_in_an_output(files: Files, staff: Staff) -> Files:
    """A stored output shows an answer as HTML, a tag around every word."""
    coloured = re.sub(r"(\w+)", r"<span class='n'>\1</span>", html.escape(staff.answers[0]))
    return _put_out(files, _shown({"text/html": f"<pre>{coloured}</pre>"}))


@seed
def values_in_an_unknown_kind_of_output(files: Files, staff: Staff) -> Files:
    """A stored output holds numbers for a viewer that we do not know."""
    data = {"application/vnd.grid+json": {"rows": {"0": staff.expected.ravel()[:6].tolist()}}}
    return _put_out(files, _shown(data))


@seed
def traceback_in_an_output(files: Files, staff: Staff) -> Files:
    """A stored error shows where the instructor's Python lives."""
    frame = f"File \x1b[0;32m{Path.home()}/lib/python3.11/site-packages/torch/nn.py:12\x1b[0m, in f"
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": [frame]}
    return _put_out(files, error)


@seed
def traceback_with_an_answer(files: Files, staff: Staff) -> Files:
    """A stored error quotes the answer's lines, in colours and with their numbers."""
    lines = [
        f"\x1b[1;32m      {n} {line}\x1b[0m" for n, line in enumerate(staff.answers[0].splitlines())
    ]
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": lines}
    return _put_out(files, error)


# In metadata and what else a notebook holds.


@seed
def answer_in_the_metadata_of_a_cell(files: Files, staff: Staff) -> Files:
    """A tool kept the solution beside the cell."""
    return _with_metadata(files, {"exercise": {"solution": [staff.answers[-1]]}})


@seed
def values_in_the_metadata_of_a_cell(files: Files, staff: Staff) -> Files:
    """A tool kept the expected values beside the cell."""
    return _with_metadata(files, {"expected": staff.expected.tolist()})


@seed
def essay_in_the_metadata_of_the_notebook(files: Files, staff: Staff) -> Files:
    """A tool kept the sample answer in the notebook's metadata."""
    return _edited(files, lambda n: n["metadata"].update(review={"comments": {"1": staff.essay}}))


@seed
def path_in_the_metadata_of_the_notebook(files: Files, staff: Staff) -> Files:
    """An editor kept the notebook's place on a Windows machine."""
    place = {"path": "C:\\Users\\teacher\\hw.ipynb"}
    return _edited(files, lambda notebook: notebook["metadata"].update(vscode=place))


@seed
def state_of_a_widget(files: Files, staff: Staff) -> Files:
    """A slider or a text box kept what the instructor did."""
    state = {
        "model_name": "HTMLModel",
        "state": {"value": f"<b>{html.escape(staff.answers[0])}</b>"},
    }
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {"0a1b": state}}}
    return _edited(files, lambda notebook: notebook["metadata"].update(widgets=widgets))


@seed
def unknown_key_of_the_notebook(files: Files, staff: Staff) -> Files:
    """The file has a key that no notebook has."""
    return _edited(files, lambda notebook: notebook.update(grading={"notes": staff.rubric}))


@seed
def unknown_key_of_a_cell(files: Files, staff: Staff) -> Files:
    """A cell has a key that no cell has, and the answer is the name of another."""
    return _edited(files, lambda n: n["cells"][-1].update(history={staff.line: 1}))


@seed
def secret_as_an_id(files: Files, staff: Staff) -> Files:
    """The course's secret got into a cell's id."""
    secret = courses.read(staff.course).secret
    if secret.isalpha() and len(secret) <= 8:  # a word that may stand anywhere
        raise NothingToLeak
    return _edited(files, lambda notebook: notebook["cells"][-1].update(id=f"seed-{secret}"))


@seed
def staff_file_as_a_tag(files: Files, staff: Staff) -> Files:
    """A tag says which file of staff/ a cell was made from."""
    return _with_metadata(files, {"tags": ["demo", f"from:staff/{staff.module.stem}"]})


@seed
def plot_as_an_attachment(files: Files, staff: Staff) -> Files:
    """The instructor pasted a plot of the answer into a text, at half its size."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(staff.plot)) as picture:
        picture.convert("RGB").resize((picture.width // 2, picture.height // 2)).save(small, "PNG")
    attached = {"image.png": {"image/png": _encoded(small.getvalue())}}
    return _edited(files, lambda n: _cells(n, "markdown")[-1].update(attachments=attached))


@seed
def text_as_an_attachment(files: Files, staff: Staff) -> Files:
    """A text with the answer was dropped into a cell."""
    attached = {"notes.txt": {"text/plain": _encoded(staff.answers[0])}}
    return _edited(files, lambda n: _cells(n, "markdown")[-1].update(attachments=attached))


# In files.


@seed
def checkpoint_folder(files: Files, staff: Staff) -> Files:
    """Jupyter's copy of the instructor's notebook goes out too."""
    name = f".ipynb_checkpoints/{staff.homework.name}-checkpoint.ipynb"
    return _file(files, name, json.dumps(staff.source))


@seed
def hidden_file(files: Files, staff: Staff) -> Files:
    """A file manager left its list of what is in the folder."""
    return _file(files, "data/.DS_Store", b"\0\0\0\1Bud1")


@seed
def telling_file_name(files: Files, staff: Staff) -> Files:
    """A picture is named after the solution."""
    return _file(files, "figures/solution.png", _png())


@seed
def file_named_after_a_mistake(files: Files, staff: Staff) -> Files:
    """A picture is named after a file of staff/wrong."""
    names = [m.name for m in known_answers.wrong(staff.course, staff.homework) if "_" in m.name]
    return _file(files, f"figures/{_some(names)[0]}.png", _png())


@seed
def staff_file(files: Files, staff: Staff) -> Files:
    """A file of staff/ lies in data/ under another name."""
    return _file(files, "data/tools.txt", staff.module.read_bytes())


@seed
def pickle_file(files: Files, staff: Staff) -> Files:
    """A file that nobody can look into without running it."""
    return _file(files, "data/weights.bin", b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x07weights\x94.")


@seed
def compiled_file(files: Files, staff: Staff) -> Files:
    """Python left a compiled module."""
    return _file(files, "data/__pycache__/tools.cpython-311.pyc", b"\xa7\r\r\n")


@seed
def designed_matrix_in_npz(files: Files, staff: Staff) -> Files:
    """The instructor's matrix lies in an archive of arrays, as float32 and transposed."""
    return _file(
        files, "data/start.npz", _stored(staff.designed.T.astype(np.float32), np.arange(9.0))
    )


@seed
def hidden_input_in_npy(files: Files, staff: Staff) -> Files:
    """A hidden input lies among other numbers."""
    others = np.random.default_rng(0).normal(size=50)
    together = np.concatenate([others, staff.drawn.ravel(), others])
    return _file(files, "data/inputs.npy", _stored(together.astype(np.float32)))


@seed
def expected_values_in_csv(files: Files, staff: Staff) -> Files:
    """A table of expected values lies in data/."""
    table = np.atleast_2d(staff.expected)
    table = table.reshape(-1, table.shape[-1])
    text = "\n".join(",".join(f"{number:.5f}" for number in row) for row in table)
    return _file(
        files, "data/values.csv", f"{','.join(f'c{n}' for n in range(table.shape[1]))}\n{text}\n"
    )


@seed
def hidden_input_in_json(files: Files, staff: Staff) -> Files:
    """A hidden input lies in data/, deep in a tree."""
    return _file(files, "data/cases.json", json.dumps({"cases": [{"x": staff.drawn.tolist()}]}))


@seed
def staff_file_in_zip(files: Files, staff: Staff) -> Files:
    """An archive in data/ holds a module of staff/."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(staff.module, "extra/tools.py")
    return _file(files, "data/extra.zip", file.getvalue())


@seed
def plot_in_figures(files: Files, staff: Staff) -> Files:
    """A plot of the answer lies in figures/, as JPEG."""
    file = io.BytesIO()
    with Image.open(io.BytesIO(staff.plot)) as picture:
        picture.convert("RGB").save(file, "JPEG", quality=70)
    return _file(files, "figures/overview.jpg", file.getvalue())


@seed
def comment_in_a_picture(files: Files, staff: Staff) -> Files:
    """A harmless picture carries an answer as its comment, compressed."""
    comment = PngImagePlugin.PngInfo()
    comment.add_text("Comment", staff.answers[0], zip=True)
    return _file(files, "figures/head.png", _png(pnginfo=comment))


@seed
def text_behind_a_picture(files: Files, staff: Staff) -> Files:
    """A harmless picture ends, and an answer follows."""
    return _file(files, "figures/head.png", _png() + staff.answers[0].encode())


@seed
def text_in_a_drawing(files: Files, staff: Staff) -> Files:
    """An SVG says the answer in its description."""
    drawing = f"<svg><desc>{html.escape(staff.answers[0])}</desc></svg>"
    return _file(files, "figures/head.svg", drawing)


# In what the grader says to a student.


@seed
def message_with_an_answer(files: Files, staff: Staff) -> str:
    """A message says what should have been written."""
    return f"Wrong for a sequence of length 3. Write `{staff.line}` instead."


@seed
def message_with_expected_values(files: Files, staff: Staff) -> str:
    """A message says which numbers were expected."""
    return f"Expected [{_listed(staff.expected, 4)}], yours differs."


@seed
def message_with_a_traceback(files: Files, staff: Staff) -> str:
    """A message says where a check of staff/ failed."""
    return f'File "{staff.module}", line 12, in check: ValueError'


@seed
def message_with_the_marking_notes(files: Files, staff: Staff) -> str:
    """A message quotes what markers are told."""
    return f"A person marks this: {staff.rubric}"
