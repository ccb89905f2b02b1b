"""Submissions with known marks: the instructor's, the empty release, staff/wrong, staff/right.

Each is the release with its answers filled in, like a student's submission, and is graded the same
way. None contains the source notebook's hidden tests and cells for staff.
"""

import ast
import difflib
import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.cells import defined_names, parse, text_of
from autograder.course.homework import HomeworkError, read_cells
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Cell, Homework

TABLES = ("mistakes.toml", "right.toml")
"""Files of staff/ with a table for each known answer."""
_HINTS = {
    "fails": "name the questions that lose",
    "nudge": "write where a student should look",
    "explanation": "describe the mistake",
    "mistake": "name the known mistake that this rewords",
    "words": "write a pattern that a helpful message matches, for each question",
}
_KNOWN = {"FAILS", "NUDGE", "EXPLANATION", "EDITS", "UNSEEN", "RAISES", "MISTAKE", "WORDS"}
"""Names that have a meaning in such a Python file; all others belong to its functions."""


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An author's description of one known answer: a table of a TOML file, or a Python file.

    A Python file contains the code itself, `says` as its docstring and the rest as constants in
    capitals.

    Args:
        says: The misconception, or the style, in a sentence.
        fails: Ids of the questions that it must lose; it must earn all others.
        nudge: Where to look; shown to a student at once.
        explanation: Names the mistake; shown when course.toml allows it.
        edits: Pieces of the instructor's answer cells, each with its replacement.
        code: Functions and classes that replace the instructor's, and imports.
        unseen: Question -> why its visible check cannot notice the mistake.
        raises: Question -> the error, if the mistake is an answer that raises in every case.
        mistake: The known mistake that this rewords.
        words: Question -> a pattern that a helpful message matches.
    """

    says: str
    fails: tuple[str, ...] = ()
    nudge: str = ""
    explanation: str = ""
    edits: tuple[tuple[str, str], ...] = ()
    code: str = ""
    unseen: Mapping[str, str] = {}
    raises: Mapping[str, str] = {}
    mistake: str = ""
    words: Mapping[str, str] = {}


@dataclass(frozen=True)
class KnownAnswer:
    """A wrong or right answer whose marks are known.

    Args:
        name: The file's stem, or the table's name.
        place: Its place in the author's files, for messages.
        written: The author's description.
        fails: Ids of the questions that it must lose; it must earn all others.
        submission: The instructor's submission with replaced or edited answers.
        define: The statements that differ from the instructor's, with their imports.
    """

    name: str
    place: str
    written: Written
    fails: frozenset[str]
    submission: Submission
    define: str


def instructor(course: Path, homework: Homework) -> Submission:
    """Return the release with the instructor's answers, which earns everything."""
    name = homework.name
    written = read_cells(course / "source" / name / f"{name}.ipynb")
    answers = {cell.id: cell for cell in written if cell.role in ("answer", "written")}
    if lacking := sorted(answers.keys() - {cell.id for cell in homework.cells}):
        raise HomeworkError(
            f"release/{name}/{name}.ipynb has no cell {lacking[0]!r}, although it is an "
            f"answer in source/{name}/{name}.ipynb; run `autograder release {name}`"
        )
    return _submission("instructor", [answers.get(cell.id, cell) for cell in homework.cells])


def with_source(submission: Submission, cell: str, source: str) -> Submission:
    """Return a submission in which one cell has a new text."""
    cells = [replace(c, source=source) if c.id == cell else c for c in submission.cells]
    return _submission(submission.id.student, cells)


def unfilled(homework: Homework) -> Submission:
    """Return the release as it is, which earns nothing."""
    return _submission("unfilled", homework.cells)


def wrong(course: Path, homework: Homework) -> list[KnownAnswer]:
    """Read the known mistakes: staff/mistakes.toml and staff/wrong/*.py."""
    return _read(course, homework, "mistakes.toml", "wrong", ("fails", "nudge", "explanation"))


