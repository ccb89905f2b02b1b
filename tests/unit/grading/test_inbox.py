"""arrivals and watching: new submissions in a folder or exchange, and the daily limit."""

import hashlib
import itertools
import os
import pwd
import shutil
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

from autograder.course import course
from autograder.course.people import People
from autograder.grading import inbox as module
from autograder.grading.inbox import SETTLED_SECONDS, Arrivals
from autograder.grading.watching import STATE, Limit, Settings, watch
from autograder.grading.wire import Graded
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission import discover
from autograder.submission.opening import Listed
from tests.helpers import COURSE, TOY

ME = pwd.getpwuid(os.geteuid()).pw_name
ROSTER = People.of({"ada": {}, ME: {}})


@pytest.fixture(autouse=True)
def _each_look_is_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let enough time pass between two looks to show that nothing is being written."""
    clock = itertools.count(0.0, SETTLED_SECONDS)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))


def put(path: Path, text: str = "{}") -> Path:
    """Write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def looked(arrivals: Arrivals) -> tuple[list[discover.Found], list[str]]:
    """Return the findings of two looks, and the complaints of the second."""
    assert arrivals.new()[0] == []
    return arrivals.new()


def submitted(exchange: Path, student: str, at: str, secret: str = "s3cret") -> Path:
    """Put a submission into an exchange like nbgrader."""
    folder = exchange / "inbound" / f"{student}+toy+{at} UTC+x7"
    put(folder / "toy.ipynb")
    (folder / "submission_secret.txt").write_text(secret)
    return folder


def test_an_exchange_has_each_persons_newest_submission(tmp_path: Path) -> None:
    """It has nbgrader's own time; other homeworks are ignored, and links are reported."""
    submitted(tmp_path, "ada", "2026-03-01 10:00:00.000001")
    newest = submitted(tmp_path, "ada", "2026-03-02 09:00:00.000001")
    put(tmp_path / "inbound" / "ada+other+2026-03-03 09:00:00 UTC+x" / "toy.ipynb")
    (tmp_path / "inbound" / "ben+toy+2026-03-03 09:00:00 UTC+x").symlink_to(newest)
    (one,), (complaint,) = looked(Arrivals(tmp_path, "toy", People()))
    assert "ben+toy+2026-03-03 09:00:00 UTC+x: ignored, because it is a link or a file" in complaint
    assert (one.student, str(one.path)) == ("ada", str(newest / "toy.ipynb"))
    assert one.receipt is not None
    assert one.receipt.at == datetime(2026, 3, 2, 9, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "receipt"),
    [
        ("2026-03-02 09:00:00 PST", Receipt(people=("ada",), local="2026-03-02 09:00:00 PST")),
        ("2026-03-02 09:00:00 XYZ", Receipt(people=("ada",), local="2026-03-02 09:00:00 XYZ")),
        (
            "2026-03-02 14:45:00 +0545",
            Receipt(datetime(2026, 3, 2, 9, tzinfo=UTC), people=("ada",)),
        ),
    ],
)
@pytest.mark.parametrize("secret", ["", "+x7", "+1234"])
def test_an_exchange_may_have_a_time_zone_of_its_own(
    tmp_path: Path, at: str, receipt: Receipt, secret: str
) -> None:
    """It has nbgrader's form of `%Z`: an abbreviation, or an offset with a plus."""
    put(tmp_path / "inbound" / f"ada+toy+{at}{secret}" / "toy.ipynb")
    (one,), complaints = looked(Arrivals(tmp_path, "toy", People()))
    assert (one.receipt, complaints) == (receipt, [])


def test_an_exchange_knows_an_imported_homework_by_nbgraders_names(tmp_path: Path) -> None:
    """For an assignment with several notebooks, it is the imported one."""
    folder = tmp_path / "inbound" / "ada+ps1+2026-03-01 10:00:00 UTC+x"
    for name in ("toy", "second"):
        put(folder / f"{name}.ipynb")
    (one,), complaints = looked(Arrivals(tmp_path, "ps1_toy", People(), collected="ps1/toy"))
    assert (one.student, str(one.path), complaints) == ("ada", str(folder / "toy.ipynb"), [])


def test_a_person_s_folder_may_have_several_homeworks(tmp_path: Path) -> None:
    """They go by their names, as in `grade`."""
    for name in ("toy", "next"):
        put(tmp_path / "ada" / f"{name}.ipynb")
    found, complaints = looked(Arrivals(tmp_path, "toy", People(), others=("next", "toy")))
    assert ([str(one.path) for one in found], complaints) == (
        [str(tmp_path / "ada" / "toy.ipynb")],
        [],
    )


