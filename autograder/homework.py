"""A homework's folder -> `Homework`. Every complaint names the file and the field.

source/<name>/<name>.ipynb      points and grade_ids
source/<name>/staff/spec.py     HOMEWORK = Homework(...)
source/<name>/staff/adapters.py sent into the sandbox
release/<name>/<name>.ipynb     what students were given
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder import codec
from autograder.model import Cell, Check, Homework, Question, UserError

# A parser of hostile text takes memory and time: nobody's answer is that long.
MAX_PARSED = 20_000
# A magic, a command, a question before or behind a name, or what a command printed.
_MAGIC = re.compile(
    r"^([ \t]*)(?:[%!].*|\?\??[\w.]+|[\w.%]+\?\??|\w[\w ,]* = ?[!%].*)[ \t]*$", re.MULTILINE
)


class HomeworkError(UserError):
    """A homework's folder breaks a rule; the message names file and field."""


def names(course: Path) -> list[str]:
    """Return the names of all homeworks of a course, sorted."""
    return sorted(path.parent.name for path in (course / "source").glob("*/staff") if path.is_dir())


def load(course: Path, name: str) -> Homework:
    """Read one homework.

    Raises:
        HomeworkError: there is no such homework, or one of its files breaks a rule.
    """
    folder = course / "source" / name
    if not (folder / "staff" / "spec.py").is_file():
        known = ", ".join(names(course)) or "none"
        raise HomeworkError(f"there is no homework {name!r} in this course (it has: {known})")
    if not name.isidentifier():
        raise HomeworkError(f"source/{name}: a homework's folder name is a Python identifier")
    spec = staff_module(course, name, "spec")
    homework = getattr(spec, "HOMEWORK", None)
    if not isinstance(homework, Homework):
        raise HomeworkError(f"source/{name}/staff/spec.py: HOMEWORK = Homework(...) is missing")
    written = read_cells(folder / f"{name}.ipynb")
    adapters = (folder / "staff" / "adapters.py").read_text(encoding="utf-8")
    try:
        compile(adapters, "adapters.py", "exec")
    except SyntaxError as error:
        raise HomeworkError(
            f"source/{name}/staff/adapters.py: line {error.lineno}: {error.msg}"
        ) from error
    release = course / "release" / name / f"{name}.ipynb"
    questions = _with_points(name, homework.questions, written)
    return replace(
        homework,
        name=name,
        questions=questions,
        adapters=adapters,
        cells=read_cells(release) if release.is_file() else (),
        digest=_digest(questions, [release, *_deciding(folder / "staff")]),
    )


def _deciding(staff: Path) -> list[Path]:
    """Return the files that can change a mark; what a lab measures cannot."""
    return [path for path in sorted(staff.glob("*.py")) if path.name != "lab.py"]


def _with_points(
    name: str, questions: Sequence[Question], cells: Sequence[Cell]
) -> tuple[Question, ...]:
    where = f"source/{name}/{name}.ipynb"
    graded = {cell.grade_id: cell for cell in cells if cell.points is not None}
    unknown = set(graded) - {question.id for question in questions}
    if unknown:
        raise HomeworkError(
            f"{where}: graded cell {min(map(str, unknown))!r} has no question in staff/spec.py"
        )
    result: list[Question] = []
    for question in questions:
        cell = graded.get(question.id)
        if cell is None or cell.points is None:
            raise HomeworkError(f"{where}: question {question.id!r} has no graded cell with points")
        if question.by_hand != (cell.role == "written"):
            raise HomeworkError(
                f"{where}: question {question.id!r} is marked by "
                + (
                    "hand, so its cell must be a manually graded answer"
                    if question.by_hand
                    else "a check, so its cell must be an autograder test"
                )
            )
        if not isinstance(question.check, Check | None):
            raise HomeworkError(
                f"source/{name}/staff/spec.py: the check of question {question.id!r} is no Check: "
                "write a class that is derived from autograder.model.Check"
            )
        for needed in (*question.needs, *question.if_right):
            if needed not in [earlier.id for earlier in result]:
                raise HomeworkError(
                    f"source/{name}/staff/spec.py: question {question.id!r} names {needed!r}, "
                    "which is no earlier question"
                )
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
        raise HomeworkError(
            f"source/{name}/staff/{module}.py: {type(error).__name__}: {error}"
        ) from error
    return loaded


