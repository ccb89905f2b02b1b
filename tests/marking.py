"""What the tests of the marking page share: a gradebook with nbgrader's tables, and a class in it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy
from nbgrader import api

HOMEWORK, QUESTION = "toy", "argue"


def make_gradebook(place: Path | str, students: int) -> str:
    """Make a gradebook, a file or by its URL, in which answers are still to be marked by hand; return its URL."""
    url = place if isinstance(place, str) else f"sqlite:///{place}"
    engine = sqlalchemy.create_engine(url)
    api.Base.metadata.create_all(engine)
    tables = api.Base.metadata.tables
    with engine.begin() as connection:

        def add(table: str, *rows: Mapping[str, object]) -> None:
            connection.execute(tables[table].insert(), list(rows))

        add("course", {"id": "course"})
        add("assignment", {"id": "hw", "name": HOMEWORK, "course_id": "course"})
        add("notebook", {"id": "book", "name": HOMEWORK, "assignment_id": "hw"})
        for kind, id in (("GradeCell", "graded"), ("SolutionCell", "solved")):
            add("base_cell", {"id": id, "name": QUESTION, "notebook_id": "book", "type": kind})
        add("grade_cells", {"id": "graded", "max_score": 2, "cell_type": "markdown"})
        add("solution_cells", {"id": "solved"})
        for number in range(students):
            student = f"s{number:04}"
            id = hashlib.md5(student.encode()).hexdigest()
            add("student", {"id": student})
            add("submitted_assignment", {"id": id, "assignment_id": "hw", "student_id": student})
            add("submitted_notebook", {"id": id, "assignment_id": id, "notebook_id": "book"})
            add("grade", _grade(id))
            add("comment", {"id": id, "notebook_id": id, "cell_id": "solved"})
    engine.dispose()
    return url


def _grade(id: str) -> dict[str, object]:
    return {"id": id, "notebook_id": id, "cell_id": "graded", "needs_manual_grade": True}


def execute(url: str, statement: str, **values: object) -> None:
    """Write into a gradebook as another program does."""
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text(statement), values)
    engine.dispose()


def fill(url: str, texts: Mapping[str, str]) -> None:
    """Write texts, in place of their digests, as `autograder mark --fill` does."""
    execute(
        url,
        "create table if not exists autograder_answer "
        "(grade_id varchar(32) primary key, sha256 varchar(64))",
    )
    for id, text in texts.items():
        execute(url, "delete from autograder_answer where grade_id = :id", id=id)
        execute(url, "insert into autograder_answer values (:id, :text)", id=id, text=text)
        execute(url, "update grade set needs_manual_grade = 1 where id = :id", id=id)


def in_formgrader(url: str, id: str, points: float | None, comment: str | None = None) -> None:
    """Give points and a comment as formgrader does."""
    execute(
        url,
        "update grade set manual_score = :points, needs_manual_grade = :open where id = :id",
        points=points,
        open=points is None,
        id=id,
    )
    execute(url, "update comment set manual_comment = :text where id = :id", text=comment, id=id)


def score(url: str, id: str) -> tuple[float | None, bool, str | None]:
    """Return what nbgrader's own tables say: score, whether a person is needed, comment."""
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as connection:
        row = connection.execute(
            sqlalchemy.text(
                "select manual_score, needs_manual_grade, manual_comment from grade "
                "join comment on comment.id = grade.id where grade.id = :id"
            ),
            {"id": id},
        ).one()
    engine.dispose()
    return row[0], bool(row[1]), row[2]
