"""course: course.toml is found from any folder, and typos are reported."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.course import course, late_days
from autograder.records.errors import UserError
from autograder.records.facts import Receipt

GOOD = 'title = "T"\nterm = "X"\nsecret = "file"\n'


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(course.SECRET_VARIABLE, raising=False)


def read(folder: Path, text: str, *homeworks: str) -> course.Course:
    """Return the settings that a course with this course.toml and these homeworks has."""
    for name in homeworks:
        (folder / "source" / name).mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(text)
    return course.read(folder)


def test_it_is_found_from_below(tmp_path: Path) -> None:
    """Every verb works from any folder of a course."""
    (tmp_path / "course.toml").write_text(GOOD)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert course.find(below) == tmp_path.resolve()


def test_no_course_is_said(tmp_path: Path) -> None:
    """Outside a course, the complaint explains how to name one."""
    with pytest.raises(UserError, match="--course"):
        course.find(tmp_path)


@pytest.mark.parametrize(
    "text",
    [GOOD + "secrte = 'x'\n", GOOD.replace("file", " "), "title = 3\n", "title = ", "title = 'T'"],
)
def test_mistakes_are_refused(tmp_path: Path, text: str) -> None:
    """The line names the file for unknown keys, an empty secret, wrong types and missing keys."""
    with pytest.raises(UserError, match=r"course\.toml"):
        read(tmp_path, text)


def test_staff_who_submit_in_an_exchange_are_a_list(tmp_path: Path) -> None:
    """They are Unix users; without the list, nobody submits for others."""
    assert read(tmp_path, GOOD).exchange.staff == ()
    assert read(tmp_path, f'{GOOD}[exchange]\nstaff = ["grader"]\n').exchange.staff == ("grader",)
    with pytest.raises(UserError, match=r"course\.toml: \[exchange\]: staff: Expected `array`"):
        read(tmp_path, f'{GOOD}[exchange]\nstaff = "grader"\n')


def test_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret can stay out of the file."""
    assert read(tmp_path, GOOD).secret == "file"
    monkeypatch.setenv(course.SECRET_VARIABLE, "environment")
    assert course.read(tmp_path).secret == "environment"
    monkeypatch.setenv(course.SECRET_VARIABLE, "environment\n")
    assert course.read(tmp_path).secret == "environment"


def test_a_byte_order_mark_is_no_part_of_the_secret(tmp_path: Path) -> None:
    """An editor on Windows may write one; other hidden inputs would be drawn."""
    (tmp_path / course.SECRET_FILE).write_bytes(b"\xef\xbb\xbfsecret\r\n")
    assert read(tmp_path, GOOD).secret == "secret"


def test_the_first_run_makes_a_secret(tmp_path: Path) -> None:
    """It does so only once, readable only by the course's staff; an existing one stays."""
    assert read(tmp_path, 'title = "T"\nterm = "X"\n').secret == course.PUBLIC_SECRET
    assert "secret.txt" in course.prepare_secret(tmp_path)
    made = tmp_path / "secret.txt"
    assert made.stat().st_mode & 0o777 == 0o600
    assert course.read(tmp_path).secret == made.read_text().strip()
    assert len(made.read_text()) > 40
    assert made in course.private(tmp_path)
    assert course.prepare_secret(tmp_path) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course.toml", "secret.txt"]
    made.write_text(" \n")
    with pytest.raises(UserError, match=r"secret\.txt: the secret is empty"):
        course.read(tmp_path)