def test_what_belongs_to_one_student_is_no_submission_of_another(tmp_path: Path) -> None:
    """The folder's owner counts as a person of the roster, not the person it is named after."""
    submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    found, complaints = looked(Arrivals(tmp_path, "toy", ROSTER))
    assert found == []
    assert f"belongs to {ME} but has the name of ada; it is ignored" in complaints[0]


def test_a_report_goes_where_nbgrader_looks_for_it(tmp_path: Path) -> None:
    """Its name needs the student's secret; without a secret it goes nowhere."""
    folder = submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    arrivals = Arrivals(tmp_path, "toy", People())
    (one,), _ = looked(arrivals)
    report = put(tmp_path / "report.html", "<p>5 points")
    back = arrivals.give_back(one, report)
    name = hashlib.md5(b"s3crettoy").hexdigest()
    assert back == tmp_path / "feedback" / f"{name}.html"
    assert back.read_text() == "<p>5 points"
    assert back.stat().st_mode & 0o777 == 0o644
    assert back.parent.stat().st_mode & 0o777 == 0o711
    (folder / "submission_secret.txt").unlink()
    assert arrivals.give_back(one, report) is None


def test_a_folder_is_looked_at_again_and_again(tmp_path: Path) -> None:
    """A file comes once, and again after a change; new files cause no complaint."""
    place, back = tmp_path / "in", tmp_path / "back"
    place.mkdir()
    arrivals = Arrivals(place, "toy", People(), back)
    assert arrivals.new() == ([], [])
    path = put(place / "ada" / "toy.ipynb")
    put(place / "ben" / "toy.ipynb")
    found, complaints = looked(arrivals)
    assert ([one.student for one in found], complaints) == (["ada", "ben"], [])
    assert arrivals.new() == ([], [])
    put(path, "{  }")
    ((one,), complaints) = looked(arrivals)
    assert complaints == []
    arrivals.later(one)
    assert arrivals.new()[0] == [one]
    report = put(tmp_path / "report.html", "r")
    assert arrivals.give_back(one, report) == back / "ada" / "toy.html"
    assert Arrivals(place, "toy", People()).give_back(one, report) is None


@pytest.mark.parametrize("name", ["..", ".lock", "-rf", "a\n\x1b[2J", "grades.csv"])
def test_a_folder_s_name_that_is_no_id_is_left_out(tmp_path: Path, name: str) -> None:
    """It would become a folder of results; the complaint has no control characters."""
    submitted(tmp_path, name, "2026-03-01 10:00:00")
    submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    (one,), (complaint,) = looked(Arrivals(tmp_path, "toy", People()))
    assert one.student == "ada"
    assert "ignored, because its name has no id in it" in complaint
    assert complaint.isprintable()


def test_a_zip_and_what_is_none_come_once(tmp_path: Path) -> None:
    """They come again after a change: otherwise each look would count as a grading."""
    arrivals = Arrivals(tmp_path, "toy", People())
    for text in ("{}", "{  }"):
        with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
            archive.writestr("toy.ipynb", text)
        put(tmp_path / "ben" / f"{len(text)}.docx")
        assert [one.student for one in looked(arrivals)[0]] == ["ada", "ben"]
        assert arrivals.new()[0] == []


def test_what_vanishes_while_it_is_looked_at_comes_when_it_is_back(tmp_path: Path) -> None:
    """This covers a file that goes after a look, and a whole folder, as on an absent disk."""
    place = tmp_path / "in"
    path = put(place / "ada" / "toy.ipynb")
    put(place / "ben" / "toy.ipynb")
    arrivals = Arrivals(place, "toy", People())
    assert arrivals.new() == ([], [])
    path.unlink()
    found, complaints = arrivals.new()
    assert [one.student for one in found] == ["ben"]
    assert complaints == []
    place.rename(tmp_path / "away")
    found, (complaint,) = arrivals.new()
    assert found == []
    assert complaint == f"{place}: it cannot be searched (No such file or directory)"
    (tmp_path / "away").rename(place)
    put(path)
    assert [one.student for one in looked(arrivals)[0]] == ["ada"]


