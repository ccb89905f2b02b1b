"""source/ -> release/ and solutions/. The only importer of nbgrader's preprocessors."""

import ast
import contextlib
import copy
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbgrader import preprocessors
from nbgrader.nbgraderformat import MetadataValidator

from autograder.authoring import both_forms, markers, shown_checks, text_source
from autograder.authoring.kit_cells import refuse_names, tools_of, with_tools
from autograder.authoring.site import assistants
from autograder.course import course as courses
from autograder.course.cells import cells_of, mistake, parsed
from autograder.course.homework import DATA, HomeworkError, described, written_in
from autograder.records import codec
from autograder.records.errors import UserError

# The steps of `nbgrader generate_assignment`, except the one that needs its database.
PREPROCESSORS = """
    ClearSolutions LockCells ComputeChecksums CheckCellMetadata ClearOutput ClearHiddenTests
    ClearMarkScheme ComputeChecksums CheckCellMetadata
""".split()
GIVEN_FOLDERS = (DATA, "figures")
"""Folders beside the notebook that go to students unchanged."""
EXTRAS = "extras"
"""A course's folder of extra pages. extras/my_page.html becomes the site's "My page", and goes
beside each notebook whose code names it.
"""
CACHES = ("__pycache__", ".ipynb_checkpoints")
EXECUTION_SECONDS = 600
_DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def with_ids(notebook: nbformat.NotebookNode) -> bool:
    """Give each cell without an id a permanent one; return whether that changed the notebook."""
    taken = {cell.get("id") for cell in notebook.cells}
    changed = bool(notebook.nbformat_minor < 5)
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells, start=1):
        if not cell.get("id"):
            wanted = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell_{number}"
            wanted = re.sub(r"[^A-Za-z0-9_-]", "_", wanted)[:60]
            cell["id"] = wanted if wanted not in taken else f"{wanted}_{number}"
            taken.add(cell["id"])
            changed = True
    return changed


class Refreshed(NamedTuple):
    """Whether a source notebook was written, and a note on work copied between its two forms."""

    changed: bool
    note: str


def refresh(
    course: Path,
    name: str,
    take: both_forms.Form | None = None,
    wrote: dict[Path, int] | None = None,
) -> Refreshed:
    """Put the kit's cells and missing ids into the source notebook.

    For a homework written as text, `take` is the form to keep if both have changed. The times of
    the files that it writes go into `wrote`.
    """
    path = course / "source" / name / f"{name}.ipynb"
    text_file, wrote = path.with_suffix(".py"), {} if wrote is None else wrote
    written = path.read_bytes() if path.is_file() else b""
    said, changed = "", False
    if text_file.is_file() and written:
        said = both_forms.settle(course, name, read(path), take, wrote)
    notebook = read(path) if (text := as_text(path)) is None else text
    checks, extra = _shown(course, name, notebook)
    filled = shown_checks.fill(notebook, checks, written_in(course, name))
    if any([filled, with_ids(notebook), with_tools(notebook, extra), text is not None]):
        if text is not None:
            both_forms.note(notebook)
        made = _bytes(notebook)
        if path.is_file() and path.read_bytes() != written:  # saved meanwhile
            if text and wrote.get(text_file) == text_file.stat().st_mtime_ns:
                take = take or "ipynb"  # the text only has its earlier save
            again = refresh(course, name, take, wrote)
            return Refreshed(again.changed, again.note or said)
        # The file may be open in an editor, so it is written only if necessary.
        if changed := made != written:
            both_forms.write(path, made, wrote)
    return Refreshed(changed, said)


def _shown(
    course: Path, name: str, notebook: nbformat.NotebookNode
) -> tuple[Mapping[str, str], Collection[str]]:
    questions = shown_checks.questions(course, name, cells_of(notebook))
    extra = frozenset(question.id for question in questions if question.extra)
    return shown_checks.texts(questions, name), extra


def as_text(path: Path) -> nbformat.NotebookNode | None:
    """Return the notebook described by the text beside a source notebook; None without a text."""
    text = path.with_suffix(".py")
    return text_source.notebook(text) if text.is_file() else None


def read(path: Path) -> nbformat.NotebookNode:
    """Read one of our own notebooks unchanged: nbformat would make up ids each time."""
    where = "/".join(path.parts[-3:])
    try:
        notebook = nbformat.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise HomeworkError(f"{where} is missing") from error
    except (OSError, ValueError) as error:
        raise HomeworkError(f"{where}: not a notebook ({error})") from error
    if not isinstance(notebook, nbformat.NotebookNode) or notebook.get("nbformat") != 4:
        raise HomeworkError(f"{where}: not a notebook of format 4")
    for cell in notebook.cells:
        if isinstance(cell.source, list):
            cell.source = "".join(cell.source)
    return notebook