@pytest.mark.parametrize(
    ("secret", "note"),
    [(course.PUBLIC_SECRET, "everybody can draw the hidden inputs"), ("own", "move the text into")],
)
def test_a_secret_in_course_toml_is_noted(tmp_path: Path, secret: str, note: str) -> None:
    """It still counts, and a note explains where it belongs."""
    settings = read(tmp_path, f'title = "T"\nterm = "X"\nsecret = "{secret}"\n')
    assert note in course.prepare_secret(tmp_path)
    assert settings.secret == secret
    assert not (tmp_path / "secret.txt").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[homework.hw1]\nlatedue = 2026-01-01T00:00:00\n",
            "[homework.hw1]: it has no field 'latedue'; is it late_due? The fields are due, late_due, ",
        ),
        (
            "[homework.hw1]\ndue = '30 November'\n",
            "[homework.hw1]: due is not a date with a time; write due = 2026-11-30T23:59:00",
        ),
        ("[homework.hw1]\ndue = 2026-11-30\n", "[homework.hw1]: due is not a date with a time; "),
        ("[homework.hw1]\ndue = tomorrow\n", "write dates as 2026-11-30T23:59:00"),
        (
            "[homework.hw1]\ndue = 2026-11-30T23:59:00\nextensions = { ada = 3 }\n",
            "[homework.hw1]: extensions is not a date with a time for 'ada'; write \"ada\" = 2026-",
        ),
        (
            "[homework.hw1]\ndue = 2026-11-30T23:59:00\n[homework.hw1.extensions]\n"
            '"b" = 2026-11-30T23:59:00\n"101" = "2026-11-25 20:00"\n',
            "for '101'; write \"101\" = 2026-11-30T23:59:00, with quotes around the id and none",
        ),
        (
            "[homework.hw1]\ndue = 2026-11-30T23:59:00\nextensions = { a.b = 2026-11-25T20:00:00 }\n",
            "for 'a.b'; write \"a.b\" = 2026-",
        ),
        (
            "[homework.hw1]\ndue = 2026-11-30T23:59:00\n[homework.hw1.extensions]\na@x.org = 1\n",
            "put quotes around text and ids",
        ),
        (
            "[total]\nexcused = { hw1 = ['a', 101] }\n",
            'put quotes around ids and a list in brackets: hw1 = ["a", "101"]',
        ),
        ("[total]\nexcused = { hw1 = 'ada' }\n", 'hw1 = ["ada"]'),
        ("[total]\nexcused = ['ada']\n", "[total]: excused: Expected `object`, got `array`"),
        ("[homework.hw1]\nlate_due = 2026-11-30T23:59:00\n", "[homework.hw1]: due is missing"),
        (
            "[rules]\nform_at_least = 2\n",
            "[rules]: it has no field 'form_at_least'; is it forms_at_least? ",
        ),
        ("[late]\npercent = 10\n", "[late]: it has no field 'percent'; is it percent_a_day? "),
        (
            "[homework.hw1]\ndue = 0001-01-01T00:00:00\n",
            "[homework.hw1]: due is in the year 1; is a digit missing?",
        ),
        (
            "[homework.hw1]\ndue = 2026-11-30T23:59:00\nextensions = { ada = 9999-12-31T23:59:59 }\n",
            "[homework.hw1]: ada is in the year 9999; is a digit missing?",
        ),
        ("[late]\npercent_a_day = 120\n", "[late]: percent_a_day: Expected `float` <= 100.0"),
        (
            'repository = "a b"\n',
            "repository: 'a b' is not a repository on GitHub; write OWNER/NAME",
        ),
        ("packages = ['scipy >> 1']\n", "packages: pip cannot install 'scipy >> 1'"),
        ("tem = 'Spring'\n", "it has no field 'tem'; is it term? The fields are title, term, "),
        (
            "[homework.hw9]\ndue = 2026-11-30T23:59:00\n",
            "is not a homework in source/ (it has: hw1)",
        ),
        ("explanations = 'x'\n", "write one of after_late_due_date, at_once, never"),
        ("[late]\nrule = 'deducts'\n", "write one of report, deduct"),
        (
            "time_zone = 'Europe/Vieena'\n",
            "there is no time zone 'Europe/Vieena'; write one such as",
        ),
        (
            "[homework.hw1]\ndue = 2026-01-02T00:00:00\nlate_due = 2026-01-01T00:00:00\n",
            "[homework.hw1] late_due is before due",
        ),
    ],
)
def test_a_complaint_says_where_and_how_to_mend_it(tmp_path: Path, text: str, said: str) -> None:
    """It names the table, the field, the possible words, and the form of a date."""
    with pytest.raises(UserError) as found:
        read(tmp_path, GOOD + text, "hw1")
    assert said in str(found.value)
    assert str(found.value).startswith("course.toml: ")