@pytest.mark.parametrize("hours", [-1, 24])
def test_a_file_s_own_time_tells_nothing(tmp_path: Path, hours: int) -> None:
    """A clock may be ahead, or somebody may set a time: two looks decide."""
    path = put(tmp_path / "ada" / "toy.ipynb")
    os.utime(path, (time.time() + 3600 * hours,) * 2)
    found, complaints = looked(Arrivals(tmp_path, "toy", People()))
    assert ([one.student for one in found], complaints) == (["ada"], [])


def test_what_is_being_written_waits_and_is_named(tmp_path: Path) -> None:
    """This covers the notebook and its files; the line stays the same, so a watch prints it once."""
    path, arrivals = put(tmp_path / "ada" / "toy.ipynb"), Arrivals(tmp_path, "toy", People())
    said = []
    assert arrivals.new() == ([], [])
    for text in ("{ }", "{  }"):
        path.write_text(text)
        found, complaints = arrivals.new()
        assert found == []
        said += complaints
    put(tmp_path / "ada" / "helper.py", "x = 1")
    found, complaints = arrivals.new()
    said += complaints
    assert (
        said
        == [f"{path}: it is still being written; it waits until nothing changes for 2 seconds"] * 3
    )
    (one,), complaints = arrivals.new()
    assert (list(one.helpers), complaints) == (["helper.py"], [])
    put(tmp_path / "ada" / "helper.py", "x = 2")
    (again,), _ = looked(arrivals)
    assert again.path == one.path


def test_of_a_unix_user_s_name_only_their_own_folder_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So do folders of named staff; anybody else's newer one is ignored and reported."""
    users = {"ada": os.geteuid(), "grader": 4242, "nobody": 65534}
    named = {
        name: pwd.struct_passwd((name, "x", uid, uid, "", "/", "/bin/sh"))
        for name, uid in users.items()
    }
    monkeypatch.setattr(pwd, "getpwnam", named.__getitem__)
    monkeypatch.setattr(
        pwd, "getpwuid", lambda uid: {one.pw_uid: one for one in named.values()}[uid]
    )
    own = submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    owners = {}

    def inside(folder: Listed) -> list[Listed]:
        return [replace(one, owner=owners.get(one.name, one.owner)) for one in listed(folder)]

    listed = Listed.inside
    monkeypatch.setattr(Listed, "inside", inside)
    for day, owner in enumerate((65534, 77777), 2):
        owners[submitted(tmp_path, "ada", f"2026-03-0{day} 10:00:00").name] = owner
    (one,), complaints = looked(Arrivals(tmp_path, "toy", People()))
    assert str(one.path) == str(own / "toy.ipynb")
    assert [line.partition(": it ")[2] for line in complaints] == [
        f"belongs to {owner} but has the name of ada; it is ignored, unless [exchange] in course.toml names {owner} as staff"
        for owner in ("nobody", "user 77777")
    ]
    owners[submitted(tmp_path, "ada", "2026-03-09 10:00:00").name] = 4242
    (one,), complaints = looked(Arrivals(tmp_path, "toy", People(), staff=["grader"]))
    assert "2026-03-09" in str(one.path)
    assert len(complaints) == 2
    # Where students are not Unix users all may have one, whose name tells nothing.
    del named["ada"]
    submitted(tmp_path, "ben", "2026-03-01 10:00:00")
    found, complaints = looked(Arrivals(tmp_path, "toy", People()))
    assert ([one.student for one in found], complaints) == (["ada", "ben"], [])


def test_a_report_goes_to_whoever_submitted(tmp_path: Path) -> None:
    """A folder that replaced the graded one has somebody else's secret."""
    folder = submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    arrivals = Arrivals(tmp_path, "toy", People())
    (one,), _ = looked(arrivals)
    shutil.move(folder, tmp_path / "aside")
    submitted(tmp_path, "ada", "2026-03-01 10:00:00", secret="mine")
    assert arrivals.give_back(one, put(tmp_path / "report.html", "<p>5 points")) is None
    assert not (tmp_path / "feedback").exists()


def test_a_day_has_a_limit_that_outlives_the_watch(tmp_path: Path) -> None:
    """Each person's gradings per day count, even after a restart; a broken count starts anew."""
    settings = replace_limit(2)
    limit = Limit(tmp_path, settings)
    for expected in (False, False, True):
        assert limit.reached("ada") is expected
        limit.count("ada")
    assert Limit(tmp_path, settings).reached("ada")
    assert not Limit(tmp_path, settings).reached("ben")
    assert not Limit(tmp_path, replace_limit(0)).reached("ada")
    (tmp_path / STATE).write_text('{"day": "2026-01-01", "graded": {"ada": 9}}')
    assert not Limit(tmp_path, settings).reached("ada")
    (tmp_path / STATE).write_text("[[")
    assert not Limit(tmp_path, settings).reached("ada")