def right(course: Path, homework: Homework) -> list[KnownAnswer]:
    """Read right answers written in different ways: staff/right.toml and staff/right/*.py."""
    return _read(course, homework, "right.toml", "right", ())


def disguised(course: Path, homework: Homework) -> list[KnownAnswer]:
    """Read reworded known mistakes: staff/tests/disguised.toml."""
    return _read(course, homework, "tests/disguised.toml", "tests/disguised", ("fails", "mistake"))


def unlisted(course: Path, homework: Homework) -> list[KnownAnswer]:
    """Read mistakes that a homework does not list: staff/tests/unlisted.toml."""
    return _read(course, homework, "tests/unlisted.toml", "tests/unlisted", ("fails", "words"))


def _read(
    course: Path, homework: Homework, table: str, folder: str, required: Sequence[str]
) -> list[KnownAnswer]:
    staff = course / "source" / homework.name / "staff"
    cells = instructor(course, homework).cells
    found = []
    if (staff / table).is_file():
        where = _place(course, staff / table)
        for name, written in tables(staff / table, where).items():
            place = f"[{name}] of staff/{table}"
            found.append(
                _answer(name, place, written, f"{where}: [{name}]", homework, cells, required)
            )
    for path in sorted((staff / folder).glob("*.py")):
        found.append(read(course, homework, path, required, cells=cells))
    for before, after in pairwise(sorted(found, key=lambda answer: answer.name)):
        if before.name == after.name:
            raise HomeworkError(f"{before.place} and {after.place} have the same name; rename one")
    return sorted(found, key=lambda answer: answer.name)


def read(
    course: Path,
    homework: Homework,
    path: Path,
    required: Sequence[str] = (),
    *,
    cells: Sequence[Cell] = (),
) -> KnownAnswer:
    """Read a Python file that replaces answers of the instructor's, or edits them.

    Its functions and classes replace the notebook's; `EDITS = {"text": "new text"}` changes pieces
    of the answer cells.
    """
    where = _place(course, path)
    source = _text_of(path, where)
    tree = _parse(source, where)
    says = ast.get_docstring(tree)
    if not says:
        raise HomeworkError(f"{where}: the docstring that describes it is missing")
    constants = _constants(tree, where)
    named = constants.get("FAILS", ())
    if not isinstance(named, tuple | list | set):
        raise HomeworkError(
            f"{where}: FAILS is {named!r}; write a tuple of ids, such as ({named!r},)"
        )
    fields = {name.lower(): value for name, value in constants.items() if name in _KNOWN}
    edits = tuple(_edits(constants, where).items())
    fields |= {"says": says, "fails": tuple(map(str, named)), "edits": edits, "code": source}
    written = _written(fields, where)
    cells = cells or instructor(course, homework).cells
    place = f"staff/{path.parent.name}/{path.name}"
    return _answer(path.stem, place, written, where, homework, cells, required)


def _place(course: Path, path: Path) -> str:
    return str(path.relative_to(course)) if path.is_relative_to(course) else path.name


def tables(path: Path, where: str) -> dict[str, Written]:
    """Return the tables of a TOML file; raise HomeworkError for one that is not a known answer."""
    try:
        tables = tomllib.loads(_text_of(path, where))
    except tomllib.TOMLDecodeError as error:
        raise HomeworkError(f"{where}: {error}") from error
    return {name: _written(table, f"{where}: [{name}]") for name, table in tables.items()}


def _written(fields: object, where: str) -> Written:
    try:
        return msgspec.convert(fields, Written)
    except msgspec.ValidationError as error:
        known = ", ".join(Written.__struct_fields__)
        raise HomeworkError(f"{where}: {error}; it may have {known}") from error


