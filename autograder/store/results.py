"""The facts and marks of graded submissions: written into out/<student>/ and read back."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from autograder.course import inputs
from autograder.records import codec, versions
from autograder.records.errors import UserError
from autograder.records.facts import Receipt, Remark, Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.store import embedded_log, files

AGAIN = "run `autograder grade` again"


def folders(out: Path) -> list[Path]:
    """Return the folders of submissions that have facts or marks of any version."""
    # A folder with only results.json is Gradescope's, or an earlier version's.
    names = (files.LOG, files.GRADE, files.RESULTS)
    found = sorted({path.parent for name in names for path in out.glob(f"*/{name}")})
    if not found:
        raise UserError(f"{out} has no results; give the folder that `autograder grade` wrote")
    return found


def write_log(folder: Path, log: SubmissionLog) -> None:
    """Write facts, a complete log last: if it is there, so are all other files."""
    files.write(folder / files.LOG, codec.encode_log(log), lasting=log.complete)


def write_grade(folder: Path, grade: Grade) -> None:
    """Write marks."""
    files.write(folder / files.GRADE, codec.encode_grade(grade))


def read_log(folder: Path) -> SubmissionLog:
    """Return the facts from the log's file, or else from Gradescope's results.json.

    Raises:
        UserError: there is neither, or it is unreadable.
        OSError: the disk failed.

    """
    with contextlib.suppress(FileNotFoundError):
        return codec.decode_log((folder / files.LOG).read_bytes())
    try:
        return embedded_log.log(codec.loads((folder / files.RESULTS).read_bytes()))
    except FileNotFoundError as error:
        raise UserError(f"it has neither {files.LOG} nor {files.RESULTS}; {AGAIN}") from error


def homework_of(folders: Sequence[Path], out: Path) -> str:
    """Return the homework that a folder has results for; raise UserError if nothing shows it."""
    for path in folders:
        try:
            return read_log(path).homework
        except (UserError, OSError):
            continue
    raise UserError(f"{out} has no submission that could be read; `autograder grade` prints why")


def has_log(folder: Path) -> bool:
    """Return whether a folder has a log, or a results.json that says why there is none."""
    return (folder / files.LOG).exists() or embedded_log.says_of_a_log(folder)


def read_grade(folder: Path) -> Grade:
    """Return the marks; raise UserError if they are missing or unreadable."""
    try:
        return codec.decode_grade((folder / files.GRADE).read_bytes())
    except FileNotFoundError as error:
        if has_log(folder):
            raise UserError(
                f"it has no {files.GRADE}: an earlier version graded it; run `autograder regrade`"
            ) from error
        raise UserError(f"it has no {files.GRADE}; {AGAIN}") from error
    except (OSError, UserError) as error:
        raise UserError(f"{files.GRADE} cannot be read ({error}); {AGAIN}") from error


def has_marks(folder: Path) -> bool:
    """Return whether a folder has marks, of any version, of a readable submission."""
    grade = found_grade(folder)
    if grade is not None:
        return bool(grade.marks)
    with contextlib.suppress(UserError):
        return bool(embedded_log.points(folder)[0])
    return False


def found_grade(folder: Path) -> Grade | None:
    """Return the marks, if there are any."""
    with contextlib.suppress(UserError):
        return read_grade(folder)
    return None


def refuse_others(out: Path, homework: str) -> None:
    """Raise UserError if a folder has a different homework's results, which would be lost."""
    for path in sorted(out.glob(f"*/{files.LOG}")):
        if (other := _head(path.parent)) and other.homework != homework:
            raise UserError(
                f"{out} has results of {other.homework}; give a different --out for {homework}"
            )


def holds(folder: Path, sha256: str) -> bool:
    """Return whether a folder has all facts of a submission whose file has this hash."""
    head = _head(folder)
    return head is not None and head.complete and head.submission.sha256 == sha256


def complete(folder: Path) -> bool:
    """Return whether a folder has all facts of a submission."""
    head = _head(folder)
    return head is not None and head.complete


def done(
    folder: Path, submission: Submission, homework: Homework, secret: str
) -> tuple[SubmissionLog, Grade] | None:
    """Return facts and marks if they come from this very submission, homework and secret.

    The marks may come from an earlier version of the checks, which `Grade.version` shows.
    """
    try:
        data = (folder / files.LOG).read_bytes()
        head = msgspec.json.decode(data, type=_Head)
        # After a power failure, a file may have a name but no contents.
        whole = all((folder / name).stat().st_size for name in files.NEEDED)
        same = (
            whole
            and head.complete
            and head.submission == submission.id
            and head.remarks[: len(submission.remarks)] == submission.remarks
            and head.receipt == submission.receipt
            and dict(head.versions) == versions.facts(homework)
            and dict(head.inputs)
            == inputs.digests(homework, submission=submission.id, secret=secret)
        )
        if not same:
            return None
        grade = read_grade(folder)
        # If another upload's marks were written beside the facts, it is graded again.
        return (codec.decode_log(data), grade) if grade.submission == head.submission else None
    except (OSError, msgspec.MsgspecError, UserError):
        return None


def _head(folder: Path) -> "_Head | None":
    try:
        return msgspec.json.decode((folder / files.LOG).read_bytes(), type=_Head)
    except (OSError, msgspec.MsgspecError):
        return None


class _Head(msgspec.Struct):
    """The part of a log that identifies the submission and the grader's version."""

    homework: str
    submission: SubmissionId
    versions: Mapping[str, str]
    inputs: Mapping[str, str]
    remarks: tuple[Remark | str, ...]  # older logs contain only texts
    receipt: Receipt | None
    complete: bool
