"""The four ways in which submissions come: what a platform exports of a class, and what it takes back."""

import csv
import io
import re
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.exports import metadata, packed, submission, unpacked
from tests.whole_term import DUE, POSSIBLE, TERM, ZONE, Attempt, Person

Submitted = Mapping[Person, Sequence[Attempt]]
"""Each person's submissions for one homework so far, oldest first."""
Content = Callable[[Attempt], bytes]


@dataclass
class Way(ABC):
    """A way in: a folder for its exports, the course, and the class."""

    place: Path
    course: Path
    people: Sequence[Person]

    @abstractmethod
    def exported(self, homework: str, submitted: Submitted, content: Content) -> Sequence[object]:
        """Write what the platform exports; return what `autograder grade` gets after the name."""

    def taken_back(self, homework: str) -> Sequence[object]:
        """Return what `autograder export` gets after the folder; nothing where it has no part."""
        return ()

    def pages_taken_back(self, homework: str) -> Sequence[object]:
        """Return what `autograder term` gets to write its pages as feedback on a homework as well."""
        return ()

    def pages(self, term: Path) -> int:
        """Return how many people get such a page."""
        return sum(len(feedback_names(archive)) for archive in term.glob("*-feedback.zip"))

    def with_page(self, submitted: int) -> int:
        """Return how many should, of so many who submitted that homework."""
        return submitted

    def marks(self, homework: str, graded: Path) -> dict[str, str]:
        """Return what each person has on the platform in the end, as the file for it has it."""
        return grades(graded)


class Gradescope(Way):
    """A folder with submission_metadata.yml; half of the people have an address there but no id."""

    def with_page(self, submitted: int) -> int:
        return 0

    def exported(self, homework: str, submitted: Submitted, content: Content) -> Sequence[object]:
        top = self.place / f"assignment_{TERM.index(homework)}_export"
        shutil.rmtree(top, ignore_errors=True)
        files: dict[str, bytes] = {}
        listed: dict[str, dict[str, object]] = {}
        for person, attempts in submitted.items():
            for number, one in enumerate(attempts):
                key = f"submission_{1000 * number + person.number}"
                sid = person.id if person.number % 2 else ""
                email = person.email.upper() if person.number % 3 else person.email
                listed[key] = submission((sid, email), created=f"{_utc(one):%Y-%m-%d %H:%M:%S} Z")
                files[f"{key}/{one.file or f'{homework}.ipynb'}"] = content(one)
        return [unpacked(top, files | {"submission_metadata.yml": metadata(**listed)})]


class Canvas(Way):
    """A zip of files; it knows who is late, and a list of the instructor's own by how much."""

    @property
    def gradebook(self) -> Path:
        return self.place / "gradebook.csv"

    def exported(self, homework: str, submitted: Submitted, content: Content) -> Sequence[object]:
        files: dict[str, bytes] = {}
        times = [["id", "submitted"]]
        for person, attempts in submitted.items():
            last = attempts[-1].at
            name = re.sub(r"\W|_", "", person.name).lower()
            start = f"{name}{'_LATE' * (last > DUE[homework])}_{1000 + person.number}"
            times.append([str(1000 + person.number), f"{last:%Y-%m-%d %H:%M}"])
            for number, one in enumerate(attempts):
                again = f"{homework}{f'-{number}' * (number > 0)}.ipynb"
                upload = 9000 + 100 * number + person.number
                files[f"{start}_{upload}_{one.file or again}"] = content(one)
        if not self.gradebook.exists():
            self.gradebook.write_text(self._gradebook(), encoding="utf-8-sig")
        (self.place / "times.csv").write_text(_csv(times))
        archive = packed(self.place / f"{homework}.zip", files)
        return [archive, "--ids", self.gradebook, "--receipts", self.place / "times.csv"]

    def _gradebook(self) -> str:
        names = [f"{name} ({7000 + n})" for n, name in enumerate(TERM)]
        blank = [""] * len(TERM)
        rows = [
            ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names],
            ["    Points Possible", "", "", "", "", *(str(POSSIBLE[name]) for name in TERM)],
            *([p.name, str(1000 + p.number), "", p.id, "One", *blank] for p in self.people),
            ["Student, Test", "8999", "", "8f2c", "One", *blank],
        ]
        return _csv(rows)

    def taken_back(self, homework: str) -> Sequence[object]:
        return ["--canvas", self.gradebook, "--submissions", self.place / f"{homework}.zip"]

    def pages_taken_back(self, homework: str) -> Sequence[object]:
        return ["--submissions", self.place / f"{homework}.zip", "--ids", self.gradebook]

    def marks(self, homework: str, graded: Path) -> dict[str, str]:
        text = (graded / "canvas.csv").read_text(encoding="utf-8-sig")
        self.gradebook.write_text(text, encoding="utf-8-sig")  # imported, and exported again
        header, _, *rows = csv.reader(io.StringIO(text))
        column = next(n for n, cell in enumerate(header) if cell.startswith(homework))
        return {row[3]: row[column] for row in rows if row[3] != "8f2c"}


