"""A homework's folder -> `Homework`. Every complaint names the file and the field.

source/<name>/<name>.ipynb points and grade_ids source/<name>/staff/spec.py HOMEWORK = Homework(...)
source/<name>/staff/adapters.py sent into the sandbox release/<name>/<name>.ipynb the students'
notebook
"""

import ast
import base64
import builtins
import contextlib
import difflib
import hashlib
import importlib.util
import inspect
import re
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from autograder import kit
from autograder.course import solutions, spec_complaints
from autograder.course.cells import cells_of, imported_names, written_names
from autograder.kit.nbgrader_test import Asserted
from autograder.kit.parts import Parts, worded
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework
from autograder.records.marks import NamedGroup, added_titles, rounded
from autograder.records.questions import Ask, Check, Question, the_solution

DATA = "data"
"""The folder beside a notebook whose files it may read, for students and in grading."""
MAX_DATA = 20_000_000
NAMED = "named.toml"
"""The file of staff/ with the groups of wrong answers that people named."""
_HEADING = re.compile(r"^# +(.+?)[ #]*$", re.MULTILINE)


class HomeworkError(UserError):
    """An error in a homework's folder; the message names file and field."""


def names(course: Path) -> list[str]:
    """Return the names of all homeworks of a course, sorted."""
    return sorted(path.parent.name for path in (course / "source").glob("*/staff") if path.is_dir())


def warm(course: Path, name: str) -> tuple[str, ...]:
    """Return the modules that a homework's spec.py lists as `warm`, without running it; () if none."""
    path = course / "source" / name / "staff" / "spec.py"
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.keyword) and node.arg == "warm":
                return tuple(ast.literal_eval(node.value))
    return ()


def load(course: Path, name: str) -> Homework:
    """Read one homework."""
    folder = course / "source" / name
    if folder.is_dir() and not (folder / "staff" / "spec.py").is_file():
        raise HomeworkError(f"source/{name}/staff/spec.py is missing: it names the questions")
    if not folder.is_dir():
        known = ", ".join(names(course)) or "none"
        raise HomeworkError(f"there is no homework {name!r} in this course (it has: {known})")
    if not name.isidentifier():
        raise HomeworkError(f"source/{name}: a homework's folder name must be a Python identifier")
    _of_spec(course, name)  # so that its errors are raised before the notebook's
    if (folder / f"{name}.py").is_file() and not (folder / f"{name}.ipynb").is_file():
        raise HomeworkError(
            f"source/{name}/{name}.py has not been released; run `autograder release {name}`"
        )
    written = read_cells(folder / f"{name}.ipynb")
    source = written_in(course, name)
    homework = described(course, name, written)
    adapters = _adapters(folder / "staff" / "adapters.py", homework.questions)
    release = course / "release" / name / f"{name}.ipynb"
    questions = _with_points(name, source, homework.questions, written)
    _refuse(spec_complaints.of_objects(name, source, questions, written))
    _refuse(spec_complaints.of_rubrics(folder / "staff", questions))
    data = _data(release.parent)
    return replace(
        homework,
        name=name,
        questions=questions,
        adapters=adapters,
        cells=read_cells(release) if release.is_file() else (),
        data=data,
        named=tuple(named(course, name, questions)),
        facts_digest=_digest(
            [_asked(homework), data], release, *_running(homework, folder / "staff")
        ),
        marks_digest=_digest(_marked(questions, written), *_deciding(folder / "staff")),
    )


def described(course: Path, name: str, cells: Sequence[Cell]) -> Homework:
    """Return the homework described by spec.py and, for anything missing there, by the notebook.

    The title is the first heading; a written answer needs no question; an object has its question's
    name, and so has the solution that serves as reference for a check without one.
    """
    homework = _of_spec(course, name)
    _refuse(spec_complaints.of_cells(written_in(course, name), cells))
    known = {question.id for question in homework.questions}
    ids = [cell.grade_id for cell in cells if cell.points is not None]
    by_hand = [
        cell.grade_id for cell in cells if cell.role == "written" and cell.points is not None
    ]
    more = [Question(id) for id in by_hand if id and id not in known]
    questions = [*homework.questions, *more]
    if more:
        questions.sort(key=lambda question: ids.index(question.id) if question.id in ids else -1)
    where = f"source/{name}/staff/spec.py: question"
    adapters = _functions(course / "source" / name / "staff" / "adapters.py")
    headings = [_HEADING.search(cell.source) for cell in cells if cell.type == "markdown"]
    heading = next((found[1] for found in headings if found), name)
    return replace(
        homework,
        title=homework.title or heading,
        questions=tuple(
            _completed(f"{where} {one.id!r}", one, cells, course / "source" / name, adapters)
            for one in questions
        ),
    )


