"""Marks and written answers -> nbgrader's gradebook, and people's marks from it.

The only importer of nbgrader's API. A submission's marks are one transaction, followed by its file
in autograded/. A person's score, extra credit and comment never change, except that scores are
rounded to two digits, so that nbgrader's own sums agree with ours.
"""

import contextlib
import json
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import sqlalchemy
import sqlalchemy.orm
from nbgrader import api
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_grade, is_locked, is_solution
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from autograder.course import rubrics, timestamps
from autograder.course.course import Course
from autograder.course.people import People, Person
from autograder.platforms.nbgrader import autograded, hand_marks, settings
from autograder.platforms.nbgrader.answers import Answer, answers
from autograder.platforms.nbgrader.settings import is_file, url_of
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks, Mark, added_titles, rounded, with_added
from autograder.reports import report
from autograder.store import executed, results
from autograder.store.executed import Result

_Ids = Callable[[str], str]


@dataclass(frozen=True)
class Recorded:
    """The outcome of one submission.

    Args:
        waiting: Questions still to be marked by hand.
        again: Questions whose answer has changed since a person marked it.

    """

    homework: str
    student: str
    waiting: tuple[str, ...] = ()
    again: tuple[str, ...] = ()


def directory(root: Path) -> CourseDirectory:
    """Return nbgrader's view of a course: its folders, and the gradebook that formgrader opens."""
    url = settings.gradebook_url(root)
    try:
        place = CourseDirectory(config=settings.configuration(root), root=str(root))
    except Exception as error:  # a config file is a program, so it may raise anything
        raise UserError(f"{settings.CONFIG}: {type(error).__name__}: {error}") from error
    place.db_url = url.render_as_string(hide_password=False)
    return place


def existing(root: Path) -> sqlalchemy.URL | None:
    """Return the URL of the gradebook that formgrader opens, or None if its file does not exist."""
    url = settings.gradebook_url(root)
    return None if is_file(url) and not Path(str(url.database)).exists() else url


def shown(url: str | sqlalchemy.URL) -> str:
    """Return a gradebook's URL without its password, or a file as its path."""
    made = url_of(url)
    return str(made.database) if is_file(made) else made.render_as_string(hide_password=True)


@contextlib.contextmanager
def connect(
    url: str | sqlalchemy.URL, course_id: str = "", *, make: bool = True
) -> Iterator[api.Gradebook]:
    """Open a gradebook.

    Args:
        url: SQLAlchemy's; a path alone is a SQLite file.
        course_id: nbgrader's name for the course, if it has one.
        make: Create missing tables and files; otherwise a missing SQLite file is an error.

    Raises:
        UserError: it is unreachable, locked or not a gradebook, or its driver is missing.

    """
    place = "the gradebook"
    with contextlib.ExitStack() as stack:
        try:
            made = url_of(url)
            place = str(made.database) if is_file(made) else place
            _make_private(made, make=make)
            _complain_of_others(made, make=make)
            book = stack.enter_context(_opened(made, course_id or "default_course"))
        except (SQLAlchemyError, api.InvalidEntry, ImportError, OSError) as error:
            raise UserError(f"{place} cannot be opened: {_reason(error)}") from error
        yield book


