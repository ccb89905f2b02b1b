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
        """The shortest line of an answer that sets something, and is not a word of the release."""
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
    """Return whether an array has a row of numbers with many digits."""
    if array.dtype.kind != "f" or array.size < 12:
        return False
    first = np.abs(array.ravel()[:6])
    return bool((first > 0.1).all() and (first * 100 != np.round(first * 100)).all())


Seed = Callable[[Files, Staff], Files | str]
Says = Callable[[Staff], str]


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
    for name, seed in SEEDS.items():
        try:
            leaking = seed(files, staff)
        except NothingToLeak:
            continue
        if isinstance(leaking, str):
            found = secrets.leaks_in_text("feedback", leaking, feedback=True)
        else:
            assert leaking != files, name
            found = secrets.leaks_in_files(leaking)
        # Any stored output is one leak too many; what is in it has to be seen as well.
        found = [leak for leak in found if "stored output" not in leak.what]
        yield Row(name, bool(found), _said(found) or "not caught")


def _said(found: Sequence[Leak]) -> str:
    return f"{found[0].place}: {found[0].what}" if found else ""


# What changes a release. A seed that returns text is what the grader says to a student.


def _edited(files: Files, change: Callable[[Notebook], object]) -> Files:
    """Return the files with the notebook changed in place."""
    path = next(path for path in files if path.suffix == ".ipynb")
    notebook = json.loads(files[path])
    change(notebook)
    return {**files, path: json.dumps(notebook).encode()}


def _cells(notebook: Notebook, kind: str) -> list[Notebook]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def in_text(kind: str, says: Says) -> Seed:
    """Put a text behind that of the last cell of a kind."""

    def leak(files: Files, staff: Staff) -> Files:
        said = says(staff)

        def change(notebook: Notebook) -> None:
            cell = _cells(notebook, kind)[-1]
            cell["source"] = "".join(cell["source"]) + "\n\n" + said

        return _edited(files, change)

    return leak


def in_notebook(change: Callable[[Notebook, Staff], object]) -> Seed:
    """Change the notebook in place."""
    return lambda files, staff: _edited(files, lambda notebook: change(notebook, staff))


def in_output(output: Callable[[Staff], Notebook]) -> Seed:
    """Store an output below the first code cell."""
    return in_notebook(lambda n, staff: _cells(n, "code")[0].update(outputs=[output(staff)]))


def shown(data: Callable[[Staff], Notebook]) -> Seed:
    """Store a picture or the like as an output."""
    return in_output(
        lambda staff: {"output_type": "display_data", "metadata": {}, "data": data(staff)}
    )


def failed(lines: Callable[[Staff], list[str]]) -> Seed:
    """Store an error with this traceback."""
    error = {"output_type": "error", "ename": "E", "evalue": ""}
    return in_output(lambda staff: error | {"traceback": lines(staff)})


def in_metadata(metadata: Callable[[Staff], Notebook]) -> Seed:
    """Put something into the first cell's metadata."""
    return in_notebook(lambda n, staff: n["cells"][0]["metadata"].update(metadata(staff)))


def attached(name: str, kind: str, data: Callable[[Staff], bytes | str]) -> Seed:
    """Attach a file to the last text."""
    return in_notebook(
        lambda n, staff: _cells(n, "markdown")[-1].update(
            attachments={name: {kind: _encoded(data(staff))}}
        )
    )


def in_file(name: str | Says, data: Callable[[Staff], bytes | str]) -> Seed:
    """Put a file beside the notebook."""

    def leak(files: Files, staff: Staff) -> Files:
        path = name if isinstance(name, str) else name(staff)
        content = data(staff)
        return {**files, Path(path): content.encode() if isinstance(content, str) else content}

    return leak


def said_to_students(says: Says) -> Seed:
    """Say it in feedback."""
    return lambda files, staff: says(staff)


# What is leaked, where it takes more than a line.


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


