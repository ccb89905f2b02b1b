"""schemas: every results.json and submission_log.json fits its schema."""

import json
from dataclasses import fields
from typing import get_args

import jsonschema
import pytest

from autograder.marking.mark import mark
from autograder.platforms.gradescope import attempts, metadata, run
from autograder.records import codec
from autograder.records.facts import (
    CellError,
    Common,
    Digest,
    Outcome,
    Receipt,
    Remark,
    Status,
    Submission,
    SubmissionId,
    SubmissionLog,
)
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark
from autograder.records.questions import Heatmap, Visibility
from autograder.reports import results_json
from autograder.store import embedded_log
from tests.helpers import COURSE
from tests.schemas import FORMS, fits, schema
from tests.uploads import third, upload


@pytest.mark.parametrize("name", FORMS)
def test_a_schema_is_one(name: str) -> None:
    """It fits the schema of schemas."""
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_the_log_s_schema_names_the_fields_of_the_records() -> None:
    """An added or renamed field must be added here, with a new version."""
    form = schema("submission_log.json")
    record = {field.name for field in fields(SubmissionLog)} - {"original"}
    assert set(form["properties"]) == record
    assert set(form["required"]) == record
    inner = {
        SubmissionId: form["properties"]["submission"],
        CellError: form["properties"]["errors"]["items"],
        Outcome: form["$defs"]["outcome"],
        Common: form["$defs"]["common"],
        Digest: form["$defs"]["common"]["properties"]["values"]["items"],
        Receipt: form["properties"]["receipt"]["anyOf"][1],
        Remark: form["$defs"]["remark"],
    }
    for kind, one in inner.items():
        assert set(one["properties"]) == set(one["required"]) == {f.name for f in fields(kind)}
    assert set(inner[Outcome]["properties"]["status"]["enum"]) == set(get_args(Status))
    test = schema("results.json")["properties"]["tests"]["items"]["properties"]
    assert set(test["visibility"]["enum"]) == set(get_args(Visibility))
    assert form["properties"]["schema"]["const"] == SubmissionLog.schema


def test_pages_that_no_grading_wrote_have_the_form_too(toy: Homework, solved: Submission) -> None:
    """This covers refused, unfinished and limited ones, with a log and with one that is too long."""
    log = SubmissionLog(toy.name, solved.id, versions={"autograder": "1"})
    grade = mark(toy, log, COURSE)
    page = results_json.results(grade)
    long = SubmissionLog(
        toy.name, solved.id, remarks=tuple(f"{n * 7919 % 1_000_003:x}" * 3 for n in range(60_000))
    )
    said = metadata.understood({}, COURSE.zone)
    assert attempts.instead(said, COURSE) is None
    limited = third(upload(8), upload(9, results=page))
    assert limited is not None
    for shown in (
        page,
        results_json.refused("no"),
        run.said_first(run.STOPPED, results_json.refused("")),
        run.said_first(run.FAILED, page, attempt=False),
        embedded_log.with_log(page, log),
        embedded_log.with_log(page, long),
        run.finished(grade, log, toy, COURSE),
        limited,
    ):
        fits("results.json", json.loads(codec.indented(shown)))
    assert embedded_log.with_log(page, long)["extra_data"]["log"] is None
    assert embedded_log.log(embedded_log.with_log(page, log)) == log
    fits("submission_log.json", json.loads(codec.encode_log(log)))


def test_a_page_of_another_form_is_told() -> None:
    """The schema does not accept everything."""
    page = results_json.refused("no")
    for wrong in (
        page | {"score": "7"},
        page | {"tests": [{}]},
        page | {"output": "x" * 100_001},
        page | {"name": "Ada"},
        {key: page[key] for key in page if key != "score"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            fits("results.json", wrong)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        "<b>&" * 60_000,
        "`" * 150_000,
        "line\n" * 60_000,
        "\x00\ud800".encode("utf-8", "replace").decode() * 60_000,
    ],
    ids=["long", "markup", "backticks", "lines", "odd"],
)
def test_no_field_is_longer_than_the_platform_keeps(text: str) -> None:
    """Text is cut before it becomes markup."""
    picture = Heatmap("title", ("a",), ("b",), ((0.5,),))
    mark = Mark("q", 1.0, 0.0, text, pictures=(picture,) * 3)
    grade = Grade(SubmissionId("someone", "notebook", "0" * 64), (mark,), remarks=(text, "b"))
    page = results_json.results(grade)
    fits("results.json", page)
    for shown in (page["output"], page["tests"][0]["output"]):
        assert len(shown) < 100_000
        assert shown.count("<p>") == shown.count("</p>")
        assert shown.count("<pre>") == shown.count("</pre>")
        assert "<b>" not in shown