def _opened(url: sqlalchemy.URL, course_id: str) -> api.Gradebook:
    """Open a gradebook as nbgrader does; nbgrader runs alembic, and logs a traceback if that fails."""
    before, log = os.environ.get("PATH", ""), logging.getLogger("tornado.application")
    with contextlib.ExitStack() as stack:
        stack.callback(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
        stack.callback(setattr, log, "disabled", log.disabled)
        log.disabled = True
        book = api.Gradebook(url, course_id)
        hand_marks.OURS.create_all(book.engine)
    return book


def _make_private(url: sqlalchemy.URL, *, make: bool) -> None:
    """Create a new SQLite file readable only by staff: it will contain names."""
    if is_file(url):
        path = Path(str(url.database))
        if make and not path.exists():
            path.touch(mode=0o600)
        path.stat()  # the file exists


def _complain_of_others(url: sqlalchemy.URL, *, make: bool) -> None:
    """Raise UserError if a database is not a gradebook: nbgrader would write its tables into it."""
    engine = sqlalchemy.create_engine(url)
    try:
        tables = sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if "submitted_assignment" in tables or (make and not tables):
        return
    if make and not is_file(url):  # a server's database may be shared
        return
    what = f"has other tables ({one_line(tables[0])})" if tables else "is empty"
    raise UserError(f"{shown(url)} {what}, so it is not a gradebook; name a different one")


def _reason(error: BaseException) -> str:
    """Return why a database failed, without its URL, which may contain a password."""
    if isinstance(error, ArgumentError) and "parse" in str(error):
        return "this is not a database URL; write sqlite:///FILE or postgresql+psycopg://..."
    if isinstance(error, ImportError):
        return f"{error}; install the database's driver"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    lines = str(getattr(error, "orig", None) or error).strip().split("\n")
    if "locked" in lines[0]:
        return f"{lines[0]}; close the program that writes to it, and run this again"
    return lines[0]


def fill(
    folder: Path,
    load: Callable[[str], Homework],
    course: Course,
    *,
    book: api.Gradebook,
    place: CourseDirectory,
    roster: People,
) -> Iterator[Recorded | str]:
    """Put every submission of a folder that `autograder grade` wrote into a gradebook.

    Yields:
        The outcome of each submission, or one line on why it is not in the gradebook.

    Raises:
        UserError: it is not such a folder, or the gradebook fails.

    """
    ids = _ids(book, roster, place)
    folders, complaints = roster.one_each(results.folders(folder))
    yield from complaints
    for each in folders:
        try:
            result = read(each)
            homework = load(result.log.homework)
            recorded, notebook = record(
                result,
                homework,
                course,
                book=book,
                place=place,
                roster=roster,
                student=ids(each.name),
            )
            write(notebook, recorded, place)
            yield recorded
        except OperationalError as error:  # it is locked or gone, so all others would also fail
            raise UserError(f"the gradebook failed: {_reason(error)}") from error
        except SQLAlchemyError as error:
            yield f"{each}: the gradebook rejects it ({_reason(error)})"
        except (UserError, OSError) as error:
            yield f"{each}: {error}"


def read(folder: Path) -> Result:
    """Return the results of one submission, with the marks that wings add to it."""
    result = executed.read(folder)
    return replace(result, grade=with_added(result.grade, folder))


def record(
    result: Result,
    homework: Homework,
    course: Course,
    *,
    book: api.Gradebook,
    place: CourseDirectory,
    roster: People,
    student: str,
) -> tuple[Recorded, nbformat.NotebookNode]:
    """Put the marks of one submission into a gradebook, under nbgrader's id for its student.

    Returns:
        The outcome, and the notebook for people who mark.

    Raises:
        UserError: its results, the homework and the gradebook do not belong together.
        SQLAlchemyError: the gradebook rejects it; nothing of it was written.

    """
    marks = {one.question: one for one in result.grade.marks}
    if marks.keys() - added_titles() != {q.id for q in homework.questions if not q.formative}:
        raise UserError("it was graded when the homework had different questions; grade it again")
    root = Path(place.root)
    release = _read_release(root, homework)
    written = answers(result, homework)
    session = book.db
    try:
        assignment = _assignment(book, homework.name, course.due(homework.name))
        cells = _cells(session, assignment, homework, release, marks)
        row = _student(session, student, roster.in_folder(result.student))
        submitted = _submitted(
            session, assignment, row, cells, _received(place, student, result, course)
        )
        recorded = _mark(session, submitted, result, homework, written, marks)
        machine = {one.question: one.earned for one in result.grade.marks}
        _take(submitted, result.grade, _given(submitted, machine))
        session.commit()
    except BaseException:
        session.rollback()
        raise
    notebook = autograded.notebook(
        result,
        homework,
        release,
        written=written,
        rubrics=rubrics.of(root / "source" / homework.name / "staff"),
        explain=course.explains(homework.name, datetime.now(UTC), result.log.receipt),
    )
    return recorded, notebook


def write(notebook: nbformat.NotebookNode, recorded: Recorded, place: CourseDirectory) -> None:
    """Write autograded/<student>/<hw>/<hw>.ipynb, and the figures that its text shows."""
    name = recorded.homework
    folder = Path(place.format_path(place.autograded_directory, recorded.student, name))
    top = Path(place.root) / place.autograded_directory
    if not top.is_dir():
        top.mkdir(mode=0o700, parents=True)  # students' work, readable only by staff
    folder.mkdir(parents=True, exist_ok=True)
    given = Path(place.root) / "release" / name / "figures"
    if given.is_dir():
        shutil.copytree(given, folder / "figures", dirs_exist_ok=True)
    path = folder / f"{name}.ipynb"
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    temporary.replace(path)


def left(book: api.Gradebook, folder: Path, homework: str, roster: People) -> list[str]:
    """Return the students in a gradebook's homework who are missing from a folder."""
    rows = book.db.query(api.SubmittedAssignment).join(api.Assignment)
    students = {row.student_id for row in rows.filter(api.Assignment.name == homework)}
    there = {roster.id_of(path.name) for path in results.folders(folder)}
    strangers = roster.folders([id for id in students if not roster.in_folder(id)])
    return sorted(id for id in students if roster.id_of(strangers.get(id, id)) not in there)


def _ids(book: api.Gradebook, roster: People, place: CourseDirectory | None = None) -> _Ids:
    """Return a function that finds nbgrader's id for the student of a folder of results.

    It is an id that nbgrader already knows, or else the id in roster.csv.
    """
    known = [row.id for row in book.db.query(api.Student)]
    return known_as([*known, *(collected(place) if place else ())], roster)


def collected(place: CourseDirectory) -> list[str]:
    """Return the ids under which nbgrader has collected submissions."""
    submitted = Path(place.root) / place.submitted_directory
    return [path.name for path in submitted.iterdir()] if submitted.is_dir() else []


def known_as(known: Collection[str], roster: People) -> _Ids:
    """Return a function that finds, among known ids, the id of a folder's student."""
    found: dict[str, str] = {}
    # If a student has two ids, one that cannot be a folder's name was there before the results,
    # so it counts.
    folders = roster.folders(sorted(known, key=lambda id: safe(id) != id))
    for id, folder in folders.items():
        found[roster.id_of(folder)] = id

    def of(folder: str) -> str:
        id = roster.id_of(folder)
        return found.get(id, folder if "/" in id else id)

    return of


def given(
    book: api.Gradebook, folder: Path, load: Callable[[str], Homework], roster: People
) -> dict[str, HandMarks]:
    """Return the gradebook's marks for each submission of a folder that a person has marked.

    For machine-marked questions, the folder's own marks are newer. A text that has changed since it
    was marked must be marked again. The cost of lateness is written into the gradebook, for
    nbgrader's own tables.
    """
    ids = _ids(book, roster)
    found: dict[str, HandMarks] = {}
    seen = dict(book.db.execute(sqlalchemy.select(hand_marks.answer)).all())
    for each in roster.one_each(results.folders(folder))[0]:
        with contextlib.suppress(UserError):
            result = read(each)
            row = _find(book, ids(each.name), result.log.homework)
            if row is not None:
                homework = load(result.log.homework)
                now = answers(result, homework)
                code = {id: one.code for id, one in now.items() if one.code}
                machine = {one.question: one.earned for one in result.grade.marks}
                of_people = _given(row, machine, _others(seen, row, now))
                found[each.name] = replace(of_people, code=code)
                _take(row, result.grade, found[each.name])
    try:
        book.db.commit()
    except SQLAlchemyError as error:
        raise UserError(f"the gradebook failed: {_reason(error)}") from error
    return found


def _take(row: api.SubmittedNotebook, grade: Grade, given: HandMarks) -> None:
    """Set the cost of lateness, computed from the machine's and people's points together."""
    penalty = report.with_points(grade, given.points).penalty
    if row.late_submission_penalty != penalty:
        row.late_submission_penalty = penalty


def _others(
    seen: Mapping[str, str], row: api.SubmittedNotebook, now: Mapping[str, Answer]
) -> list[str]:
    """Return the questions whose answer differs from the text in the gradebook."""
    return [g.name for g in row.grades if g.name in now and seen.get(g.id) != now[g.name].sha256]


def given_to(book: api.Gradebook, student: str, homework: str) -> HandMarks:
    """Return the gradebook's marks for one submission, if a person has marked it."""
    row = _find(book, student, homework)
    return _given(row, {one.name: one.auto_score for one in row.grades}) if row else HandMarks()


def _find(book: api.Gradebook, student: str, homework: str) -> api.SubmittedNotebook | None:
    rows = book.db.query(api.SubmittedNotebook).join(api.SubmittedAssignment).join(api.Assignment)
    mine = rows.filter(
        api.Assignment.name == homework,
        api.SubmittedNotebook.name == homework,
        api.SubmittedAssignment.student_id == student,
    )
    return mine.one_or_none()


def _given(
    row: api.SubmittedNotebook,
    machine: Mapping[str, float | None],
    others: Collection[str] = (),
) -> HandMarks:
    points = {
        grade.name: _settled(grade, machine.get(grade.name))
        for grade in row.grades
        if grade.manual_score is not None or grade.extra_credit is not None
    }
    waiting = tuple(
        grade.name
        for grade in row.grades
        if grade.needs_manual_grade or (grade.name in others and grade.name in points)
    )
    comments = {one.name: one.manual_comment for one in row.comments if one.manual_comment}
    scores = {grade.id: (grade.name, grade.manual_score) for grade in row.grades}
    given = hand_marks.given_items(sqlalchemy.orm.object_session(row), row.name, scores)
    for name, items in given.items():
        comments[name] = "\n".join([*items.lines, *filter(None, [comments.get(name)])])
    return HandMarks(points, waiting, comments, items={id: one.has for id, one in given.items()})


def _settled(grade: api.Grade, machine: float | None) -> float:
    """Return a question's mark with people's part, which is stored rounded like all marks."""
    if grade.manual_score is None:
        points = machine or 0.0
    else:
        points = grade.manual_score = rounded(grade.manual_score)
    if grade.extra_credit is not None:
        grade.extra_credit = rounded(grade.extra_credit)
    return rounded(points + (grade.extra_credit or 0.0))


def _read_release(root: Path, homework: Homework) -> nbformat.NotebookNode:
    path = root / "release" / homework.name / f"{homework.name}.ipynb"
    if not path.is_file():
        raise UserError(f"release/{homework.name} is missing; run `autograder release` first")
    return nbformat.read(path, as_version=4)


def _received(
    place: CourseDirectory, student: str, result: Result, course: Course
) -> datetime | None:
    """Return when a platform or nbgrader received a submission; None if unknown."""
    if at := timestamps.taken(result.log.receipt, course.zone):
        return at.astimezone(UTC).replace(tzinfo=None)
    folder = place.format_path(place.submitted_directory, student, result.log.homework)
    with contextlib.suppress(ValueError, OSError):
        received: datetime | None = place.get_existing_timestamp(folder)
        return received
    return None


def _assignment(book: api.Gradebook, name: str, due: datetime | None) -> api.Assignment:
    row = book.db.query(api.Assignment).filter_by(name=name).one_or_none()
    if row is None:
        row = api.Assignment(name, course_id=book.course_id)
        book.db.add(row)
    if due:  # otherwise it may have been set in formgrader
        row.duedate = due.astimezone(UTC).replace(tzinfo=None)
    return row


def _cells(
    session: Any,
    assignment: api.Assignment,
    homework: Homework,
    release: nbformat.NotebookNode,
    marks: Mapping[str, Mark],
) -> api.Notebook:
    """Update the gradebook's copy of the release, with a cell for each added mark."""
    notebook = next((row for row in assignment.notebooks if row.name == homework.name), None)
    if notebook is None:
        kernel = json.dumps(release.metadata.get("kernelspec", {}))
        notebook = api.Notebook(name=homework.name, assignment=assignment, kernelspec=kernel)
        session.add(notebook)
    worth = {question.id: autograded.worth(question) for question in homework.questions}
    graded_cells = {row.name: row for row in notebook.grade_cells}
    if gone := sorted(graded_cells.keys() - worth.keys() - added_titles()):
        raise UserError(
            f"the gradebook counts {gone[0]!r}, which is no longer a question of "
            f"{homework.name}; start a new gradebook with --db"
        )
    solutions = {row.name: row for row in notebook.solution_cells}
    sources = {row.name: row for row in notebook.source_cells}
    for cell in release.cells:
        id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if is_grade(cell):
            row = graded_cells.get(id) or api.GradeCell(name=id, notebook=notebook)
            session.add(row)
            row.max_score, row.cell_type = worth[id], cell.cell_type
        if is_solution(cell) and id not in solutions:
            session.add(api.SolutionCell(name=id, notebook=notebook))
        if is_grade(cell) or is_solution(cell) or is_locked(cell):
            row = sources.get(id) or api.SourceCell(name=id, notebook=notebook)
            session.add(row)
            row.cell_type, row.locked, row.source = cell.cell_type, is_locked(cell), cell.source
            row.checksum = cell.metadata.nbgrader.get("checksum")
    for title in sorted(added_titles() & marks.keys()):
        row = graded_cells.get(title) or api.GradeCell(name=title, notebook=notebook)
        session.add(row)
        row.max_score, row.cell_type = marks[title].points, "markdown"
    session.flush()
    return notebook


def _student(session: Any, id: str, person: Person | None) -> api.Student:
    row = session.get(api.Student, id)
    if row is None:
        row = api.Student(id=id)
        session.add(row)
    # formgrader writes names into its pages without escaping.
    words = re.sub("[<>]", "", person.name).split() if person else []
    if words:
        row.first_name, row.last_name = " ".join(words[:-1]), words[-1]
    if person and person.email:
        row.email = re.sub("[<>]", "", person.email)
    return row


def _submitted(
    session: Any,
    assignment: api.Assignment,
    student: api.Student,
    notebook: api.Notebook,
    received: datetime | None,
) -> api.SubmittedNotebook:
    """Return a student's row for a notebook, with a grade and a comment for each cell that has one."""
    rows = session.query(api.SubmittedAssignment)
    mine = rows.filter_by(assignment_id=assignment.id, student_id=student.id)
    submission = mine.one_or_none()
    if submission is None:
        submission = api.SubmittedAssignment(assignment=assignment, student=student)
        session.add(submission)
    if received:
        submission.timestamp = received
    row = next((row for row in submission.notebooks if row.notebook is notebook), None)
    if row is None:
        row = api.SubmittedNotebook(notebook=notebook, assignment=submission)
        session.add(row)
    grades = {grade.cell_id for grade in row.grades}
    comments = {comment.cell_id for comment in row.comments}
    for cell in notebook.grade_cells:
        if cell.id not in grades:
            session.add(api.Grade(cell_id=cell.id, notebook=row))
    for cell in notebook.solution_cells:
        if cell.id not in comments:
            session.add(api.Comment(cell_id=cell.id, notebook=row))
    session.flush()
    for each in (*row.grades, *row.comments):  # a new row does not know its cell
        session.refresh(each)
    return row


def _mark(
    session: Any,
    submitted: api.SubmittedNotebook,
    result: Result,
    homework: Homework,
    written: Mapping[str, Answer],
    marks: Mapping[str, Mark],
) -> Recorded:
    """Write the machine's marks, and return the questions that a person has to look at."""
    grades = {grade.name: grade for grade in submitted.grades}
    comments = {comment.name: comment for comment in submitted.comments}
    for question in homework.questions:
        grade = grades[question.id]
        one = marks.get(question.id)
        earned = one.earned if one else 0.0
        if question.by_hand:
            comments[question.id].auto_comment = one.message if one and earned == 0 else None
            changed = not result.grade.lost and _changed(
                session, grade.id, written[question.id].sha256
            )
        else:
            changed = (
                grade.auto_score is not None and abs(grade.auto_score - (earned or 0.0)) > 1e-9
            )
        if question.formative:
            changed = False
        grade.auto_score = earned
        if result.grade.lost:
            grade.needs_manual_grade = False
        elif grade.manual_score is None:
            grade.needs_manual_grade = earned is None
        elif changed:
            grade.needs_manual_grade = True
    for title in added_titles() & grades.keys():
        mark, grade = marks.get(title), grades[title]
        grade.auto_score, grade.needs_manual_grade = mark.earned if mark else None, False
    waiting = [q.id for q in homework.questions if grades[q.id].needs_manual_grade]
    again = [id for id in waiting if grades[id].manual_score is not None]
    return Recorded(homework.name, submitted.student.id, tuple(waiting), tuple(again))


def _changed(session: Any, grade: str, sha256: str) -> bool:
    """Remember a written answer; return whether it is new or has changed."""
    seen = hand_marks.answer
    mine = seen.c.grade_id == grade
    before = session.execute(sqlalchemy.select(seen.c.sha256).where(mine)).scalar()
    change = seen.insert() if before is None else seen.update().where(mine)
    session.execute(change.values(grade_id=grade, sha256=sha256))
    return bool(before != sha256)
