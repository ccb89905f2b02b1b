"""A file that was found -> a hand-in, read; or one clear sentence why not."""

import contextlib
import hashlib
import io
import json
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder import codec
from autograder.codec import one_line
from autograder.facts import scripts
from autograder.facts.align import answers_digest
from autograder.facts.find import LOG_NAME, Found
from autograder.facts.folders import File, read_bytes
from autograder.facts.match import defines
from autograder.homework import MAX_PARSED, cells_of
from autograder.model import Cell, HandIn, Homework, Submission, UserError

MAX_CELLS = 5_000
MAX_SOURCE = 1_000_000
MAX_CODE = 1_000_000  # characters in cells short enough to be parsed: nobody writes so many
MAX_HELPERS, MAX_HELPER_BYTES = 20, 1_000_000


def read(found: Found, homework: Homework) -> HandIn:
    """Read one submission.

    Raises:
        UserError: it is neither a notebook with cells nor a log of this homework.
    """
    try:
        return _read(found, homework)
    except UserError:
        raise
    except OSError as error:
        raise UserError(f"it cannot be read ({error.strerror})") from error
    except Exception as error:  # a mangled notebook leads its readers to raise whatever they like
        raise UserError(
            f"it cannot be read ({type(error).__name__}: {one_line(error)[:100]}); "
            "save it again from Jupyter"
        ) from error


def _read(found: Found, homework: Homework) -> HandIn:
    return replace(_with_helpers(_hand_in(found, homework), found), receipt=found.receipt)


def _with_helpers(hand_in: HandIn, found: Found) -> HandIn:
    """Read the Python files beside a notebook: they are as much of the hand-in as it is."""
    helpers: dict[str, str] = {}
    total = hashlib.sha256(hand_in.submission.sha256.encode())
    for name, file in sorted(found.helpers.items())[:MAX_HELPERS]:
        with contextlib.suppress(UserError, SyntaxError, UnicodeError, LookupError):
            data = read_bytes(file, limit=MAX_HELPER_BYTES)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            helpers[name] = codec.printable(data.decode(encoding))
            total.update(f"\0{name}\0{hashlib.sha256(data).hexdigest()}".encode())
    remarks = []
    if helpers:
        number = len(helpers)
        files = "1 Python file was" if number == 1 else f"{number} Python files were"
        remarks.append(f"{files} handed in beside the notebook, which can import it.")
    if len(helpers) < len(found.helpers):
        remarks.append(
            "Some Python files beside the notebook cannot be imported by it: at most "
            f"{MAX_HELPERS} are taken, each of at most {MAX_HELPER_BYTES / 1e6:g} MB of text."
        )
    if not helpers:
        return replace(hand_in, remarks=(*hand_in.remarks, *remarks))
    return replace(
        hand_in,
        submission=replace(hand_in.submission, sha256=total.hexdigest()),
        remarks=(*hand_in.remarks, *remarks),
        helpers=helpers,
    )


def _hand_in(found: Found, homework: Homework) -> HandIn:
    data = read_bytes(found.path, limit=homework.limits.notebook_bytes)
    submission = Submission(found.student, "notebook", hashlib.sha256(data).hexdigest())
    suffix = Path(found.path.name).suffix
    if not data.strip():
        raise UserError("the file is empty; hand it in again")
    if suffix == ".json":
        values = codec.loads(data)
        if not isinstance(values, dict):
            raise UserError("it is JSON but neither a notebook nor a submission log")
        if "cells" not in values and "worksheets" not in values:
            return _from_log(values, Submission(found.student, "log", submission.sha256), homework)
    cells = _script_cells(data, homework) if suffix == ".py" else _notebook_cells(data)
    if len(cells) > MAX_CELLS:
        raise UserError(f"it has {len(cells):,} cells; at most {MAX_CELLS:,} are read")
    for cell in cells:
        if len(cell.source) > MAX_SOURCE:
            raise UserError(f"a cell of it has more than {MAX_SOURCE:,} characters")
    lengths = (len(cell.source) for cell in cells if cell.type == "code")
    if sum(length for length in lengths if length <= MAX_PARSED) > MAX_CODE:
        raise UserError(f"it has more than {MAX_CODE:,} characters of code")
    if not any(cell.source.strip() for cell in cells):
        raise UserError("the notebook is empty: it has no cell with text in it; hand it in again")
    return HandIn(submission, cells, remarks=_compare_with_log(found.log, cells, homework))


def _notebook_cells(data: bytes) -> tuple[Cell, ...]:
    try:
        text = data.decode("utf-8-sig")
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(
            "it is not a notebook: not JSON in UTF-8; save it again from Jupyter"
        ) from error
    if not isinstance(parsed, dict) or not ({"cells", "worksheets"} & set(parsed)):
        raise UserError("it is JSON but not a notebook: it has no cells; hand in the .ipynb file")
    if parsed.get("nbformat") in (4, None) and isinstance(parsed.get("cells"), list):
        return cells_of(parsed)
    # Imported where they are needed: each takes seconds, and few hand-ins need them.
    import nbformat.reader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notebook = nbformat.convert(nbformat.reader.reads(text), 4)
    return cells_of(notebook)


def _script_cells(data: bytes, homework: Homework) -> tuple[Cell, ...]:
    import jupytext

    try:
        text = data.decode("utf-8-sig")
    except UnicodeError as error:
        raise UserError("it is not UTF-8 text") from error
    if "# %%" in text:  # jupytext knows more of this format than we do
        return cells_of(jupytext.reads(text, fmt="py:percent"))
    if scripts.is_script(text):
        return tuple(
            Cell(id=f"cell-{number}", type=kind, source=codec.printable(source))
            for number, (kind, source) in enumerate(scripts.cells(text))
        )
    answers = {name for cell in homework.cells if cell.role == "answer" for name in defines(cell)}
    cells = cells_of(jupytext.reads(text, fmt="py:light"))
    if not any(answers & defines(cell) for cell in cells):
        raise UserError("it is a .py file without `# %%` cells or answers; hand in the notebook")
    return cells


def _from_log(values: dict[str, Any], submission: Submission, homework: Homework) -> HandIn:
    answers = homework.read_log(values)
    cells = tuple(
        Cell(id=f"log-{number}", type="code", source=codec.printable(source))
        for number, source in enumerate(answers.cells)
    )
    return HandIn(submission, cells, answers.refusals)


def _compare_with_log(
    log: File | None, cells: Sequence[Cell], homework: Homework
) -> tuple[str, ...]:
    """Say so when the log beside a notebook was made from other answers; it changes no mark."""
    if log is None:
        return ()
    try:
        values = codec.loads(read_bytes(log, limit=homework.limits.notebook_bytes))
    except UserError as error:
        return (
            f"The {LOG_NAME} beside the notebook was not looked at: {error}. The notebook was graded.",
        )
    claimed = values.get("answers_sha256") if isinstance(values, dict) else None
    if claimed is None or claimed == answers_digest(cells, homework.cells):
        return ()
    return (
        f"The {LOG_NAME} beside the notebook was made from other answers than the notebook holds "
        "(answers_sha256 differs). The notebook was graded. If the log is the newer one, "
        "save the notebook, run its last cell again and hand in both.",
    )