def upgrade(notebook: nbformat.NotebookNode) -> None:
    """Give an nbgrader notebook current metadata; a mangled one may raise any exception."""
    MetadataValidator().upgrade_notebook_metadata(notebook)


def left_behind(course: Path, name: str) -> list[str]:
    """Return the files beside a source notebook that do not go to students."""
    known = {"staff", *GIVEN_FOLDERS, f"{name}.ipynb", f"{name}.py", *CACHES}
    there = (course / "source" / name).iterdir()
    return sorted(path.name for path in there if path.name not in known)


def release_files(course: Path, name: str) -> dict[Path, bytes]:
    """Return the files of release/<name>/; raise HomeworkError if the source breaks a rule."""
    source = course / "source" / name
    path, where = source / f"{name}.ipynb", written_in(course, name)
    notebook = read(path)
    checks, extra = _shown(course, name, notebook)
    if (text := as_text(path)) is not None:
        shown_checks.fill(text, checks, where)
        with_tools(text, extra)
        if source_digest(text) != source_digest(notebook):
            raise HomeworkError(
                f"source/{name}/{name}.ipynb does not match {name}.py; run `autograder "
                f"release {name}`"
            )
    notebook.metadata.pop("autograder", None)
    _check_markers(where, notebook)
    if with_ids(notebook):
        raise HomeworkError(
            f"source/{name}/{name}.ipynb: a cell has no id; run `autograder release "
            f"{name}`, which adds permanent ids"
        )
    refuse_names(notebook, where)
    if shown_checks.fill(notebook, checks, where):
        raise HomeworkError(
            f"source/{name}/{name}.ipynb: a visible check does not match `shown` in "
            f"spec.py; run `autograder release {name}`"
        )
    if with_tools(notebook, extra):
        raise HomeworkError(
            f"source/{name}/{name}.ipynb: the cells {' and '.join(tools_of(notebook))} "
            f"differ from the kit's; run `autograder release {name}`"
        )
    notebook.cells = [cell for cell in notebook.cells if not _for_staff(where, cell)]
    given = _cleared(where, notebook)
    for before, cell in zip(notebook.cells, given.cells, strict=True):
        said = mistake(cell.source) if before.cell_type == "code" else ""
        if said and not mistake(before.source):
            raise HomeworkError(
                f"{where}: cell {before.id!r}: Python cannot read the students' version "
                f"({said}); put whole statements between the markers, with the "
                "indentation of the first"
            )
        for node in ast.walk(parsed(cell.source) or ast.Module([], [])):
            if isinstance(node, ast.ClassDef) and any(isinstance(o, ast.Raise) for o in node.body):
                raise HomeworkError(
                    f"{where}: cell {before.id!r}: the markers take the whole body of "
                    f"the class {node.name}, so its cell raises; put them inside each "
                    "method, whose `def` students keep"
                )
        pictures = cell.pop("attachments", None) or {}
        if shown := {n: one for n, one in pictures.items() if markers.shows(cell.source, n)}:
            cell["attachments"] = shown
    files = {Path(f"{name}.ipynb"): _bytes(given)}
    for folder in GIVEN_FOLDERS:
        if lost := dangling(source / folder):
            raise HomeworkError(
                f"source/{name}/{folder}/{lost[0]} is a link to a file that is missing; get the "
                "file, or remove the link"
            )
        there = filter(Path.is_file, sorted((source / folder).rglob("*")))
        files |= {one.relative_to(source): one.read_bytes() for one in there}
    code = "".join(cell.source for cell in given.cells if cell.cell_type == "code")
    files |= {
        Path(page.name): page.read_bytes()
        for page in sorted((course / EXTRAS).glob("*.html"))
        if page.name in code
    }
    return files | _for_assistants(course, name, given)


def _for_assistants(course: Path, name: str, given: nbformat.NotebookNode) -> dict[Path, bytes]:
    rule = courses.read(course).ai_rule(name) if (course / courses.FILE).is_file() else None
    if not rule or not (course / "source" / name / "staff" / "spec.py").is_file():
        return {}
    chosen = described(course, name, cells_of(given))
    return assistants.files(rule, chosen.title, chosen.questions)


