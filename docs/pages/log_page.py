"""docs/reference/submission_log.md: each field of the log, in the schema's words, with what a real run wrote.

python -m docs.pages.log_page
"""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from autograder.cli.main import app
from tests.helpers import EXAMPLES, ROOT
from tests.schemas import schema

PAGE = ROOT / "docs" / "reference" / "submission_log.md"
EXAMPLE = "crashes_midway"
EXPORT = """\
submission_1:
  :submitters:
  - :sid: "4711"
  :created_at: 2026-11-01 17:00:00 Z
"""
LONGEST = 110

HEAD = """\
# submission_log.json, field by field

The log has the facts that the sandbox found out about one submission, without marks. Marks follow from it, the homework and the course's secret, so `autograder regrade` needs nothing else. [JSON Schema](../../autograder/records/schemas/submission_log.v2.schema.json).

The examples come from grading `tests/submissions/hw2_transformer/{name}.ipynb` as a Gradescope export; long values are cut. `make figures` writes this page.
"""


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        export, out = folder / "assignment_7_export", folder / "graded"
        (export / "submission_1").mkdir(parents=True)
        shutil.copy(EXAMPLES / f"{EXAMPLE}.ipynb", export / "submission_1")
        (export / "submission_metadata.yml").write_text(EXPORT)
        words = ["grade", "hw2_transformer", str(export), "--out", str(out)]
        ran = CliRunner().invoke(app, [*words, "--course", str(ROOT)])
        assert ran.exit_code == 0, ran.output
        log = json.loads((out / "4711" / "submission_log.json").read_text())
    PAGE.write_text(page(log), encoding="utf-8")


PLAIN = '`{"data": ...}` contains a value that is neither an array of numbers nor text. '


def page(log: dict[str, Any]) -> str:
    """Return the page, with the values of a log."""
    form = schema("submission_log.json")
    parts = [HEAD.replace("{name}", EXAMPLE), *_table("Top level", form, log)]
    submission = form["properties"]["submission"]
    parts += _table("`submission`: its identity", submission, log["submission"])
    error = form["properties"]["errors"]["items"]
    parts += _table("Each of `errors`: a cell that failed", error, log["errors"][0])
    parts += _table(
        "Each of `outcomes`: a case of a question", form["$defs"]["outcome"], log["outcomes"][0]
    )
    common = next(iter(log["common"].values()))
    parts += _table(
        "Each of `common`: a wrong answer, for inputs that all submissions share",
        form["$defs"]["common"],
        common,
    )
    parts += _table(
        "Each of its `values`",
        form["$defs"]["common"]["properties"]["values"]["items"],
        common["values"][0],
    )
    array = next(iter(log["outcomes"][0]["value"].values()))
    parts += _table("An array in a `value`", form["$defs"]["array"], array)
    parts += [
        "## Other plain data in a `value`",
        "",
        PLAIN + form["$defs"]["data"]["description"],
        "",
    ]
    parts += _table(
        "Each of `repairs` and `remarks`: a sentence", form["$defs"]["remark"], log["repairs"][0]
    )
    receipt = form["properties"]["receipt"]["anyOf"][1]
    parts += _table("`receipt`: when a platform received it", receipt, log["receipt"])
    original = sorted(set(log) - set(form["properties"]))
    parts += [
        "## Keys of the original homework",
        "",
        "The top level also has the keys of the original homework's log, so programs that read that "
        "form can read this one. Here: " + ", ".join(f"`{key}`" for key in original) + ".",
        "",
    ]
    return "\n".join(parts)


def _table(title: str, form: dict[str, Any], values: dict[str, Any]) -> list[str]:
    lines = [f"## {title}", "", "| Field | Meaning | Example |", "|---|---|---|"]
    for name, one in form["properties"].items():
        says = one.get("description", " or ".join(map(str, one.get("enum", []))))
        lines.append(f"| `{name}` | {says} | {_cell(values.get(name))} |")
    return [*lines, ""]


def _cell(value: object) -> str:
    if value in (None, [], {}, ""):
        return f"`{json.dumps(value)}`"
    text = json.dumps(value, ensure_ascii=False)
    text = text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " ..."
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


if __name__ == "__main__":
    main()