def _of_spec(course: Path, name: str) -> Homework:
    where = f"source/{name}/staff/spec.py"
    spec = vars(staff_module(course, name, "spec"))
    homework = spec.get("HOMEWORK")
    if not isinstance(homework, Homework):
        lists = (value if isinstance(value, list | tuple) else [value] for value in spec.values())
        listed = {id(one): one for some in lists for one in some if isinstance(one, Question)}
        if other := next((n for n, one in spec.items() if isinstance(one, Homework)), ""):
            raise HomeworkError(f"{where}: the homework is called {other}; call it HOMEWORK")
        if not listed:
            raise HomeworkError(
                f"{where} lists no question; write questions = [Question(...), ...]"
            )
        homework = Homework(questions=tuple(listed.values()))
    _refuse(spec_complaints.of_spec(where, homework))
    return homework


def _refuse(found: Iterable[str]) -> None:
    for complaint in found:
        raise HomeworkError(complaint)


def written_in(course: Path, name: str) -> str:
    """Return the file in which an author writes a homework's cells: its text, or its notebook."""
    text = course / "source" / name / f"{name}.py"
    return f"source/{name}/{name}.{'py' if text.is_file() else 'ipynb'}"


KIT_ADAPTERS = "autograder.kit.notebook.steps"
"""The module with the kit's own adapters for its checks."""


def _functions(adapters: Path) -> frozenset[str]:
    """Return the functions that an adapters.py defines; none if it is unreadable."""
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        tree = ast.parse(adapters.read_bytes())
        return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return frozenset()


def _completed(
    where: str, question: Question, cells: Sequence[Cell], folder: Path, adapters: frozenset[str]
) -> Question:
    """Return a question with defaults for anything that spec.py leaves out.

    The object and its adapter have the question's name; a test cell has the question's id; the
    reference is the solution.
    """
    if question.check is None:
        return question
    ask = question.ask or Ask()
    if question.asserted:
        own = [cell for cell in cells if cell.role == "check" and cell.grade_id == question.id]
        return replace(question, ask=replace(ask, asserts="".join(cell.source for cell in own)))
    kits = question.check.adapter if isinstance(question.check, Check) else ""
    ask = replace(
        ask,
        adapter=ask.adapter or question.id * (question.id in adapters) or kits,
        objects=ask.objects or (question.id,),
    )

    def with_reference(check: Check) -> Check:
        return _with_reference(where, check, ask, cells, folder)

    used = question.check
    if isinstance(used, Parts):
        used = used.with_checks(with_reference)
    elif isinstance(used, Check):
        used = with_reference(used)
    return replace(question, ask=ask, check=used)


def _with_reference(
    where: str, check: Check, ask: Ask, cells: Sequence[Cell], folder: Path
) -> Check:
    if getattr(check, "reference", None) is not the_solution:
        return check
    of_kit, names = ask.adapter == check.adapter != "", "` or `".join(ask.objects)
    adapter = None if of_kit else adapter_of(folder, ask)
    if (
        ask.adapter and not of_kit and adapter is None
    ):  # which is reported once all questions are read
        return check
    try:
        found = solutions.function(ask.objects, cells, check.reads, adapter=adapter, folder=folder)
    except Exception as error:  # the author's code may raise anything
        raise HomeworkError(
            f"{where}: its reference is the solution `{ask.objects[-1]}`, whose code "
            f"raises {type(error).__name__}: {error}"
        ) from error
    if found is None or isinstance(found, type) != of_kit:
        raise HomeworkError(
            f"{where}: {type(check).__name__} has no reference, and no cell defines a "
            f"function `{names}` to serve as one"
        )
    return replace(check, reference=found)  # type: ignore[type-var]


def adapter_of(folder: Path, ask: Ask) -> Callable[..., Any] | None:
    """Return the adapter of a question from a homework's folder, or None."""
    if not ask.adapter or not (folder / "staff" / "adapters.py").is_file():
        return None
    adapters = staff_module(folder.parents[1], folder.name, "adapters")
    return getattr(adapters, ask.adapter, None)