def read_cells(path: Path) -> tuple[Cell, ...]:
    """Read one of our own notebooks; HomeworkError when it is not one."""
    try:
        notebook = codec.loads(path.read_bytes())
    except (OSError, UserError) as error:
        raise HomeworkError(f"{path.name}: not a notebook ({error})") from error
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4:
        raise HomeworkError(f"{path.name}: not a notebook of format 4")
    return cells_of(notebook)


def cells_of(notebook: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Return the cells of a notebook of format 4; what is odd in them is left out.

    Metadata and outputs decide nothing, so broken ones are no reason to refuse a notebook.
    """
    cells = notebook.get("cells")
    nodes = cells if isinstance(cells, list) else []
    return tuple(_cell(node, n) for n, node in enumerate(nodes) if isinstance(node, dict))


def parsed(source: str) -> ast.Module | None:
    """Parse code as a notebook takes it, with IPython's own lines left out; None for no code.

    A line is only taken for IPython's where Python alone cannot read the whole.
    """
    if len(source) > MAX_PARSED:
        return None
    for text in (source, _MAGIC.sub(r"\1pass", source)):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse(text)
    return None


@functools.lru_cache(maxsize=20_000)
def defined_names(source: str) -> frozenset[str]:
    """Return the functions and classes that a cell defines at top level; none where it is huge."""
    tree = parsed(source)
    body = tree.body if tree else []
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef))


@functools.lru_cache(maxsize=20_000)
def used_names(source: str) -> frozenset[str]:
    """Return every name that a cell reads; none where it is huge or no Python."""
    nodes = ast.walk(parsed(source) or ast.Module([], []))
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _cell(node: Mapping[str, Any], number: int) -> Cell:
    metadata = _dictionary(node.get("metadata"))
    marks = _dictionary(metadata.get("nbgrader"))
    demo = _dictionary(metadata.get("autograder")).get("role") == "demo"
    graded, solution = bool(marks.get("grade")), bool(marks.get("solution"))
    role = {
        (True, True): "written",
        (True, False): "check",
        (False, True): "answer",
        (False, False): "demo" if demo else "provided",
    }[graded, solution]
    points = marks.get("points") if graded else None
    grade_id, outputs = marks.get("grade_id"), node.get("outputs")
    return Cell(
        id=str(node.get("id", f"cell-{number}")),
        type=str(node.get("cell_type")),
        source=_text(node.get("source")),
        grade_id=grade_id if isinstance(grade_id, str) else None,
        role=role,
        points=float(points) if isinstance(points, int | float) and 0 <= points < 1e6 else None,
        outputs=tuple(item for item in outputs if isinstance(item, dict))
        if isinstance(outputs, list)
        else (),
        attachments=_images(node.get("attachments")),
    )


def _text(source: object) -> str:
    """Return a source, which may be a list of lines; anything else is no text."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return codec.printable(source) if isinstance(source, str) else ""


def _images(attachments: object) -> dict[str, str]:
    """Return the first image of each attachment: a name may have the same one in several types."""
    found = {
        name: [
            _text(data) for kind, data in _dictionary(kinds).items() if kind.startswith("image/")
        ]
        for name, kinds in _dictionary(attachments).items()
    }
    return {name: images[0] for name, images in found.items() if images}


def _dictionary(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _digest(questions: Sequence[Question], paths: Sequence[Path]) -> str:
    points = [(question.id, question.points, question.extra) for question in questions]
    total = hashlib.sha256(codec.dumps(points).encode())
    for path in paths:
        if path.is_file():
            total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()
