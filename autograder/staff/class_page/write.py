"""A folder of results -> class.html in it, or class_public.html."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from autograder.course.course import Course
from autograder.course.people import People
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks
from autograder.reports.tables import Row
from autograder.staff.class_page import page
from autograder.staff.class_page.people import Person
from autograder.staff.class_page.questions import figures
from autograder.store import files, log_summary, results

STAFF = "class.html"
PUBLIC = "class_public.html"


def write(
    folder: Path,
    graded: Mapping[str, Grade],
    rows: Mapping[str, Row],
    *,
    settings: Course,
    load: Callable[[str], Homework],
    roster: People,
    earlier: Sequence[Path] = (),
    public: bool = False,
    given: Mapping[str, HandMarks] | None = None,
) -> list[Path]:
    """Write the page for staff and, if `public`, the page for the class; return their paths.

    Args:
        folder: What `grade --out` wrote.
        graded: Id -> all marks except a defence's.
        rows: Id -> all points, and the cost of lateness.
        settings: The course's title, term and dates.
        load: Returns a homework by its name.
        roster: May be empty.
        earlier: Folders of earlier homeworks, to see who fell behind.
        public: Whether to write the page for the class as well.
        given: Id -> people's marks.

    Raises:
        UserError: an earlier folder has no results, or the homework cannot be read.

    """
    before = {one.name: _totals(one) for one in earlier}
    of = class_of(folder, graded, rows, settings, load)
    pages = {STAFF: page.staff(of, roster=roster, earlier=before, given=given or {})}
    if public:
        now = datetime.now(UTC)
        explain = of.homework is not None and settings.explains(of.homework.name, now, None)
        pages[PUBLIC] = page.for_all(of, explain=explain)
    for path, text in pages.items():
        files.write(folder / path, text)
    return [folder / path for path in pages]


def class_of(
    folder: Path,
    graded: Mapping[str, Grade],
    rows: Mapping[str, Row],
    settings: Course,
    load: Callable[[str], Homework],
) -> page.Class:
    """Return the class of a folder of results; the arguments are those of `write`."""
    people = [*_people(folder, graded, rows)]
    name = next((person.log.homework for person in people if person.log), "")
    title = f"{settings.title}, {settings.term}"
    return page.Class(load(name) if name else None, title, people, figures(people))


def _people(folder: Path, graded: Mapping[str, Grade], rows: Mapping[str, Row]) -> Iterator[Person]:
    for student, row in rows.items():
        why = "; ".join(row.missing) or "it cannot be read"
        failed = (folder / student / files.FAILURE).exists()
        grade = graded.get(student)
        if grade is None or not grade.complete or not grade.marks:
            yield Person(student, why=why, failed=failed)
            continue
        try:
            log = log_summary.read(folder / student)
        except (UserError, OSError) as error:
            yield Person(student, why=one_line(error), failed=failed)
            continue
        yield Person(student, row.points, grade, log, row.possible or 0.0, failed=failed)


def _totals(folder: Path) -> dict[str, float]:
    found = {
        path.parent.name: grade.score
        for path in sorted(folder.glob(f"*/{files.GRADE}"))
        if (grade := results.found_grade(path.parent)) and grade.complete
    }
    if not found:
        raise UserError(
            f"--earlier {folder} has no results; give the folder that `autograder grade` wrote"
        )
    return found
