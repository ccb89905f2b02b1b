"""The log inside results.json, for places without other files: Gradescope, and earlier versions.

Gradescope keeps only this file, so it contains the log; the previous version kept marks nowhere
else.
"""

import base64
import gzip
import io
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog
from autograder.store import files

MAX_LOG = 90_000
"""Characters: Gradescope cuts a field at 100,000."""


def with_log(page: dict[str, Any], log: SubmissionLog) -> dict[str, Any]:
    """Return results.json with the log in it, for places that keep no other file."""
    text = codec.encode_log(log)
    carried = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    data: dict[str, Any] = {
        "log_sha256": codec.facts_sha256(log),
        "grader": log.versions.get("autograder", ""),
        "isolation": list(log.isolation),
        "log": carried if len(carried) <= MAX_LOG else None,
    }
    if data["log"] is None:
        data["notes"] = [
            f"The log has {len(carried):,} characters, too many for this file. To grade "
            "again, download the submissions and use `autograder grade`."
        ]
    return page | {"extra_data": page["extra_data"] | data}


def log(page: object) -> SubmissionLog:
    """Return the log that `with_log` put into results.json; raise UserError if there is none."""
    data = page.get("extra_data") if isinstance(page, dict) else None
    carried = data.get("log") if isinstance(data, dict) else None
    if not isinstance(carried, str):
        raise UserError("its results.json contains no log; grade the submission again")
    try:
        with gzip.open(io.BytesIO(base64.b64decode(carried, validate=True))) as file:
            text = file.read(codec.MAX_BYTES + 1)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"the log in its results.json cannot be read ({error})") from error
    return codec.decode_log(text)


def says_of_a_log(folder: Path) -> bool:
    """Return whether a folder's results.json contains a log or the reason why not."""
    try:
        page = json.loads((folder / files.RESULTS).read_text(encoding="utf-8"))
        return "log" in page["extra_data"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def points(folder: Path) -> tuple[Mapping[str, float], float]:
    """Return the points by question in results.json, and the points that lateness costs.

    Questions marked by hand are not included.
    """
    try:
        page = json.loads((folder / files.RESULTS).read_text(encoding="utf-8"))
        given = {
            test["extra_data"]["question"]: float(test["score"])
            for test in page["tests"]
            if "score" in test
        }
        return given, float(page["extra_data"].get("late_penalty", 0.0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{files.RESULTS} cannot be read ({error})") from error