def _cleared(where: str, source: nbformat.NotebookNode) -> nbformat.NotebookNode:
    notebook, resources = copy.deepcopy(source), dict[str, Any]()
    try:
        for name in PREPROCESSORS:
            preprocessor = getattr(preprocessors, name)()
            notebook, resources = preprocessor.preprocess(notebook, resources)
    except Exception as error:  # its own error types, for markers, languages and metadata
        said = codec.one_line(str(error))
        raise HomeworkError(f"{where}: nbgrader prints: {said}") from error
    return notebook


def _check_markers(where: str, notebook: nbformat.NotebookNode) -> None:
    """Raise HomeworkError for a marker without its partner, or a solution outside an answer."""
    for cell in notebook.cells:
        answer = cell.metadata.get("nbgrader", {}).get("solution")
        if "BEGIN SOLUTION" in cell.source and not answer:
            raise HomeworkError(
                f"{where}: cell {cell.id!r}: `### BEGIN SOLUTION` is in a cell that "
                "is not an answer, so students would get it; make it an autograded answer (solution)"
            )
        if said := markers.complaint(cell.source):
            raise HomeworkError(f"{where}: cell {cell.id!r}: {said}")


def write_release(course: Path, name: str, given: Mapping[Path, bytes] | None = None) -> Path:
    """Write release/<name>/ anew and return it; if the source breaks a rule, the old one stays."""
    files = release_files(course, name) if given is None else given
    with _replaced(course / "release" / name) as made:
        for path, data in files.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(data)
    return course / "release" / name


