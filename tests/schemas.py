"""Whether files that are written have the form that their schema gives them."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.helpers import ROOT

SCHEMAS = ROOT / "autograder" / "records" / "schemas"
FORMS = {
    "results.json": "results.v1",
    "submission_log.json": "submission_log.v2",
    "grade.json": "grade.v1",
}


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{FORMS[name]}.schema.json").read_text())
    return found


def fits(name: str, values: object) -> None:
    """Fail unless values have the form of a file."""
    jsonschema.validate(
        values, schema(name), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )


def all_fit(out: Path) -> int:
    """Fail unless each such file in a folder of results has its form; return how many there are."""
    found = [path for name in FORMS for path in out.rglob(name)]
    for path in found:
        fits(path.name, json.loads(path.read_text(encoding="utf-8")))
    return len(found)