class Moodle(Way):
    """A zip of folders; people have other numbers in each homework, and the worksheet has whose."""

    def _number(self, homework: str, person: Person) -> int:
        return 500 + 100 * TERM.index(homework) + person.number

    def worksheet(self, homework: str) -> Path:
        return self.place / f"{homework}.csv"

    def exported(self, homework: str, submitted: Submitted, content: Content) -> Sequence[object]:
        files: dict[str, bytes] = {}
        for person, attempts in submitted.items():
            name = re.sub(r'[\x00-\x1f/\\<>:"|?*&]', "", person.name.replace("_", " "))
            folder = f"{name}_{self._number(homework, person)}_assignsubmission_file_"
            one = attempts[-1]  # Moodle keeps no other
            files[f"{folder}/{one.file or f'{homework}.ipynb'}"] = content(one)
        archive = packed(self.place / f"{homework}.zip", files)
        header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
        header += ["Last modified (submission)", "Last modified (grade)", "Feedback comments"]
        rows = [header]
        for person in self.people:
            mine = submitted.get(person)
            rows.append(
                [
                    f"Participant {self._number(homework, person)}",
                    person.name,
                    person.email,
                    "Submitted for grading" if mine else "No submission",
                    "",
                    f"{POSSIBLE[homework]:.2f}",
                    f"{mine[-1].at:%A, %-d %B %Y, %-I:%M %p}" if mine else "-",
                    "-",
                    "",
                ]
            )
        sheet = self.worksheet(homework)
        sheet.write_text(_csv(rows), encoding="utf-8-sig")
        return [archive, "--ids", sheet, "--receipts", sheet]

    def taken_back(self, homework: str) -> Sequence[object]:
        return ["--moodle", self.worksheet(homework)]

    def pages_taken_back(self, homework: str) -> Sequence[object]:
        return self.taken_back(homework)

    def with_page(self, submitted: int) -> int:
        return len(self.people)

    def marks(self, homework: str, graded: Path) -> dict[str, str]:
        text = (graded / "moodle.csv").read_text(encoding="utf-8-sig")
        rows = csv.DictReader(io.StringIO(text))
        ids = {person.email: person.id for person in self.people}
        return {ids[row["Email address"]]: row["Grade"] for row in rows}


class Exchange(Way):
    """nbgrader's submitted/, as `nbgrader collect` fills it from the exchange."""

    def exported(self, homework: str, submitted: Submitted, content: Content) -> Sequence[object]:
        for person, attempts in submitted.items():
            folder = self.course / "submitted" / person.id / homework
            shutil.rmtree(folder, ignore_errors=True)
            one = attempts[-1]  # collect --update replaces it
            unpacked(
                folder,
                {
                    one.file or f"{homework}.ipynb": content(one),
                    "timestamp.txt": f"{_utc(one):%Y-%m-%d %H:%M:%S.%f} UTC".encode(),
                    "submission_secret.txt": f"of-{person.id}".encode(),
                },
            )
        return [self.course / "submitted"]

    def pages_taken_back(self, homework: str) -> Sequence[object]:
        return ["--nbgrader", homework]

    def pages(self, term: Path) -> int:
        return len([*term.glob("feedback/*/*/*.html")])


WAYS: Sequence[type[Way]] = (Gradescope, Canvas, Moodle, Exchange)


def grades(graded: Path) -> dict[str, str]:
    """Return the score of each person in grades.csv."""
    rows = csv.DictReader(io.StringIO((graded / "grades.csv").read_text(encoding="utf-8-sig")))
    return {row["id"]: row["score"] for row in rows if row["id"] != "maximum"}


def feedback_names(archive: Path) -> list[str]:
    """Return the names in a zip of feedback."""
    with zipfile.ZipFile(archive) as opened:
        return opened.namelist()


def _utc(one: Attempt) -> datetime:
    return one.at.replace(tzinfo=ZoneInfo(ZONE)).astimezone(UTC)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