@contextlib.contextmanager
def _replaced(target: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces an existing one if it is filled without an error."""
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as place:
        made = Path(place) / target.name
        made.mkdir()
        yield made
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


def stale_release(course: Path, name: str) -> str | None:
    """Return a sentence on a file of release/<name>/ that does not match the source, or None."""
    wanted, there = release_files(course, name), _contents(course / "release" / name)
    for path in sorted(wanted.keys() | there.keys()):
        if path not in wanted:
            return f"release/{name}/{path} has no source"
        if path not in there:
            return f"release/{name}/{path} is missing"
        if there[path] != wanted[path]:
            return f"release/{name}/{path} is stale"
    return None


def write_solution(course: Path, name: str, may_raise: Collection[str] = ()) -> Path:
    """Execute the instructor's notebook and keep its outputs in solutions/<name>/.

    If only text has changed, the outputs stay and nothing is executed.
    """
    source, target = course / "source" / name, course / "solutions" / name
    notebook = nbformat.read(source / f"{name}.ipynb", as_version=4)
    given = [folder for folder in GIVEN_FOLDERS if (source / folder).is_dir()]
    digest = source_digest(notebook)
    for cell in notebook.cells:
        if cell.id in may_raise:
            cell.metadata["tags"] = [*cell.metadata.get("tags", ()), text_source.RAISES]
    if not _take_outputs(notebook, target, [source / folder for folder in given]):
        _execute(notebook, source, given)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # Progress bars go to stderr, and would differ on every run.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata["autograder"] = {"source_sha256": digest}
    notebook.metadata["language_info"] = {"name": "python"}
    with _replaced(target) as made:
        for folder in given:
            shutil.copytree(source / folder, made / folder, ignore_dangling_symlinks=True)
        (made / f"{name}.ipynb").write_bytes(_bytes(notebook))
    return target / f"{name}.ipynb"


def _take_outputs(notebook: nbformat.NotebookNode, target: Path, given: Sequence[Path]) -> bool:
    """Keep an executed notebook's outputs if only text changed; return whether it did so.

    Docstrings of functions and classes are text, unless an output quotes code with an error.
    """
    try:
        executed = nbformat.read(target / f"{target.name}.ipynb", as_version=4)
    except (OSError, ValueError):
        return False
    code, before = (
        [cell for cell in one.cells if cell.cell_type == "code"] for one in (notebook, executed)
    )
    same_data = all(_contents(folder) == _contents(target / folder.name) for folder in given)
    if (
        source_digest(executed) == source_digest(notebook)  # it needs a new run
        or not same_data
        or executed.metadata.get("autograder", {}).get("source_sha256") != source_digest(executed)
        or [(cell.id, _code(cell.source)) for cell in code]
        != [(cell.id, _code(cell.source)) for cell in before]
        or any(output.output_type == "error" for cell in before for output in cell.outputs)
    ):
        return False
    for cell, old in zip(code, before, strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
    return True


def _execute(notebook: nbformat.NotebookNode, source: Path, given: Sequence[str]) -> None:
    """Run a notebook in a new kernel, beside copies of its data; raise UserError if a cell fails."""
    name = source.name
    with tempfile.TemporaryDirectory() as place:
        for folder in given:
            shutil.copytree(source / folder, Path(place) / folder, ignore_dangling_symlinks=True)
        begun: list[str] = []
        client = NotebookClient(
            notebook,
            on_cell_start=lambda cell, cell_index: begun.append(cell.id),  # noqa: ARG005
            timeout=EXECUTION_SECONDS,
            record_timing=False,
            # Its warnings about this machine's network do not concern authors.
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": place}},
        )
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise UserError(
                f"{written_in(source.parents[1], name)}: cell {begun[-1]!r} {_ended(error)}; fix it "
                "there: every cell of the instructor's notebook has to run, or have the tag "
                "`raises-exception` (as text, `# %% provided raises-exception`)"
            ) from error


def _ended(error: Exception) -> str:
    if isinstance(error, CellExecutionError):
        said = codec.one_line(error.evalue)[:200]
        return f"raises {error.ename}{': ' * bool(said)}{said}"
    if isinstance(error, CellTimeoutError):
        return f"takes more than {EXECUTION_SECONDS} s"
    return "ends the kernel"


def stale_solution(course: Path, name: str) -> str | None:
    """Return why solutions/<name>/ does not match the source, or None, without executing anything."""
    path = course / "solutions" / name / f"{name}.ipynb"
    if not path.is_file():
        return f"solutions/{name}/{name}.ipynb is missing"
    digest = source_digest(nbformat.read(course / "source" / name / f"{name}.ipynb", as_version=4))
    solution = nbformat.read(path, as_version=4)
    if solution.metadata.get("autograder", {}).get("source_sha256") != digest:
        return f"solutions/{name}/{name}.ipynb was made from a different source"
    if source_digest(solution) != digest:
        return f"solutions/{name}/{name}.ipynb was edited by hand"
    return None


def _code(source: str) -> str:
    """Return a cell's code with empty docstrings, as a text to compare."""
    lines = source.encode().splitlines(keepends=True)  # Python counts columns in bytes
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                text = node.body[0]
                end = lines[(text.end_lineno or 0) - 1][text.end_col_offset :]
                lines[text.lineno - 1] = lines[text.lineno - 1][: text.col_offset] + end
                blank = range(text.lineno, text.end_lineno or 0)
                lines = [b"" if number in blank else line for number, line in enumerate(lines)]
    return b"".join(lines).decode()


def source_digest(notebook: nbformat.NotebookNode) -> str:
    """Return a sha256 over the cells' ids and sources."""
    text = "\0".join(f"{cell.id}\0{cell.source}" for cell in notebook.cells)
    return hashlib.sha256(text.encode()).hexdigest()


def _for_staff(where: str, cell: nbformat.NotebookNode) -> bool:
    """Return whether a cell is for the solutions only; raise HomeworkError if unreleasable."""
    role: str | None = cell.metadata.get("autograder", {}).get("role")
    if role not in (None, "demo", "staff"):
        raise HomeworkError(
            f"{where}: cell {cell.id!r} has the role {role!r}; use 'demo' or 'staff'"
        )
    if role == "staff" and cell.cell_type != "markdown":  # the grader would run it as student code
        raise HomeworkError(f"{where}: cell {cell.id!r} is for staff, so it must be text")
    # The answers of nbgrader's task cells have no cell of their own.
    if role != "staff" and cell.metadata.get("nbgrader", {}).get("task"):
        raise HomeworkError(
            f"{where}: cell {cell.id!r} is a manually graded task, which the grader does "
            "not support; make it text, with a manually graded answer below"
        )
    return role == "staff"


def files(folder: Path) -> list[Path]:
    """Return the files below a folder in order, without editors' own files."""
    found = (p for p in folder.rglob("*") if p.is_file() and ".ipynb_checkpoints" not in p.parts)
    return sorted(found)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in files(folder)}


def dangling(folder: Path) -> list[Path]:
    """Return the links below a folder to files that are missing, relative to it."""
    links = (path for path in folder.rglob("*") if path.is_symlink() and not path.exists())
    return sorted(path.relative_to(folder) for path in links)


def _bytes(notebook: nbformat.NotebookNode) -> bytes:
    text: str = nbformat.writes(notebook)
    return (text + "\n").encode()
