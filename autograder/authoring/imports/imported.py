"""A notebook in nbgrader's source form, or otter's -> a homework that grades at once."""

import itertools
import json
import keyword
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import v4

from autograder.authoring import hidden_names, markers, release
from autograder.authoring.contract import release_gate
from autograder.authoring.imports import draft, foreign, otter, staff_files
from autograder.authoring.leaks.search import Secrets
from autograder.course.cells import cells_of
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework

_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_AUTOTEST = re.compile(r"^[ \t]*### (?:HASHED )?AUTOTEST", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # of a traceback that IPython printed
_SOURCE_OF = re.compile(r"cell '([^']+)', source$")  # of a leak
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Imported(NamedTuple):
    """An imported homework, and notes for its author: a sentence each."""

    name: str
    notes: tuple[str, ...]


class _Found(NamedTuple):
    name: str
    path: Path
    notebook: nbformat.NotebookNode
    title: str
    notes: tuple[str, ...]


def import_notebooks(root: Path, places: Sequence[Path], name: str = "") -> Iterator[Imported]:
    """Write a homework for each notebook, and its release."""
    paths = list(dict.fromkeys(_paths(places)))
    if name and len(paths) > 1:
        raise UserError(f"--name names one homework, but these are {len(paths)} notebooks")
    found = [_Found(_name(path, name), path, *_read(path)) for path in paths]
    taken: set[str] = set()
    for one in found:
        if (root / "source" / one.name).exists():
            raise UserError(
                f"source/{one.name} already exists; choose a different name with --name"
            )
        if one.name in taken:
            raise UserError(
                f"{one.path}: a second notebook would also be called {one.name}; import "
                "it with --name"
            )
        taken.add(one.name)
    notes: dict[str, list[str]] = {}
    try:
        for one in found:
            notes[one.name] = list(one.notes)
            notes[one.name] += _written(root, one)
    except BaseException:
        for written, folder in itertools.product(notes, ("source", "release")):
            shutil.rmtree(root / folder / written, ignore_errors=True)
        raise
    for one in found:
        yield Imported(one.name, (*notes[one.name], *_solved(root, one.name)))


def _paths(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        inside = sorted(place.glob("*.ipynb")) if place.is_dir() else [place]
        if not inside:
            raise UserError(f"{place} has no notebook (*.ipynb)")
        for path in inside:
            if not path.is_file() or path.suffix != ".ipynb":
                raise UserError(f"{path} is not a notebook; give files that end in .ipynb")
            yield path


def _name(path: Path, wanted: str) -> str:
    if wanted:
        if not wanted.isidentifier() or not wanted.isascii() or keyword.iskeyword(wanted):
            raise UserError(
                f"{wanted!r} is not a name for a homework; write letters, digits and _: hw1_names"
            )
        return wanted
    words = f"{path.resolve().parent.name}_{path.stem}"
    made = re.sub(r"\W+", "_", words, flags=re.ASCII).strip("_") or "homework"
    return made if made.isidentifier() else f"hw_{made}"


def _read(path: Path) -> tuple[nbformat.NotebookNode, str, tuple[str, ...]]:
    notebook, notes = foreign.read(path)
    language = notebook.metadata.get("kernelspec", {}).get("language", "python")
    if str(language).lower() != "python":
        raise UserError(f"{path}: its language is {language!r}; only Python is graded")
    title = _title(path, cells_of(notebook))
    converted = otter.as_nbgrader(path, notebook) if otter.is_otter(notebook) else ()
    notes = (*notes, *converted, *_with_header(path, notebook))
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    )
    notebook.cells = [new for cell in notebook.cells for new in _split(cell)]
    notes = (*notes, *_with_plain_ids(notebook))
    taken: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        id = cell.pop("id", "")
        if isinstance(id, str) and _ID.fullmatch(id) and id not in taken:
            cell["id"] = id
            taken.add(id)
    _complain(path, notebook)
    release.with_ids(notebook)
    return notebook, title, (*notes, *_with_hidden_names(notebook))


def _with_plain_ids(notebook: nbformat.NotebookNode) -> Iterator[str]:
    marked = [m for cell in notebook.cells if (m := cell.metadata.get("nbgrader"))]
    taken = {str(marks.get("grade_id")) for marks in marked}
    changed = []
    for marks in marked:
        id = str(marks.get("grade_id") or "")
        if not id or re.fullmatch(r"[A-Za-z0-9_-]+", id):
            continue
        letters = unicodedata.normalize("NFKD", id).encode("ascii", "ignore").decode()
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", letters).strip("_") or "question"
        tried = itertools.chain([plain], (f"{plain}_{number}" for number in itertools.count(2)))
        marks["grade_id"] = next(name for name in tried if name not in taken)
        taken.add(marks["grade_id"])
        changed.append(f"{id!r} is {marks['grade_id']}")
    if changed:
        yield f"a grade_id may only have letters, digits, _ and -, so {', '.join(changed)} now"


def _with_hidden_names(notebook: nbformat.NotebookNode) -> Iterator[str]:
    cells = cells_of(notebook)
    kept = []
    for found in hidden_names.lacking(cells):
        if found.cell.role == "check" and found.code:
            kept.append(found.said)
            notebook.cells[found.place].source = hidden_names.with_names(found.cell, found.code)
    if kept:
        yield (
            "students' notebooks contain no hidden tests, and each test is graded alone; "
            "so these tests begin with a hidden copy of the names they use from hidden "
            f"tests above: {', '.join(kept)}"
        )
    if lost := hidden_names.remark(cells_of(notebook)):
        yield lost
    for name, (user, solution) in hidden_names.untold(cells).items():
        yield (
            f"{user} uses `{name}`, which only the solution of {solution} binds; bind it "
            "where students see it, or tell them to"
        )


def _with_header(path: Path, notebook: nbformat.NotebookNode) -> tuple[str, ...]:
    """Put nbgrader's header and footer around a notebook, as students received it; return a note."""
    folder = path.resolve().parent.parent
    parts = {name: folder / f"{name}.ipynb" for name in ("header", "footer")}
    cells = {n: foreign.read(p)[0].cells if p.is_file() else [] for n, p in parts.items()}
    notebook.cells = [*cells["header"], *notebook.cells, *cells["footer"]]
    return tuple(
        f"the cells of {parts[name].name}, from the folder above, are part of {path.name} now"
        for name, found in cells.items()
        if found
    )


def _split(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Split a task cell into its text and a written answer; return other cells unchanged."""
    marks = cell.metadata.get("nbgrader", {})
    if not marks.get("task"):
        return [cell]
    scheme, text = markers.parted(cell.source, answer=False)
    answer = v4.new_markdown_cell(scheme.strip() or "The marking criteria are not written down.")
    pictures = cell.get("attachments", {})
    if own := {name: pictures[name] for name in pictures if not markers.shows(text, name)}:
        answer.attachments = own
    answer.metadata["nbgrader"] = markers.metadata(
        marks.get("grade_id"), grade=True, solution=True, points=marks.get("points")
    )
    answer.pop("id", None)
    cell.source = text.rstrip()
    del cell.metadata["nbgrader"]
    return [cell, answer]


def _complain(path: Path, notebook: nbformat.NotebookNode) -> None:
    """Raise UserError for the first cell that cannot be graded, with the change to make."""
    taken: set[str] = set()
    graded = 0
    for number, cell in enumerate(notebook.cells, start=1):
        marks = cell.metadata.get("nbgrader", {})
        id, points = marks.get("grade_id"), marks.get("points")
        where = f"{path}: cell {number} ({id})" if id else f"{path}: cell {number}"
        test = marks.get("grade") and not marks.get("solution")
        if _AUTOTEST.search(cell.source):
            raise UserError(
                f"{where} has an `### AUTOTEST`, which nbgrader fills in; write out its asserts"
            )
        if "BEGIN HIDDEN TESTS" in cell.source and not test:
            raise UserError(
                f"{where} has hidden tests but is not a test; make it an autograder test"
            )
        if not any(marks.get(kind) for kind in ("grade", "solution", "locked")):
            continue
        if not isinstance(id, str) or not id or id in taken:
            what = "there a second time" if id else "without a grade_id"
            raise UserError(f"{where} is {what}; give it a grade_id of its own in nbgrader")
        taken.add(id)
        graded += bool(marks.get("grade"))
        fits = isinstance(points, int | float) and 0 <= points < 1e6
        if marks.get("grade") and not fits:
            raise UserError(f"{where} has the points {points!r}; give it a number in nbgrader")
        if test and cell.cell_type != "code":
            raise UserError(f"{where} is a test but not code; make it a manually graded answer")
    if not graded:
        raise UserError(
            f"{path}: no cell is graded; give it tests and points in nbgrader (View > Right Sidebar "
            "> Show Notebook Tools > Create Assignment), or begin with `autograder new homework`"
        )


def _written(root: Path, found: _Found) -> Iterator[str]:
    name, path, notebook, *_ = found
    folder = root / "source" / name
    cells = cells_of(notebook)
    (folder / "staff").mkdir(parents=True)
    _write_notebook(folder / f"{name}.ipynb", notebook)
    staff_files.write_rubrics(folder / "staff" / "rubrics", cells)
    if drafted := draft.draft(cells):
        (folder / "staff" / draft.FILE).write_text(drafted, encoding="utf-8")
    for given in release.GIVEN_FOLDERS:
        if (path.parent / given).is_dir():
            skipped = shutil.ignore_patterns(*release.CACHES)
            shutil.copytree(path.parent / given, folder / given, ignore=skipped)
    gives = _gives(root, name)
    spec = staff_files.spec(name, found.title, path, cells, gives)
    (folder / "staff" / "spec.py").write_text(spec, encoding="utf-8")
    try:
        made = release_gate.released(root, name)
    except release_gate.GivesAway as error:
        raise UserError(
            f"{path}: students would get secrets; take them out: {'; '.join(error.leaks)}"
        ) from error
    yield from _notes(path, cells)
    if gives:
        yield (
            "students see some text that a solution or a hidden test also contains, as "
            f"they did before; `allowed_leaks` in source/{name}/staff/spec.py lists it: "
            f"{'; '.join(gives.values())}"
        )
    if made.lost:
        yield f"the instructor's own notebook {made.lost}; see `autograder check {name}`"
    if drafted:
        yield f"source/{name}/staff/{draft.FILE} is a draft of stronger checks"
    if left := draft.left_out(cells, drafted):
        yield (
            f"no stronger check could be drafted for {', '.join(left)}: write it in "
            "spec.py; a draft needs a test in which each line compares a call of one "
            "function with a value, as `assert f(2) == 4`"
        )


def _gives(root: Path, name: str) -> dict[str, str]:
    """Return the cells that show text from a solution, with the text.

    It is no leak, since the author wrote both.
    """
    files = release.release_files(root, name)
    cells = {cell.id: cell for cell in cells_of(json.loads(files[Path(f"{name}.ipynb")]))}
    found: dict[str, str] = {}
    for leak in Secrets.of(root, Homework("", (), name=name)).leaks_in_files(files):
        place = _SOURCE_OF.search(leak.place)
        if place and not markers.MARKER.search(cells[place[1]].source):
            found.setdefault(cells[place[1]].source, f"cell {place[1]!r} has {leak.what}")
    return found


def _solved(root: Path, name: str) -> Iterator[str]:
    path = root / "source" / name / f"{name}.ipynb"
    notebook = release.read(path)
    given = {cell.id for cell in cells_of(notebook) if cell.role == "provided"}
    tagged = {c.id for c in notebook.cells if release.RAISES in c.metadata.get("tags", ())}
    try:
        solution = release.read(release.write_solution(root, name, given))
    except Exception as error:  # the notebook's code may raise anything
        said = codec.one_line(_COLOURS.sub("", str(error)).strip().split("\n")[-1])
        yield (
            f"solutions/{name} was not written, because the notebook does not run here "
            f"({said[:300]}); fix it and run `autograder release {name} --execute`"
        )
        return
    raised = {
        cell.id: str(output.get("ename"))
        for cell in solution.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error" and cell.id not in tagged
    }
    if not raised:
        return
    for cell in (cell for cell in notebook.cells if cell.id in raised):
        cell.metadata["tags"] = [*cell.metadata.get("tags", ()), release.RAISES]
    _write_notebook(path, notebook)
    release_gate.released(root, name)
    said = ", ".join(f"{id!r} ({error})" for id, error in raised.items())
    yield (
        f"given cells that raise now have the tag `{release.RAISES}`: {said}; fix those "
        "that do not fail on purpose"
    )


def _write_notebook(path: Path, notebook: nbformat.NotebookNode) -> None:
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


def _title(path: Path, cells: Sequence[Cell]) -> str:
    texts = "\n\n".join(cell.source for cell in cells if cell.type == "markdown")
    heading = _HEADING.search(texts)
    name = f"{path.resolve().parent.name}: {path.stem}".replace("_", " ")
    return re.sub(r"[*_`$]", "", heading[1])[:100] if heading else name


def _notes(path: Path, cells: Sequence[Cell]) -> Iterator[str]:
    known = {*release.GIVEN_FOLDERS, *release.CACHES}
    beside = [one for one in sorted(path.parent.iterdir()) if one.name not in known]
    if names := ", ".join(one.name for one in beside if one.suffix != ".ipynb"):
        yield (
            f"{names} beside {path.name} was not copied; put the files that {path.name} "
            "needs into data/ or figures/ beside it, with this folder in its links and "
            "code"
        )
    modules = {module.split(".")[0] for module in staff_files.imported(cells)} - set(
        sys.stdlib_module_names
    )
    own = {one.stem for one in beside if one.suffix == ".py" or one.is_dir()}
    if mine := ", ".join(sorted(modules & own)):
        yield (
            f"{path.name} imports {mine}, a file beside it that does not go to students: "
            "put its definitions into a provided cell"
        )
    if absent := ", ".join(one for one in sorted(modules - own) if not staff_files.is_there(one)):
        yield (
            f"it imports {absent}, which is not installed here; name it in `packages` of "
            "course.toml, or remove the import from the notebook"
        )