def _adapters(path: Path, questions: Sequence[Question]) -> str:
    where = f"source/{path.parents[1].name}/staff"
    kits = {one.check.adapter for one in questions if isinstance(one.check, Check)} - {""}
    imported = "".join(f"from {KIT_ADAPTERS} import {name}\n" for name in sorted(kits))
    asked = {one.ask.adapter for one in questions if one.ask} - {"", *kits}
    if not path.exists() and not asked:
        return imported
    text, tree = _parsed(path, where)
    defined = {getattr(node, "name", "") for node in tree.body}
    for question in questions:
        if question.ask and question.ask.adapter not in {"", *kits, *defined}:
            raise HomeworkError(
                f"{where}/spec.py: question {question.id!r} names the adapter "
                f"{question.ask.adapter!r}, but adapters.py does not define it"
            )
    return _with_shared(text, tree, path.with_name("shared.py"), where) + imported


def _parsed(path: Path, where: str) -> tuple[str, ast.Module]:
    text = _text(path, where)
    try:
        return text, ast.parse(text, f"{where}/{path.name}")
    except SyntaxError as error:
        raise HomeworkError(f"{where}/{path.name}: line {error.lineno}: {error.msg}") from error


def _text(path: Path, where: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise HomeworkError(f"{where}/{path.name} cannot be read ({error.strerror})") from error
    except UnicodeError as error:
        raise HomeworkError(f"{where}/{path.name} is not UTF-8; save it as UTF-8") from error


def _with_shared(adapters: str, tree: ast.Module, shared: Path, where: str) -> str:
    """Return the adapters' text with shared.py inlined: the sandbox has no staff/.

    Each `from .shared import ...` is replaced by code that executes shared.py. It takes as many
    lines, so that errors have the right line of adapters.py.
    """
    lines = adapters.splitlines()
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        line = f"{where}/adapters.py: line {node.lineno}"
        if (node.level, node.module) != (1, "shared"):
            raise HomeworkError(
                f"{line}: of staff/, only shared.py goes into the sandbox with the "
                "adapters; write `from .shared import ...`"
            )
        text, own = _parsed(shared, where)
        if any(isinstance(one, ast.ImportFrom) and one.level for one in ast.walk(own)):
            raise HomeworkError(
                f"{where}/shared.py: it goes into the sandbox without the rest of staff/, so it must not import from there"
            )
        defined = {getattr(one, "name", "") for one in own.body} | _assigned(own)
        for name in node.names:
            if name.asname:
                raise HomeworkError(
                    f"{line}: {name.name!r} keeps its name; import it without `as {name.asname}`"
                )
            if name.name not in defined:
                raise HomeworkError(f"{line}: shared.py defines no {name.name!r}")
        last = node.end_lineno or node.lineno
        ran = f"exec(compile({text!r}, 'staff/shared.py', 'exec'), globals())"
        lines[node.lineno - 1 : last] = [ran, *[""] * (last - node.lineno)]
    return "\n".join(lines) + "\n" if adapters else ""


def _assigned(module: ast.Module) -> set[str]:
    constants = (one for one in module.body if isinstance(one, ast.Assign | ast.AnnAssign))
    nodes = (node for one in constants for node in ast.walk(one) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def named(course: Path, name: str, questions: Sequence[Question]) -> list[NamedGroup]:
    """Read the groups of wrong answers that people named: staff/named.toml."""
    path = course / "source" / name / "staff" / NAMED
    where = f"source/{name}/staff/{NAMED}"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}
        found = [
            msgspec.convert(
                {**table, "name": key} if isinstance(table, dict) else table, NamedGroup
            )
            for key, table in tables.items()
        ]
    except (OSError, UnicodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise HomeworkError(f"{where}: {error}; fix it, or remove the table") from error
    known = {question.id for question in questions}
    for one in found:
        if one.question not in known:
            raise HomeworkError(
                f"{where}: [{one.name}] is about {one.question!r}, which is not a "
                f"question (choose from {', '.join(sorted(known))})"
            )
        if not one.sentence.strip():
            raise HomeworkError(f"{where}: [{one.name}] has no sentence; describe the mistake")
    return found


def _data(release: Path) -> dict[str, str]:
    """Return the files of a release's data/ in base64: each submission gets its own copy."""
    paths = [path for path in sorted((release / DATA).rglob("*")) if path.is_file()]
    if sum(path.stat().st_size for path in paths) > MAX_DATA:
        raise HomeworkError(
            f"release/{release.name}/{DATA} has more than {MAX_DATA / 1e6:g} MB, which "
            "every submission would receive; let the notebook generate data where "
            "possible"
        )
    return {
        path.relative_to(release).as_posix(): base64.b64encode(path.read_bytes()).decode()
        for path in paths
    }


def _asked(homework: Homework) -> object:
    """Return the parts of spec.py that affect a submission's run; inputs have digests of their own."""
    asks = [
        (question.id, question.ask, question.trains, question.check and question.check.reads)
        for question in homework.questions
    ]
    return msgspec.to_builtins(
        (asks, homework.log_fields, homework.limits, homework.warm, homework.mend)
    )


def _marked(questions: Sequence[Question], written: Sequence[Cell]) -> object:
    """Return what affects marks besides staff's files, such as the code that mistakes change."""
    worth = [(question.id, question.points, question.extra) for question in questions]
    return [worth, [cell.source for cell in written if cell.type == "code"]]


def _running(homework: Homework, staff: Path) -> list[Path]:
    """Return the files that affect the run; all of them may if the homework reads logs."""
    reads_logs = homework.read_log is not Homework.read_log
    return _modules(staff) if reads_logs else [staff / "adapters.py", staff / "shared.py"]


def _modules(staff: Path) -> list[Path]:
    """Return the modules of staff/ that can change one of the machine's marks."""
    others = {"lab", *added_titles()}
    return [path for path in sorted(staff.glob("*.py")) if path.stem not in others]


def _deciding(staff: Path) -> list[Path]:
    """Return the files that can change a mark or its message; lab measurements cannot."""
    mistakes = [staff / NAMED, staff / "mistakes.toml", *sorted((staff / "wrong").glob("*.py"))]
    return [*_modules(staff), *(path for path in mistakes if path.is_file())]


def _with_points(
    name: str, where: str, questions: Sequence[Question], cells: Sequence[Cell]
) -> tuple[Question, ...]:
    graded = {cell.grade_id: cell for cell in cells if cell.points is not None}
    unknown = graded.keys() - {question.id for question in questions}
    if unknown:
        raise HomeworkError(
            f"{where}: graded cell {min(map(str, unknown))!r} has no question in staff/spec.py "
            f"(it has: {', '.join(question.id for question in questions)})"
        )
    result: list[Question] = []
    for question in questions:
        cell = graded.get(question.id)
        if cell is None or cell.points is None:
            own = [one.id for one in cells if one.grade_id == question.id]
            mend = (
                f"in the metadata of cell {own[0]!r}, set grade to true and points to a "
                "number that is at least 0"
                if own
                else f"give its test or its written answer the grade_id {question.id!r}"
            )
            raise HomeworkError(
                f"{where}: question {question.id!r} has no graded cell with points; {mend}"
            )
        if question.by_hand != (cell.role == "written"):
            raise HomeworkError(
                f"{where}: question {question.id!r} is marked by "
                + (
                    "hand, so its cell must be a manually graded answer; or give it a "
                    "check in staff/spec.py"
                    if question.by_hand
                    else "a check, so its cell must be an autograder test"
                )
            )
        spec = f"source/{name}/staff/spec.py: question {question.id!r}: "
        _refuse(spec_complaints.of_check_arguments(spec, question))
        if isinstance(question.check, Parts) and rounded(question.check.points) != cell.points:
            raise HomeworkError(
                f"{spec}its parts have {worded(rounded(question.check.points))} "
                f"together, but its cell in {where} has {cell.points:g}; make them equal"
            )
        if question.points not in (0, cell.points):
            raise HomeworkError(
                f"source/{name}/staff/spec.py: question {question.id!r} has "
                f"points={question.points:g}, but its cell in {where} has "
                f"{cell.points:g}; remove `points`, because the cell's points are the ones that count"
            )
        for needed in (*question.needs, *question.if_right):
            if needed not in [earlier.id for earlier in result]:
                raise HomeworkError(
                    f"source/{name}/staff/spec.py: question {question.id!r} names {needed!r}, "
                    "which is not an earlier question "
                    f"(these are {', '.join(earlier.id for earlier in result) or 'none'})"
                )
        if isinstance(question.check, Asserted):
            question = replace(question, check=replace(question.check, points=cell.points))
        result.append(replace(question, points=cell.points))
    return tuple(result)


def staff_module(course: Path, name: str, module: str) -> ModuleType:
    """Import staff/<module>.py of a homework; it may import its neighbours relatively."""
    staff = course / "source" / name / "staff"
    package = f"staff_of_{name}_{hashlib.sha256(str(staff).encode()).hexdigest()[:8]}"
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(staff)]
        sys.modules[package] = parent
    full_name = f"{package}.{module}"
    if full_name in sys.modules:
        return sys.modules[full_name]
    location = importlib.util.spec_from_file_location(full_name, staff / f"{module}.py")
    if location is None or location.loader is None:
        raise HomeworkError(f"source/{name}/staff/{module}.py cannot be read")
    loaded = importlib.util.module_from_spec(location)
    sys.modules[full_name] = loaded
    try:
        location.loader.exec_module(loaded)
    except Exception as error:
        del sys.modules[full_name]
        raise HomeworkError(_raised(error, staff, f"{module}.py")) from error
    return loaded


def _raised(error: Exception, staff: Path, file: str) -> str:
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
        said = error.msg
    elif isinstance(error, UserError):
        said = str(error)
    where = f"source/{staff.parent.name}/staff/"
    for place, line in reversed(places):
        if Path(place).is_relative_to(staff):
            file = f"{Path(place).relative_to(staff).as_posix()}: line {line}"
            break
    # The names of modules and paths that an author knows.
    said = re.sub(r"staff_of_\w+_[0-9a-f]{8}\.?", "", said)
    said = re.sub(r" [(](/.*|unknown location)[)]$", "", said)
    return f"{where}{file}: {said}{_meant(error)}"


def _meant(error: Exception) -> str:
    """Return, after a semicolon, the name that an author probably meant."""
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    word, words = str(getattr(error, "name", "")), list[str]()
    if isinstance(error, AttributeError):
        words = dir(error.obj)
    elif isinstance(error, NameError) and tb is not None:
        words = [*tb.tb_frame.f_locals, *tb.tb_frame.f_globals, *dir(builtins)]
    elif isinstance(error, ImportError) and (
        found := re.search(r"import name '(\w+)'", str(error))
    ):
        word, words = found[1], dir(sys.modules.get(word))
    elif found := re.search(
        r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword .*'(\w+)'", str(error)
    ):
        called = getattr(kit, found[1], None)
        word, words = found[2], [*inspect.signature(called).parameters] if called else []
    near = difflib.get_close_matches(word, words, 1)
    there = f"; there are {', '.join(words)}" * (isinstance(error, TypeError) and bool(words))
    return f"; did you mean {near[0]}?" if near else there


def read_cells(path: Path) -> tuple[Cell, ...]:
    """Read one of our own notebooks; raise HomeworkError if it is not one."""
    where = "/".join(path.parts[-3:])
    try:
        notebook = codec.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise HomeworkError(f"{where} is missing") from error
    except (OSError, UserError) as error:
        raise HomeworkError(f"{where}: not a notebook ({error})") from error
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4:
        raise HomeworkError(f"{where}: not a notebook of format 4")
    return cells_of(notebook)


def imported(course: Path, name: str) -> dict[str, str]:
    """Return the modules that a notebook and staff/ import, with the first file that does.

    Those that a cell writes are left out.
    """
    folder = course / "source" / name
    cells = read_cells(folder / f"{name}.ipynb")
    texts = [(written_in(course, name), cell.source) for cell in cells if cell.type == "code"]
    for path in sorted((folder / "staff").glob("*.py")):
        texts.append((path.relative_to(course).as_posix(), _text(path, f"source/{name}/staff")))
    found: dict[str, str] = {}
    for where, text in texts:
        for module in imported_names(text):
            found.setdefault(module.partition(".")[0], where)
    own = {module for cell in cells for module in written_names(cell.source)}
    return {module: where for module, where in found.items() if module not in own}


def _digest(values: object, *paths: Path) -> str:
    total = hashlib.sha256(codec.dumps(values).encode())
    for path in paths:
        if path.is_file():
            total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()