def _docstring(staff: Staff) -> str:
    body = textwrap.indent(f'"""Return it.\n\n{staff.answers[0]}\n"""', "    ")
    return f"def helper():\n{body}"


def _in_a_stub(notebook: Notebook, staff: Staff) -> None:
    """Write the answer as a comment above the markers."""
    marked = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
    comment = textwrap.indent(staff.answers[-1], "    # ")
    marked[0]["source"] = comment + "\n" + "".join(marked[0]["source"])


def _renamed(staff: Staff) -> str:
    """Return an answer with its variables renamed."""
    answer = re.sub(r" *#.*", "", staff.answers[0])
    nodes = (node for node in ast.walk(ast.parse(answer)) if isinstance(node, ast.Name))
    names = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    for name in _some(sorted(names)):
        answer = re.sub(rf"(?<![.\w]){name}(?![\w(])", f"my_{name.lower()}", answer)
    return answer


def _spaced(staff: Staff) -> str:
    """Return an answer with other spaces and no comments."""
    lines = re.sub(r" *#.*", "", staff.answers[0]).splitlines()
    return "\n\n".join(filter(None, lines)).replace(" = ", "=")


def _of_the_essay(staff: Staff) -> str:
    words = staff.essay.split()
    return " ".join(words[len(words) // 2 :][:16])


def _of_a_module(staff: Staff) -> str:
    lines = staff.module.read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[len(lines) // 2 :][:20])


def _one_number(staff: Staff) -> str:
    """Return one number in full: one of ten is shorter than the others."""
    (first, *_), _ = long_numbers(np.abs(staff.drawn.ravel()), DIGITS)
    return repr(float(first))


def _coloured(staff: Staff) -> str:
    """Return an answer as HTML, a tag around every word."""
    return re.sub(r"(\w+)", r"<span class='n'>\1</span>", html.escape(staff.answers[0]))


def _quoted(staff: Staff) -> list[str]:
    """Return an answer's lines as a traceback has them, in colours and with their numbers."""
    lines = enumerate(staff.answers[0].splitlines())
    return [f"\x1b[1;32m      {n} {line}\x1b[0m" for n, line in lines]


def _widget(staff: Staff) -> Notebook:
    """Return what a text box kept of what the instructor did."""
    value = f"<b>{html.escape(staff.answers[0])}</b>"
    state = {"model_name": "HTMLModel", "state": {"value": value}}
    return {"application/vnd.jupyter.widget-state+json": {"state": {"0a1b": state}}}


def _secret_as_an_id(notebook: Notebook, staff: Staff) -> None:
    secret = courses.read(staff.course).secret
    if secret.isalpha() and len(secret) <= 8:  # a word that may stand anywhere
        raise NothingToLeak
    notebook["cells"][-1].update(id=f"seed-{secret}")


def _picture(staff: Staff, kind: str, *, smaller: int = 1, **options: Any) -> bytes:
    """Return the plot of an answer in another form."""
    file = io.BytesIO()
    with Image.open(io.BytesIO(staff.plot)) as picture:
        size = picture.width // smaller, picture.height // smaller
        drawn = picture.convert("RGB")
        (drawn if smaller == 1 else drawn.resize(size)).save(file, kind, **options)
    return file.getvalue()


def _mistake_s_name(staff: Staff) -> str:
    names = [m.name for m in known_answers.wrong(staff.course, staff.homework) if "_" in m.name]
    return f"figures/{_some(names)[0]}.png"


def _among_others(staff: Staff) -> bytes:
    others = np.random.default_rng(0).normal(size=50)
    together = np.concatenate([others, staff.drawn.ravel(), others])
    return _stored(together.astype(np.float32))


def _csv(staff: Staff) -> str:
    table = np.atleast_2d(staff.expected)
    table = table.reshape(-1, table.shape[-1])
    text = "\n".join(",".join(f"{number:.5f}" for number in row) for row in table)
    return f"{','.join(f'c{n}' for n in range(table.shape[1]))}\n{text}\n"


def _zip(staff: Staff) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(staff.module, "extra/tools.py")
    return file.getvalue()


def _commented(staff: Staff) -> bytes:
    """Return a harmless picture that carries an answer as its comment, compressed."""
    comment = PngImagePlugin.PngInfo()
    comment.add_text("Comment", staff.answers[0], zip=True)
    return _png(pnginfo=comment)


HOME = f"File \x1b[0;32m{Path.home()}/lib/python3.11/site-packages/torch/nn.py:12\x1b[0m, in f"
SEEDS: Mapping[str, Seed] = {
    # In the text of a cell.
    "answer_in_a_hint": in_text(
        "markdown",
        lambda s: f"<details><summary>Hint 4</summary>\n\n```\n{s.answers[0]}\n```\n</details>",
    ),
    "line_in_a_hint": in_text(
        "markdown", lambda s: f"If you are stuck, try `{s.line}` and see what happens."
    ),
    "answer_in_a_docstring": in_text("code", _docstring),
    "answer_in_a_stub": in_notebook(_in_a_stub),
    "answer_with_other_names": in_text("code", _renamed),
    "answer_without_its_comments": in_text("code", _spaced),
    "region_that_was_not_cleared": in_notebook(lambda n, s: n.update(cells=s.source["cells"])),
    "sample_answer_in_the_question": in_text("markdown", lambda s: f"> {_of_the_essay(s)} ..."),
    "sentence_of_the_marking_notes": in_text("markdown", lambda s: f"How it is marked. {s.rubric}"),
    "explanation_of_a_mistake": in_text(
        "markdown", lambda s: f"Mind this: {s.mistake.written.explanation}"
    ),
    "code_of_staff": in_text("code", _of_a_module),
    "base64_in_a_cell": in_text("code", lambda s: f"KEY = b64decode('{_encoded(s.answers[0])}')"),
    "string_with_escapes_in_a_cell": in_text(
        "code", lambda s: f"TEXT = {json.dumps(s.answers[0])}"
    ),
    "hidden_numbers_in_a_cell": in_text(
        "code", lambda s: f"example = np.array([{_listed(s.drawn, 4)}])"
    ),
    "one_hidden_number": in_text("markdown", lambda s: f"For instance {_one_number(s)}."),
    "expected_numbers_in_a_table": in_text(
        "markdown",
        lambda s: (
            f"| a | b | c | d |\n|---|---|---|---|\n| {_listed(s.expected, 4).replace(', ', ' | ')} |"
        ),
    ),
    "designed_matrix_in_a_cell": in_text(
        "code", lambda s: f"start = np.array({s.designed.tolist()})"
    ),
    "path_in_a_text": in_text("markdown", lambda s: f"The data were made by `{s.course}/make.py`."),
    "name_of_a_staff_file": in_text("code", lambda s: f"# keep this like staff/{s.module.name}"),
    # In outputs.
    "printed_answer": in_output(
        lambda s: {
            "output_type": "stream",
            "name": "stdout",
            "text": s.answers[0].splitlines(True),
        }
    ),
    "printed_values": in_output(
        lambda s: {
            "output_type": "execute_result",
            "execution_count": 1,
            "metadata": {},
            "data": {"text/plain": np.array2string(s.expected, precision=4)},
        }
    ),
    "plot_in_an_output": shown(lambda s: {"image/png": _encoded(s.plot)}),
    "coloured_source_in_an_output": shown(lambda s: {"text/html": f"<pre>{_coloured(s)}</pre>"}),
    "values_in_an_unknown_kind_of_output": shown(
        lambda s: {"application/vnd.grid+json": {"rows": {"0": s.expected.ravel()[:6].tolist()}}}
    ),
    "traceback_in_an_output": failed(lambda s: [HOME]),
    "traceback_with_an_answer": failed(_quoted),
    # In metadata and what else a notebook holds.
    "answer_in_the_metadata_of_a_cell": in_metadata(
        lambda s: {"exercise": {"solution": [s.answers[-1]]}}
    ),
    "values_in_the_metadata_of_a_cell": in_metadata(lambda s: {"expected": s.expected.tolist()}),
    "essay_in_the_metadata_of_the_notebook": in_notebook(
        lambda n, s: n["metadata"].update(review={"comments": {"1": s.essay}})
    ),
    "path_in_the_metadata_of_the_notebook": in_notebook(
        lambda n, s: n["metadata"].update(vscode={"path": "C:\\Users\\teacher\\hw.ipynb"})
    ),
    "state_of_a_widget": in_notebook(lambda n, s: n["metadata"].update(widgets=_widget(s))),
    "unknown_key_of_the_notebook": in_notebook(lambda n, s: n.update(grading={"notes": s.rubric})),
    "unknown_key_of_a_cell": in_notebook(lambda n, s: n["cells"][-1].update(history={s.line: 1})),
    "secret_as_an_id": in_notebook(_secret_as_an_id),
    "staff_file_as_a_tag": in_metadata(lambda s: {"tags": ["demo", f"from:staff/{s.module.stem}"]}),
    "plot_as_an_attachment": attached(
        "image.png", "image/png", lambda s: _picture(s, "PNG", smaller=2)
    ),
    "text_as_an_attachment": attached("notes.txt", "text/plain", lambda s: s.answers[0]),
    # In files.
    "checkpoint_folder": in_file(
        lambda s: f".ipynb_checkpoints/{s.homework.name}-checkpoint.ipynb",
        lambda s: json.dumps(s.source),
    ),
    "hidden_file": in_file("data/.DS_Store", lambda s: b"\0\0\0\1Bud1"),
    "telling_file_name": in_file("figures/solution.png", lambda s: _png()),
    "file_named_after_a_mistake": in_file(_mistake_s_name, lambda s: _png()),
    "staff_file": in_file("data/tools.txt", lambda s: s.module.read_bytes()),
    "pickle_file": in_file(  # nobody can look into it without running it
        "data/weights.bin", lambda s: b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x07weights\x94."
    ),
    "compiled_file": in_file("data/__pycache__/tools.cpython-311.pyc", lambda s: b"\xa7\r\r\n"),
    "designed_matrix_in_npz": in_file(  # as float32 and transposed
        "data/start.npz", lambda s: _stored(s.designed.T.astype(np.float32), np.arange(9.0))
    ),
    "hidden_input_in_npy": in_file("data/inputs.npy", _among_others),
    "expected_values_in_csv": in_file("data/values.csv", _csv),
    "hidden_input_in_json": in_file(
        "data/cases.json", lambda s: json.dumps({"cases": [{"x": s.drawn.tolist()}]})
    ),
    "staff_file_in_zip": in_file("data/extra.zip", _zip),
    "plot_in_figures": in_file("figures/overview.jpg", lambda s: _picture(s, "JPEG", quality=70)),
    "comment_in_a_picture": in_file("figures/head.png", _commented),
    "text_behind_a_picture": in_file("figures/head.png", lambda s: _png() + s.answers[0].encode()),
    "text_in_a_drawing": in_file(
        "figures/head.svg", lambda s: f"<svg><desc>{html.escape(s.answers[0])}</desc></svg>"
    ),
    # In what the grader says to a student.
    "message_with_an_answer": said_to_students(
        lambda s: f"Wrong for a sequence of length 3. Write `{s.line}` instead."
    ),
    "message_with_expected_values": said_to_students(
        lambda s: f"Expected [{_listed(s.expected, 4)}], yours differs."
    ),
    "message_with_a_traceback": said_to_students(
        lambda s: f'File "{s.module}", line 12, in check: ValueError'
    ),
    "message_with_the_marking_notes": said_to_students(
        lambda s: f"A TA will mark this: {s.rubric}"
    ),
}
