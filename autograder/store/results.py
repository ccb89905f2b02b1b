"""The files of one graded submission, out/<student>/: each is whole, or not there."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder import codec
from autograder.course import inputs
from autograder.course.course import Course
from autograder.model import (
    Grade,
    HandIn,
    Homework,
    Misconception,
    Receipt,
    Submission,
    SubmissionLog,
    UserError,
)
from autograder.reports import report, results_json
from autograder.sandbox.execute import versions
from autograder.submission import discover

DIAGNOSIS = "diagnosis.json"
_VIEWS = ("results.json", "report.html", "executed.ipynb", DIAGNOSIS)
FILES = (discover.LOG_NAME, *_VIEWS, "failure.txt")
"""All that may stand in out/<student>/."""
NOT_FINISHED = "Grading has not finished; these are the marks so far."


def write_marks(
    folder: Path, result: Grade, remarks: tuple[str, ...], course: Course, *, explain: bool = False
) -> None:
    """Write results.json."""
    hidden = course.gradescope.hidden_questions
    marks = results_json.results(result, remarks=remarks, explain=explain, hidden=hidden)
    write(folder / "results.json", codec.indented(marks))


def write_views(
    folder: Path, result: Grade, log: SubmissionLog, homework: Homework, course: Course
) -> None:
    """Write what follows from marks: report.html, results.json and, for staff, diagnosis.json."""
    explain = course.explains(homework.name, datetime.now(UTC), log.receipt)
    page = report.html(
        result,
        log,
        title=homework.title,
        course=f"{course.title}, {course.term}",
        explain=explain,
    )
    write(folder / "report.html", page)
    found = {m.question: asdict(m.misconception) for m in result.marks if m.misconception}
    write(folder / DIAGNOSIS, codec.indented(found))
    write_marks(folder, result, report.remarks(result, log), course, explain=explain)


def remark(folder: Path, text: str) -> bool:
    """Put a sentence above the marks that stand in results.json; False where there are none."""
    path, log = folder / "results.json", folder / discover.LOG_NAME
    try:
        # With a complete log they are of an earlier hand-in; ours is written after its marks.
        if log.exists() and msgspec.json.decode(log.read_bytes(), type=_Head).complete:
            return False
        marks = json.loads(path.read_text(encoding="utf-8"))
        marks |= {"output": results_json.html([text]), "output_format": "html"}
    except (OSError, ValueError, TypeError, msgspec.MsgspecError):
        return False
    write(path, codec.indented(marks))
    return True


def read_diagnosis(folder: Path) -> dict[str, Misconception]:
    """Return the misconception of each question that has one; none where nothing is known."""
    try:
        found = json.loads((folder / DIAGNOSIS).read_text(encoding="utf-8"))
        return {question: Misconception(**words) for question, words in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{folder}/{DIAGNOSIS} cannot be read ({error})") from error


def has_log(folder: Path) -> bool:
    """Whether a folder holds what was found out about a hand-in, or says why it does not."""
    if (folder / discover.LOG_NAME).exists():
        return True
    try:
        page = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        return "log" in page["extra_data"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def read_log(folder: Path) -> SubmissionLog:
    """Return a hand-in's log: its file, else the one that results.json of the container carries.

    Raises:
        UserError: there is neither, or it cannot be read.
        OSError: the disk failed.
    """
    with contextlib.suppress(FileNotFoundError):
        return codec.decode_log((folder / discover.LOG_NAME).read_bytes())
    return results_json.carried_log(codec.loads((folder / "results.json").read_bytes()))


def read_marks(folder: Path) -> dict[str, float | None]:
    """Return the points by question that results.json gives; None where a person marks."""
    try:
        tests = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
        return {
            test["extra_data"]["question"]: float(test["score"]) if "score" in test else None
            for test in tests
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder}/results.json cannot be read ({error})") from error


def has_marks(folder: Path) -> bool:
    """Whether results.json gives marks: for what was refused it does not."""
    try:
        return bool(read_marks(folder))
    except UserError:
        return False


def read_penalty(folder: Path) -> float:
    """Return the points that results.json takes for lateness."""
    try:
        marks = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        return float(marks["extra_data"]["late_penalty"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0  # it was refused, or an earlier version graded it


def make_folder(out: Path) -> None:
    """Make the folder of results, for staff only; UserError where that cannot be."""
    if not out.is_dir():
        try:
            out.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise UserError(f"{out} cannot be made ({error.strerror})") from error


@contextlib.contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Keep a folder of results to ourselves; UserError where somebody else is writing into it."""
    try:
        opened = (out / ".lock").open("w")
    except OSError as error:
        raise UserError(f"nothing can be written into {out} ({error.strerror})") from error
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another `autograder grade` is writing into {out}; wait for it, or give another --out"
            ) from None
        except OSError:
            pass  # a shared disk may have no locks
        yield


def clear(folder: Path) -> None:
    """Take away what an earlier run left, the log first: without it nothing counts as done."""
    folder.mkdir(exist_ok=True)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
        _temporary(folder / name).unlink(missing_ok=True)  # of a grader that was killed


def refuse_others(out: Path, homework: str) -> None:
    """Raise UserError where a folder holds the results of another homework, which would be lost."""
    for path in sorted(out.glob(f"*/{discover.LOG_NAME}")):
        if (other := _head(path.parent)) and other.homework != homework:
            raise UserError(
                f"{out} holds results of {other.homework}; give another --out for {homework}"
            )


def unfinished(folder: Path) -> bool:
    """Whether a folder holds marks of a hand-in that was not graded to its end."""
    head = _head(folder)
    return head is not None and not head.complete


def _head(folder: Path) -> "_Head | None":
    try:
        return msgspec.json.decode((folder / discover.LOG_NAME).read_bytes(), type=_Head)
    except (OSError, msgspec.MsgspecError):
        return None


class _Head(msgspec.Struct):
    """The part of a log that says what was graded, and by what."""

    homework: str
    submission: Submission
    versions: Mapping[str, str]
    inputs: Mapping[str, str]
    remarks: tuple[str, ...]
    receipt: Receipt | None
    complete: bool


def done(folder: Path, hand_in: HandIn, homework: Homework, secret: str) -> SubmissionLog | None:
    """Return the finished log of this hand-in, homework, grader and secret, if there is one."""
    try:
        data = (folder / discover.LOG_NAME).read_bytes()
        head = msgspec.json.decode(data, type=_Head)
        read_marks(folder)
        # A power failure may leave the name of a file without what was in it.
        whole = all((folder / name).stat().st_size for name in _VIEWS)
        same = (
            whole
            and head.complete
            and head.submission == hand_in.submission
            and head.remarks == hand_in.remarks
            and head.receipt == hand_in.receipt
            and dict(head.versions) == versions(homework)
            and dict(head.inputs)
            == inputs.digests(homework, submission=hand_in.submission, secret=secret)
        )
        return codec.decode_log(data) if same else None
    except (OSError, msgspec.MsgspecError, UserError):
        return None


def write(path: Path, text: str, *, lasting: bool = False) -> None:
    """Write a file whole or not at all; lasting: so that a power failure does not undo it."""
    temporary = _temporary(path)
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")