def as_module(written: Written) -> str:
    """Return a table as the equivalent Python file."""
    edits = f"EDITS = {dict(written.edits)!r}\n" if written.edits else ""
    said = f"NUDGE = {written.nudge!r}\nEXPLANATION = {written.explanation!r}\n"
    return f"{written.says!r}\n{said}{edits}{written.code}"


def _answer(
    name: str,
    place: str,
    written: Written,
    where: str,
    homework: Homework,
    cells: Sequence[Cell],
    required: Sequence[str],
) -> KnownAnswer:
    for field in required:
        if not getattr(written, field):
            raise HomeworkError(f"{where}: {field.upper()} is missing; {_HINTS[field]}")
    fails = frozenset(written.fails)
    unknown = fails - {question.id for question in homework.questions}
    if unknown:
        raise HomeworkError(
            f"{where}: FAILS names {min(unknown)!r}, which is not a question "
            f"(there are {', '.join(question.id for question in homework.questions)})"
        )
    tree = _parse(written.code, where)
    _complain_of_unused(tree, where)
    replacements = _replacements(tree, written.code)
    edited = _edited(cells, written.edits, where)
    changed = [
        _changed(before, after, replacements, where)
        for before, after in zip(cells, edited, strict=True)
        if before is not after
    ]
    return KnownAnswer(
        name=name,
        place=place,
        written=written,
        fails=fails,
        submission=_submission(name, _replace_answers(edited, replacements, where)),
        define="\n\n".join([*replacements.values(), *changed]),
    )