def replace_limit(a_day: int) -> course.Course:
    return structs.replace(COURSE, gradescope=course.Platform(attempts_a_day=a_day))


def test_a_name_that_is_not_utf_8_has_a_page_in_an_exchange(tmp_path: Path) -> None:
    """Its student chose the name of the file; its bytes decide the name of the page."""
    folder = submitted(tmp_path, ME, "2026-03-04 05:06:07.123456")
    (folder / "toy.ipynb").rename(Path(os.fsdecode(bytes(folder) + b"/toy\xff.ipynb")))
    arrivals = Arrivals(tmp_path, "toy", ROSTER)
    ((item,), _) = looked(arrivals)
    back = arrivals.give_back(item, put(tmp_path / "out" / "report.html", "<p>"))
    assert back is not None
    assert back.stem == hashlib.md5(b"s3crettoy\xff").hexdigest()
    assert back.read_text() == "<p>"


class Quick:
    """A grader that only writes a report."""

    course, homework = COURSE, None

    def grade(self, item: discover.Found, out: Path) -> Graded:
        put(out / item.student / "report.html", "<p>")
        return Graded(item.student, out / item.student)


class Refusing(Arrivals):
    """A folder to which ada's report cannot be returned, through a fault of a platform's code."""

    def give_back(self, item: discover.Found, report: Path) -> Path | None:
        if item.student == "ada":
            raise ZeroDivisionError("a fault\nof a platform")
        return super().give_back(item, report)


def test_a_fault_in_returning_a_report_does_not_end_the_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the submission and where its report is; the next person's report is returned."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    for name in ("ada", "ben"):
        put(tmp_path / "in" / f"{name}.ipynb")
    arrivals = Refusing(tmp_path / "in", "toy", People(), tmp_path / "back")
    grader, out = Quick(), tmp_path / "out"
    events = list(watch(grader, arrivals, out, Settings(TOY), every=0, once=True))  # type: ignore[arg-type]
    (said,) = (event.said for event in events if event.said)
    assert "ada.ipynb: its report cannot be returned (ZeroDivisionError: a fault" in said
    assert str(out / "ada" / "report.html") in said
    graded = [(one.graded.name, one.returned) for one in events if one.graded]
    assert graded == [("ada", None), ("ben", tmp_path / "back" / "ben" / "toy.html")]


class Away(Quick):
    """A grader on a machine whose shared disk is away."""

    def __init__(self) -> None:
        self.tries = 0

    def grade(self, item: discover.Found, out: Path) -> Graded:
        self.tries += 1
        return Graded(item.student, out / item.student, complaint="away", later=True)


def test_what_could_not_be_read_is_tried_at_each_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first complaint is printed, and no earlier report is returned for it."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    put(tmp_path / "in" / "ada.ipynb")
    put(tmp_path / "out" / "ada" / "report.html", "<p>Earlier")
    back = tmp_path / "back"
    arrivals, grader = Arrivals(tmp_path / "in", "toy", People(), back), Away()
    looks = watch(grader, arrivals, tmp_path / "out", Settings(TOY), every=0, once=False)  # type: ignore[arg-type]
    events = list(itertools.islice(looks, 5))
    assert grader.tries == 3
    assert [one.graded.complaint for one in events if one.graded] == ["away"]
    assert not back.exists()


def test_changed_settings_that_could_not_be_read_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shared disk may be away for a few looks; one line says so."""
    put(tmp_path / "course.toml", 'title = "T"\nterm = "X"\nsecret = "s"\n')
    settings = Settings(tmp_path)
    put(tmp_path / "roster.csv", "id,name\nada,Ada\n")
    (tmp_path / "in").mkdir()
    arrivals = Arrivals(tmp_path / "in", "toy", settings.people)
    looks = watch(Quick(), arrivals, tmp_path / "out", settings, every=0, once=False)  # type: ignore[arg-type]
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with monkeypatch.context() as patched:
        patched.setattr(course, "read", away)
        events = list(itertools.islice(looks, 3))
    assert [one.said[:5] for one in events] == ["away;", "", ""]
    assert settings.changed()
    assert settings.people.by_id


def away(_: Path) -> course.Course:
    """Read no settings."""
    raise UserError("away")
