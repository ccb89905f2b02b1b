"""publish: students get their files and the dates, and nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.authoring import release
from autograder.authoring.site import publish
from autograder.cli.main import app
from autograder.course.course import Course, Due, Late
from autograder.marking import lateness
from autograder.records.errors import UserError

NAME = "toy"
SETTINGS = Course(title="Toys", term="Spring")


@pytest.fixture
def mine(mine: Path) -> Path:
    """Return a copy of the toy course, with the files that go out with every homework."""
    for name in publish.FOR_STUDENTS:
        (mine / "release" / name).write_text("numpy\n")
    return mine


def test_students_get_their_files_and_nothing_else(mine: Path, tmp_path: Path) -> None:
    """They get the notebook and its files, but no staff file, solution or course file."""
    target = tmp_path / "students"
    publish.publish(mine, SETTINGS, [NAME], target)
    there = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert there == {"environment.yml", "homeworks.md", "requirements.txt", f"{NAME}/{NAME}.ipynb"}


def test_the_course_itself_is_refused(mine: Path) -> None:
    """Students' files never land beside the solutions."""
    for folder in (mine, mine / "students", mine / "release"):
        with pytest.raises(UserError, match="inside the repository"):
            publish.publish(mine, SETTINGS, [NAME], folder)


def test_the_page_has_the_dates_in_the_course_s_zone(mine: Path, tmp_path: Path) -> None:
    """It has points, due dates, late dates and the cost of a late day."""
    due = Due(
        due=datetime(2026, 11, 30, 22, 59, tzinfo=UTC), late_due=datetime(2026, 12, 7, 23, 59)
    )
    settings = Course(
        title="Toys",
        term="Spring",
        time_zone="Europe/Vienna",
        late=Late(rule="deduct", percent_a_day=12.5),
        homework={NAME: due},
    )
    publish.publish(mine, settings, [NAME], tmp_path / "students")
    page = (tmp_path / "students" / "homeworks.md").read_text()
    assert page.startswith("# Toys, Spring\n")
    assert "| Monday 30 November 2026, 23:59 | Monday 7 December 2026, 23:59 |" in page
    assert "| 7 | [toy.ipynb](toy/toy.ipynb) |" in page
    assert lateness.rule(settings) in page


def test_packages_of_the_course_are_in_requirements_txt(mine: Path, tmp_path: Path) -> None:
    """They come after the packages of every notebook, only once however often it is published."""
    settings = Course(title="Toys", term="Spring", packages=("scipy>=1.11",))
    for _ in range(2):
        publish.publish(mine, settings, [NAME], tmp_path / "students")
    needed = (tmp_path / "students" / "requirements.txt").read_text()
    assert needed == "numpy\nscipy>=1.11\n"


def test_the_verb_publishes_every_homework(mine: Path, tmp_path: Path) -> None:
    """Without a name it publishes all of them; a homework without a date is noted."""
    words = ["publish", "--to", str(tmp_path / "students"), "--course", str(mine)]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "students" / NAME / f"{NAME}.ipynb").is_file()
    assert "course.toml has no due date for toy" in ran.output


def test_a_file_that_is_no_longer_released_is_noted(mine: Path, tmp_path: Path) -> None:
    """It stays, because it may be somebody else's; only a site writes its pages again."""
    data, target = mine / "source" / NAME / "data", tmp_path / "students"
    data.mkdir()
    words = ["publish", "--to", str(target), "--course", str(mine)]
    for name in ("answers.csv", "numbers.csv"):
        (data / "answers.csv").unlink(missing_ok=True)
        (data / name).write_text("1\n")
        release.write_release(mine, NAME)
        ran = CliRunner().invoke(app, words)
    assert f"are not in release/: {NAME}/data/answers.csv; delete" in ran.output
    (target / NAME / "index.html").write_text("a site's")
    data_file = Path(NAME, "data", "answers.csv")
    assert publish.left_over(mine, [NAME], target, site=True) == [data_file]
    assert publish.left_over(mine, [NAME], target) == [data_file, Path(NAME, "index.html")]