def _text_of(path: Path, where: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeError as error:
        raise HomeworkError(f"{where}: it is not in UTF-8 ({error})") from error


def _parse(source: str, where: str) -> ast.Module:
    try:
        return parse(source, where)
    except SyntaxError as error:
        raise HomeworkError(f"{where}: line {error.lineno}: {error.msg}") from error


def _constants(tree: ast.Module, where: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for node in tree.body:
        if name := _assigned(node):
            try:
                found[name] = ast.literal_eval(getattr(node, "value", None) or "")
            except (ValueError, TypeError, SyntaxError) as error:
                raise HomeworkError(
                    f"{where}: line {node.lineno}: {name} is not a literal, and only "
                    "definitions and imports go into the notebook; compute it inside the "
                    "function"
                ) from error
    return found


def _complain_of_unused(tree: ast.Module, where: str) -> None:
    defined = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    used = {one.id for node in defined for one in ast.walk(node) if isinstance(one, ast.Name)}
    for node in tree.body:
        line = f"{where}: line {node.lineno}"
        if name := _assigned(node):
            if name not in used | _KNOWN:
                near = difflib.get_close_matches(name, _KNOWN, 1)
                mend = f"did you mean {near[0]}?" if near else "take it away"
                raise HomeworkError(f"{line}: no function of the file uses {name}; {mend}")
        elif not isinstance(node, _DEFINITIONS | ast.Import | ast.ImportFrom) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            raise HomeworkError(
                f"{line}: only definitions, imports and literals with a name go into the notebook; "
                "move this into the function"
            )


_DEFINITIONS = ast.FunctionDef | ast.ClassDef


def _assigned(node: ast.stmt) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    single = isinstance(node, ast.Assign | ast.AnnAssign) and len(targets) == 1
    return targets[0].id if single and isinstance(targets[0], ast.Name) else ""


def _replacements(tree: ast.Module, source: str) -> dict[str, str]:
    named = [node for node in tree.body if _assigned(node) not in {"", *_KNOWN}]
    return {
        node.name: _with_imports(tree, source, [*named, node])
        for node in tree.body
        if isinstance(node, _DEFINITIONS)
    }


def _with_imports(tree: ast.Module, source: str, statements: Sequence[ast.stmt]) -> str:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    texts = [text_of(source, node) for node in statements if node not in imports]
    return "\n".join([*(text_of(source, node) for node in imports), "", "", "\n\n\n".join(texts)])


def _edits(constants: Mapping[str, Any], where: str) -> Mapping[str, str]:
    edits = constants.get("EDITS", {})
    if not isinstance(edits, dict) or not all(
        isinstance(text, str) for pair in edits.items() for text in pair
    ):
        raise HomeworkError(
            f'{where}: EDITS is not a dict of texts, such as {{"text": "new text"}}'
        )
    return edits


def _edited(
    cells: Sequence[Cell], edits: Sequence[tuple[str, str]], where: str
) -> tuple[Cell, ...]:
    for old, new in edits:
        if old == new:
            raise HomeworkError(f"{where}: EDITS: {old!r} changes nothing")
    places = sorted((*_only_place(cells, old, where), old, new) for old, new in edits)
    for (cell, start, old, _), (next_cell, next_start, next_old, _) in pairwise(places):
        if cell == next_cell and next_start < start + len(old):
            raise HomeworkError(f"{where}: EDITS: {old!r} and {next_old!r} overlap")
    result = list(cells)
    for cell, start, old, new in reversed(places):  # text before an edit stays in place
        source = result[cell].source
        source = source[:start] + new + source[start + len(old) :]
        result[cell] = replace(result[cell], source=source)
    return tuple(result)


def _only_place(cells: Sequence[Cell], old: str, where: str) -> tuple[int, int]:
    places = [
        (number, match.start())
        for number, cell in enumerate(cells)
        if cell.role == "answer" and cell.type == "code"
        for match in re.finditer(f"(?={re.escape(old)})", cell.source)  # also if they overlap
    ]
    if not places:
        raise HomeworkError(f"{where}: EDITS: no answer cell has {old!r}")
    if len(places) > 1:
        raise HomeworkError(
            f"{where}: EDITS: {old!r} occurs {len(places)} times in the answer cells; "
            "quote more of the line"
        )
    return places[0]


def _changed(before: Cell, after: Cell, defined: Collection[str], where: str) -> str:
    try:
        old, new = parse(before.source), parse(after.source)
    except SyntaxError as error:
        raise HomeworkError(
            f"{where}: EDITS: line {error.lineno} of the cell {after.id!r} is not Python "
            f"after the edit: {error.msg}"
        ) from error
    same = {ast.dump(node) for node in old.body}
    changed = [node for node in new.body if ast.dump(node) not in same]
    if not changed:
        raise HomeworkError(f"{where}: EDITS: no statement changes in the cell {after.id!r}")
    for node in changed:
        if (name := getattr(node, "name", "")) in defined:
            raise HomeworkError(f"{where}: EDITS: {name} is changed, but the file also defines it")
    return _with_imports(new, after.source, changed)


def _replace_answers(
    cells: Sequence[Cell], replacements: Mapping[str, str], where: str
) -> tuple[Cell, ...]:
    """Replace the notebook's own definitions, each in the answer cell that defines its name."""
    result = list(cells)
    for name, text in replacements.items():
        places = [n for n, cell in enumerate(cells) if is_answer(cell, name)]
        if not places:
            raise HomeworkError(f"{where}: no answer cell of the notebook defines {name}")
        cell = result[places[0]]
        result[places[0]] = replace(cell, source="\n\n\n".join([*_others(cell, name), text]))
    return tuple(result)


def _others(cell: Cell, name: str) -> list[str]:
    """Return the rest of a cell besides the definition of a name: it may answer several questions."""
    return [
        text_of(cell.source, node)
        for node in parse(cell.source).body
        if getattr(node, "name", "") != name
    ]


def is_answer(cell: Cell, name: str) -> bool:
    """Return whether a cell is the answer cell that defines a name."""
    return cell.role == "answer" and cell.type == "code" and name in defined_names(cell.source)


def _submission(student: str, cells: Sequence[Cell]) -> Submission:
    text = "\0".join(cell.source for cell in cells)
    return Submission(
        SubmissionId(student, "notebook", hashlib.sha256(text.encode()).hexdigest()), tuple(cells)
    )
