"""Records to JSON and back, strictly: anything that deviates from this format is refused.

This is the only format that crosses the trust line. It has no pickle, no NaN and no duplicate keys;
`data` defines how it represents values.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import msgspec

from autograder.records.data import decode_value, encode_value
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog
from autograder.records.marks import Grade

MAX_BYTES = 50_000_000


def loads(data: bytes | str, *, limit: int = MAX_BYTES) -> Any:
    """Parse one strict JSON document.

    Raises:
        UserError: too large, not UTF-8, not JSON, or JSON with NaN, Infinity,
            numbers beyond float64, duplicate keys, huge integers or bottomless nesting.
    """
    if len(data) > limit:
        raise UserError(f"it is larger than {limit:,} bytes")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        value = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique_keys
        )
    except UserError:
        raise
    except UnicodeError as error:
        raise UserError("it is not UTF-8 text") from error
    except RecursionError as error:
        raise UserError("it is nested too deeply") from error
    except ValueError as error:
        raise UserError(f"it is not JSON ({error})") from error
    return value


def _no_constant(name: str) -> Any:
    raise UserError(f"it has {name}, which is not a number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise UserError(f"the key {key!r:.80} appears twice")
        value[key] = item
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise UserError(f"it has {digits:.20}, which is too large for a number")
    return number


def printable(text: str) -> str:
    """Return text that can be written as UTF-8: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def one_line(text: object) -> str:
    """Return text for one line of a terminal, with unprintable characters replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


def with_full_stop(text: str) -> str:
    """Return text with a full stop, unless it already ends like a sentence."""
    return text if text.endswith((".", "?", "!", ".)", "…")) else f"{text}."


def shown(text: str) -> str:
    """Return text without invisible characters: controls, and those that reverse its direction.

    Each becomes a replacement character; line breaks and tabs stay.
    """
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def no_formula(cell: str) -> str:
    """Return a CSV cell that no spreadsheet reads as a formula; `given_cell` reverses this."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def given_cell(cell: str) -> str:
    """Return the text that `no_formula` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


# A number below 0 stays a number.
_FORMULA = re.compile(r"(?!-\d+(?:\.\d+)?\Z)[=+\-@\t\r\n]")


# An escape moves a terminal's cursor; U+202E and its like show a text backwards.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe(name: str) -> str:
    """Turn any text into one folder's name; both encodings of an accented letter become one.

    The result is never a command's option, a hidden file, or one of our own files such as
    grades.csv.
    """
    plain = re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", name))
    plain = _OURS.sub("_", plain.lstrip("-._").rstrip("._")[:80])
    # A file system counts bytes.
    return plain.encode()[:200].decode(errors="ignore") or "submission"


_OURS = re.compile(r"\.(?=(?:csv|html|json|ipynb|txt|tmp|db|pdf|lock)\Z)", re.IGNORECASE)


def dumps(value: Any) -> str:
    """Return compact JSON; raise ValueError for NaN, and TypeError for other types."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def indented(value: Any) -> str:
    """Return JSON for people, a list of numbers on one line.

    Python's own indenting writer is many times slower.
    """
    try:
        text: str = msgspec.json.format(dumps(value), indent=1)
    except msgspec.DecodeError:  # half a surrogate pair, which a submitted output may have
        whole = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text = msgspec.json.format(printable(whole), indent=1)
    return _NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text)


_NUMBERS = re.compile(r"\[\n([-+.eE\d,\s]+)\]")  # no string contains a raw line break


def encode_log(log: SubmissionLog) -> str:
    """Return submission_log.json: our record, and the original homework's keys beside it."""
    record: dict[str, Any] = msgspec.to_builtins(_with_values(log, encode_value))
    original = record.pop("original")
    return indented(original | record) + "\n"


def facts_sha256(log: SubmissionLog) -> str:
    """Return a digest of a submission's results, independent of when and where it was graded.

    It leaves out times (including that of submission), isolation and versions.
    """
    outcomes = tuple(replace(outcome, seconds=0.0) for outcome in log.outcomes)
    facts = replace(
        log, outcomes=outcomes, versions={}, isolation=(), receipt=None, time=0.0, seconds=0.0
    )
    return hashlib.sha256(encode_log(facts).encode()).hexdigest()


def decode_log(data: bytes | str) -> SubmissionLog:
    """Return the log that `encode_log` wrote.

    Raises:
        UserError: it is not such a log; the message names the place.
    """
    record = loads(data)
    if not isinstance(record, dict) or record.get("schema") not in (1, SubmissionLog.schema):
        raise UserError(f"it is not a submission log of schema {SubmissionLog.schema}")
    if record["schema"] != SubmissionLog.schema:
        for name in ("repairs", "remarks"):  # earlier versions had sentences, which students saw
            said = record.get(name)
            if isinstance(said, list):
                record[name] = [{"reader": "student", "text": one} for one in said]
        record["schema"] = SubmissionLog.schema
    known = {field.name for field in fields(SubmissionLog)}
    original = {key: record[key] for key in record if key not in known}
    try:
        log = msgspec.convert(record | {"original": original}, SubmissionLog)
    except msgspec.ValidationError as error:
        raise UserError(f"it is not a submission log ({error})") from error
    return _with_values(log, decode_value)


def _with_values(log: SubmissionLog, change: Callable[[Any], Any]) -> SubmissionLog:
    outcomes = (
        outcome if outcome.value is None else replace(outcome, value=change(outcome.value))
        for outcome in log.outcomes
    )
    return replace(log, outcomes=tuple(outcomes))


def encode_grade(grade: Grade) -> str:
    """Return grade.json, including the points that lateness costs."""
    return indented(msgspec.to_builtins(grade) | {"penalty": grade.penalty}) + "\n"


def decode_grade(data: bytes | str) -> Grade:
    """Return the marks that `encode_grade` wrote; raise UserError for anything else."""
    record = loads(data)
    if not isinstance(record, dict) or record.get("schema") != Grade.schema:
        raise UserError(f"these are not marks of schema {Grade.schema}")
    try:
        grade = msgspec.convert(record, Grade)
        if (took := record.get("penalty")) and "late_share" not in record:  # of an earlier version
            share, late = took / grade.score, grade.late.partition(" This takes ")[0]
            grade = replace(grade, late=late, late_share=share, late_points="machine")
        return grade
    except (msgspec.ValidationError, TypeError, ZeroDivisionError) as error:
        raise UserError(f"these are not marks ({error})") from error