DATES = """time_zone = "Europe/Vienna"
[homework.hw1]
due = 2026-11-30T23:59:00
late_due = 2026-12-07T23:59:00
[homework.hw2]
due = 2026-11-30T23:59:00+00:00
"""


@pytest.mark.parametrize(
    ("homework", "now", "told"),
    [
        ("hw1", datetime(2026, 12, 7, 22, 58, tzinfo=UTC), False),
        ("hw1", datetime(2026, 12, 7, 23, 0, tzinfo=UTC), True),  # 0:00 in Vienna
        ("hw1", datetime(2026, 12, 7, 23, 58, tzinfo=timezone(timedelta(hours=1))), False),
        ("hw2", datetime(2026, 11, 30, 23, 30, tzinfo=UTC), False),
        ("hw2", datetime(2026, 12, 1, 0, 0, tzinfo=UTC), True),
        ("hw3", datetime(2030, 1, 1, tzinfo=UTC), False),  # no dates, no end
    ],
)
def test_mistakes_are_named_after_the_late_due_date(
    tmp_path: Path, homework: str, now: datetime, told: bool
) -> None:
    """Dates are in the course's zone or their own; a homework without dates never gets there."""
    assert read(tmp_path, GOOD + DATES, "hw1", "hw2").explains(homework, now) is told


def test_a_platform_s_later_date_counts_for_what_is_told(tmp_path: Path) -> None:
    """So does an extension there: students who may still submit are not told yet."""
    settings = read(tmp_path, GOOD + DATES, "hw1", "hw2")
    now = datetime(2026, 12, 20, tzinfo=UTC)
    early = datetime(2026, 11, 1, tzinfo=UTC)
    late = datetime(2026, 12, 24, tzinfo=UTC)
    assert settings.explains("hw1", now, Receipt(early))
    assert settings.explains("hw1", now, Receipt(early, due=early))
    assert not settings.explains("hw1", now, Receipt(early, due=late))
    assert not settings.explains("hw1", now, Receipt(early, due=early, late_due=late))
    assert settings.explains("hw3", now, Receipt(early, due=early))
    assert not settings.explains("hw3", now, Receipt(early))


@pytest.mark.parametrize(("word", "told"), [("at_once", True), ("never", False)])
def test_a_course_may_tell_at_once_or_never(tmp_path: Path, word: str, told: bool) -> None:
    """This works with any dates."""
    settings = read(tmp_path, f'{GOOD}explanations = "{word}"\n')
    assert settings.explains("hw1", datetime(2000, 1, 1, tzinfo=UTC)) is told


def test_late_days_are_kept_beside_the_settings(tmp_path: Path) -> None:
    """One homework's replace the same people's days; without slip days they are not read."""
    text = GOOD + "[late]\nslip_days = 3\n[homework.hw1]\ndue = 2026-01-01T12:00:00\n"
    days = late_days.changed({}, "hw1", {"ada": 2, "ben": 0, "=x": 1})
    days = late_days.changed(days, "hw1", {"ada": 0, "chi": 4})
    (tmp_path / late_days.FILE).write_text(late_days.text(days))
    settings = read(tmp_path, text, "hw1")
    assert settings.late_days == {"hw1": {"=x": 1, "chi": 4}}
    packed = course.unpacked(course.packed(settings, "hw1"))
    assert (packed.late_days, packed.late.slip_days) == ({}, 0)
    (tmp_path / late_days.FILE).write_text("id,homework,days\nada,hw1,soon\n")
    with pytest.raises(UserError, match=r"late_days\.csv, line 2"):
        course.read(tmp_path)
    assert read(tmp_path, GOOD).late_days == {}
    with pytest.raises(UserError, match=r"they are in late_days\.csv"):
        read(tmp_path, GOOD + "[late_days.hw1]\nada = 1\n")
