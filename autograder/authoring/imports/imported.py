"""A notebook in nbgrader's source form, or otter's -> a homework that grades at once."""

import itertools
import json
import keyword
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import v4

from autograder.authoring import both_forms, hidden_names, markers, release, text_source
from autograder.authoring.contract import release_gate
from autograder.authoring.imports import draft, foreign, otter, otter_tests, staff_files
from autograder.authoring.leaks.search import Secrets
from autograder.authoring.new import undone
from autograder.course.cells import cells_of, written_names
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework

_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_AUTOTEST = re.compile(r"^[ \t]*### (?:HASHED )?AUTOTEST", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # of a traceback that IPython printed
_SOURCE_OF = re.compile(r"cell '([^']+)', source$")  # of a leak
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Imported(NamedTuple):
    """An imported homework, and notes for its author: a sentence each."""

    name: str
    notes: tuple[str, ...]


class Left(NamedTuple):
    """A notebook that was not imported: why, and whether its author has to change something."""

    said: str
    is_fault: bool


class _NotGradedError(UserError):
    """No cell of a notebook is graded."""


class _Found(NamedTuple):
    name: str
    path: Path
    notebook: nbformat.NotebookNode
    title: str
    notes: Sequence[str]
    places: Mapping[str, str]
    """Cells' ids -> where the author finds them: "cell 3"."""


def import_notebooks(
    root: Path, places: Sequence[Path], name: str = ""
) -> Iterator[Imported | Left]:
    """Write a homework and its release for each notebook, but for those that cannot be imported.

    Raises:
        UserError: the only notebook, or each of those in folders, cannot be imported.

    """
    paths = dict(_paths(places))
    if name and len(paths) > 1:
        raise UserError(f"--name names one homework, but these are {len(paths)} notebooks")
    taken: dict[str, Path] = {}
    ungraded: list[_NotGradedError] = []
    for path, in_folder in paths.items():
        try:
            one: Imported | Left = _imported(root, path, name, taken)
        except UserError as error:
            if len(paths) == 1:
                raise
            if in_folder and isinstance(error, _NotGradedError):
                ungraded.append(error)
                one = Left(f"{path} has no graded cell, so it is not a homework", is_fault=False)
            else:
                one = Left(str(error), is_fault=True)
        yield one
    if len(ungraded) == len(paths):
        raise ungraded[0]


def _imported(root: Path, path: Path, wanted: str, taken: dict[str, Path]) -> Imported:
    name = _name(path, wanted)
    if name in taken:
        raise UserError(f"{path}: {taken[name]} is called {name}, too; import it with --name")
    if (root / "source" / name).exists():
        raise UserError(f"source/{name} already exists; choose a different name with --name")
    found = _read(path, name)
    taken[name] = path
    try:
        with undone(root / "source" / name, root / "release" / name):
            notes = [*found.notes, *_written(root, found)]
    except UserError as error:
        raise UserError(_in_their_words(str(error), found)) from error
    return Imported(name, (*notes, *_solved(root, name)))


def _in_their_words(said: str, found: _Found) -> str:
    """Return a message on our copy, which is removed, with the author's file and cells."""

    def place(cell: re.Match[str]) -> str:
        return f"{found.places[cell[1]]} ({cell[1]})" if cell[1] in found.places else cell[0]

    said = said.replace(f"source/{found.name}/{found.name}.ipynb", str(found.path))
    return re.sub(r"cell '([^']+)'", place, said)


def _paths(places: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Yield notebooks, and whether each was found in a given folder."""
    for place in places:
        inside = sorted(place.glob("*.ipynb")) if place.is_dir() else [place]
        if not inside:
            raise UserError(f"{place} has no notebook (*.ipynb)")
        for path in inside:
            if not path.exists():
                raise UserError(f"there is no {path}; compare the path with your files")
            if not path.is_file() or path.suffix != ".ipynb":
                raise UserError(f"{path} is not a notebook; give files that end in .ipynb")
            yield path, path != place


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


def _read(path: Path, name: str) -> _Found:
    notebook, notes = foreign.read(path)
    language = foreign.language(notebook)
    if language.lower() != "python":
        raise UserError(f"{path}: its language is {language!r}; only Python is graded")
    if not otter.is_otter(notebook) and (place := otter.old_form(notebook)):
        raise UserError(
            f"{path}: {place} is in the form of otter 0 to 3; write questions as otter 5 does, "
            "with `# BEGIN QUESTION` in a raw cell"
        )
    title = _title(path, cells_of(notebook))
    converted = otter.as_nbgrader(path, notebook) if otter.is_otter(notebook) else ()
    said = [*notes, *converted, *_with_header(path, notebook)]
    notebook.metadata = nbformat.from_dict(text_source.METADATA)
    notebook.cells = [new for cell in notebook.cells for new in _split(cell)]
    said += _with_plain_ids(notebook)
    taken: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        id = cell.pop("id", "")
        if isinstance(id, str) and _ID.fullmatch(id) and id not in taken:
            cell["id"] = id
            taken.add(id)
    _complain(path, notebook)
    said += _with_cents(notebook)
    cells_places = [cell.pop(foreign.PLACE) for cell in notebook.cells]
    release.with_ids(notebook)
    places = {cell.id: at for cell, at in zip(notebook.cells, cells_places, strict=True)}
    said += _with_hidden_names(notebook)
    return _Found(name, path, notebook, title, said, places)


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


def _with_cents(notebook: nbformat.NotebookNode) -> Iterator[str]:
    marked = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    graded = [marks for marks in marked if marks.get("grade")]
    changed = []
    cents = otter_tests.in_cents(marks["points"] for marks in graded)
    for marks, points in zip(graded, cents, strict=True):
        if marks["points"] != points:
            changed.append(f"{marks['grade_id']} from {marks['points']} to {points:g}")
            marks["points"] = points
    if changed:
        yield f"marks have at most two decimals, so these points changed: {', '.join(changed)}"


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
    for part in parts:
        for cell in cells[part]:
            cell[foreign.PLACE] += f" of {part}.ipynb"
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
    answer[foreign.PLACE] = cell[foreign.PLACE]
    cell.source = text.rstrip()
    del cell.metadata["nbgrader"]
    return [cell, answer]


def _complain(path: Path, notebook: nbformat.NotebookNode) -> None:
    """Raise UserError for the first cell that cannot be graded, with the change to make."""
    taken: set[str] = set()
    graded = 0
    own_markers = foreign.own_markers(path)
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        id, points = marks.get("grade_id"), marks.get("points")
        where = f"{path}: {cell[foreign.PLACE]}" + f" ({id})" * bool(id)
        test = bool(marks.get("grade") and not marks.get("solution"))
        _complain_of_marks(where, cell.source, own_markers, test=test)
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
        raise _NotGradedError(
            f"{path}: no cell is graded; give it tests and points in nbgrader (View > Right Sidebar "
            "> Show Notebook Tools > Create Assignment), or begin with `autograder new homework`"
        )


def _complain_of_marks(where: str, source: str, own: Mapping[str, str], *, test: bool) -> None:
    if _AUTOTEST.search(source):
        raise UserError(
            f"{where} has an `### AUTOTEST`, which nbgrader fills in; write out its asserts"
        )
    if "BEGIN HIDDEN TESTS" in source and not test:
        raise UserError(f"{where} has hidden tests but is not a test; make it an autograder test")
    for marker, said in own.items():
        if marker in source:
            raise UserError(f"{where} has `{marker}`, {said}")


def _written(root: Path, found: _Found) -> Iterator[str]:
    name, path, notebook = found.name, found.path, found.notebook
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
            shutil.copytree(
                path.parent / given, folder / given, ignore=skipped, ignore_dangling_symlinks=True
            )
            if lost := release.dangling(path.parent / given):
                yield (
                    f"links in {path.parent / given} to files that are missing were left out: "
                    f"{', '.join(map(str, lost))}"
                )
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
    tagged = {c.id for c in notebook.cells if text_source.RAISES in c.metadata.get("tags", ())}
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
        cell.metadata["tags"] = [*cell.metadata.get("tags", ()), text_source.RAISES]
    _write_notebook(path, notebook)
    release_gate.released(root, name)
    said = ", ".join(f"{id!r} ({error})" for id, error in raised.items())
    yield (
        f"given cells that raise now have the tag `{text_source.RAISES}`: {said}; fix those "
        "that do not fail on purpose"
    )


def _write_notebook(path: Path, notebook: nbformat.NotebookNode) -> None:
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    both_forms.write(path, text.encode())


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
    modules -= {name for cell in cells for name in written_names(cell.source)}
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
