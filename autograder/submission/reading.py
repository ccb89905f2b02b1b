"""The reader of submissions: it reads a file that was found, or gives one clear sentence why not.

A submission_log.json is read if submitted alone, and compared if there is a notebook beside it.
"""

import contextlib
import hashlib
import io
import itertools
import json
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.course.cells import MAX_PARSED, cells_of, defines
from autograder.records import codec
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Remark, Submission, SubmissionId
from autograder.records.homework import Cell, Homework
from autograder.submission import scripts
from autograder.submission.archives import File, read_bytes
from autograder.submission.discover import LOG_NAME, Found

MAX_CELLS = 5_000
MAX_SOURCE = 1_000_000
MAX_CODE = 500_000  # the most characters in cells short enough to parse: nobody writes more
MAX_HELPERS, MAX_HELPER_BYTES = 20, 1_000_000
# A larger file keeps only the pictures of its outputs; without outputs, no file may be larger.
MAX_KEPT = 50_000_000
MAX_PICTURES = 20_000_000  # characters of pictures to keep from such outputs
# A parser's memory grows with the number of parts, about 100 bytes each.
MAX_CONTAINERS, MAX_THINGS = 2_000_000, 10_000_000
_LANGUAGE = re.compile(r"[\w+#]{1,20}", re.ASCII)
_CONFLICT = re.compile(rb"^<{7} ", re.MULTILINE)
_PICTURES = ("image/png", "image/jpeg")


def read(found: Found, homework: Homework) -> Submission:
    """Read one submission.

    Raises:
        UserError: it cannot be used; the message says why.
    """
    try:
        submission = _with_helpers(_submission(found, homework), found)
        return replace(submission, receipt=found.receipt)
    except UserError:
        raise
    except OSError as error:
        raise UserError(f"it cannot be read ({error.strerror})") from error
    except Exception as error:  # readers may raise anything for a mangled notebook
        raise UserError(
            f"it cannot be read ({type(error).__name__}: {one_line(error)[:100]}); "
            "save it again from Jupyter"
        ) from error


def sha256(found: Found, *, limit: int) -> str:
    """Return the hash of a submission, as in its `SubmissionId`.

    Args:
        found: The submission.
        limit: The largest number of bytes to read of its file.

    Raises:
        UserError: its file is over the limit, or unreadable in its zip.
        OSError: its file cannot be read.
    """
    data = read_bytes(found.path, limit=limit)
    return _together(hashlib.sha256(data).hexdigest(), _helpers(found))


def _together(own: str, helpers: Mapping[str, tuple[bytes, str]]) -> str:
    """Return the hash of a file with this hash and of the Python files beside it, if any."""
    if not helpers:
        return own
    total = hashlib.sha256(own.encode())
    for name, (data, _) in helpers.items():
        total.update(f"\0{name}\0{hashlib.sha256(data).hexdigest()}".encode())
    return total.hexdigest()


def _helpers(found: Found) -> dict[str, tuple[bytes, str]]:
    """Return the bytes and the text of each Python file that the notebook can import."""
    helpers: dict[str, tuple[bytes, str]] = {}
    for name, file in sorted(found.helpers.items())[:MAX_HELPERS]:
        with contextlib.suppress(
            UserError, PermissionError, SyntaxError, UnicodeError, LookupError
        ):
            data = read_bytes(file, limit=MAX_HELPER_BYTES)
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            helpers[name] = data, codec.printable(data.decode(encoding))
    return helpers


def _with_helpers(submission: Submission, found: Found) -> Submission:
    helpers = _helpers(found)
    remarks = []
    if helpers:
        number = len(helpers)
        files = "1 Python file was" if number == 1 else f"{number} Python files were"
        remarks.append(f"{files} submitted beside the notebook, which can import it.")
    if len(helpers) < len(found.helpers):
        remarks.append(
            "The notebook cannot import some of the Python files beside it: at most "
            f"{MAX_HELPERS} are used, each of at most {MAX_HELPER_BYTES / 1e6:g} MB of "
            "readable text."
        )
    return replace(
        submission,
        id=replace(submission.id, sha256=_together(submission.id.sha256, helpers)),
        remarks=(*submission.remarks, *(Remark("student", one) for one in remarks)),
        helpers={name: text for name, (_, text) in helpers.items()},
    )


def _submission(found: Found, homework: Homework) -> Submission:
    data = read_bytes(found.path, limit=homework.limits.notebook_bytes)
    submission = SubmissionId(found.student, "notebook", hashlib.sha256(data).hexdigest())
    suffix = Path(found.path.name).suffix
    if not data.strip():
        raise UserError("the file is empty; submit it again")
    if suffix == ".json":
        values = codec.loads(data)
        if not isinstance(values, dict):
            raise UserError("it is JSON but neither a notebook nor a submission log")
        if "cells" not in values and "worksheets" not in values:
            return _from_log(
                values, SubmissionId(found.student, "log", submission.sha256), homework
            )
    script = suffix == ".py"
    cells, language = (_script_cells(data, homework), "") if script else _notebook(data)
    if len(cells) > MAX_CELLS:
        raise UserError(f"it has {len(cells):,} cells; the limit is {MAX_CELLS:,}")
    for cell in cells:
        if len(cell.source) > MAX_SOURCE:
            raise UserError(f"a cell of it has more than {MAX_SOURCE:,} characters")
    lengths = (len(cell.source) for cell in cells if cell.type == "code")
    if sum(length for length in lengths if length <= MAX_PARSED) > MAX_CODE:
        raise UserError(f"it has more than {MAX_CODE:,} characters of code")
    if (
        sum(len(cell.source) + sum(map(len, cell.attachments.values())) for cell in cells)
        > MAX_KEPT
    ):
        raise UserError(
            f"it has more than {MAX_KEPT / 1e6:g} MB without its outputs; use smaller pictures"
        )
    if not any(cell.source.strip() or cell.attachments for cell in cells):
        raise UserError("the notebook is empty: no cell contains text; submit it again")
    remarks = _compared(found.log, cells, homework)
    cells, more = _with_earlier_form(cells, homework)
    remarks += more
    if not script and len(data) > MAX_KEPT:
        remarks += ("The notebook is large, so of its stored outputs only pictures were kept.",)
    said = tuple(Remark("student", one) for one in remarks)
    return Submission(submission, cells, remarks=said, language=language)


def _with_earlier_form(
    cells: tuple[Cell, ...], homework: Homework
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    code = [cell.source if cell.type == "code" else "" for cell in cells]
    added = {
        number: Cell(f"earlier-form-{number}", "code", source)
        for number, source in homework.read_notebook(code).items()
    }
    if not added:
        return cells, ()
    names = " and ".join(f"`{name}`" for cell in added.values() for name in sorted(defines(cell)))
    every = [[cell, *([added[n]] if n in added else [])] for n, cell in enumerate(cells)]
    return tuple(itertools.chain(*every)), (
        f"This notebook does not define {names}, but it has the answer in an earlier "
        "form of this homework: the results that its own cells saved count.",
    )


def _notebook(data: bytes) -> tuple[tuple[Cell, ...], str]:
    containers, things = data.count(b"{") + data.count(b"["), data.count(b",")
    if containers > MAX_CONTAINERS or things > MAX_THINGS:
        raise UserError("it has too many parts to be read; clear the outputs and submit it again")
    large = len(data) > MAX_KEPT
    try:
        parsed = json.loads(
            data.decode("utf-8-sig"), object_hook=_with_pictures_only if large else None
        )
    except (ValueError, RecursionError) as error:
        raise UserError(f"it is not a notebook: {_instead(data)}") from error
    if not isinstance(parsed, dict) or not ({"cells", "worksheets"} & set(parsed)):
        raise UserError("it is JSON but not a notebook: it has no cells; submit the .ipynb file")
    language = _language(parsed.get("metadata"))
    if not isinstance(parsed.get("cells"), list):
        parsed = {"cells": list(_old_cells(parsed.get("worksheets")))}
    cells = cells_of(parsed)
    return (_within(cells, MAX_PICTURES) if large else cells), language


def _instead(data: bytes) -> str:
    """Return what a file is that is not JSON, and what to submit."""
    begin = data[:100].lstrip().lower()
    if data.startswith(b"PK\x03\x04"):
        return "it is a zip with this name; unpack it and submit the notebook inside"
    if data.startswith(b"\x1f\x8b"):
        return "it is a gzip with this name; unpack it and submit the notebook inside"
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"{\0", b"\0{")):
        return "it is in UTF-16; save it as UTF-8"
    if begin.startswith((b"<!doctype html", b"<html")):
        return "it is a saved web page; download the .ipynb file itself"
    if _CONFLICT.search(data):
        return "it has marks of a merge conflict (<<<<<<<); resolve it and submit it again"
    return "not JSON in UTF-8; save it again from Jupyter"


def _language(metadata: object) -> str:
    about = metadata if isinstance(metadata, dict) else {}
    places = (about.get("kernelspec"), "language"), (about.get("language_info"), "name")
    names = [str(place[key]) for place, key in places if isinstance(place, dict) and key in place]
    other = all(_LANGUAGE.fullmatch(name) and "python" not in name.lower() for name in names)
    return names[0].capitalize() if names and other else ""


def _with_pictures_only(value: dict[str, Any]) -> dict[str, Any]:
    """Drop a cell's outputs, except pictures, as soon as the cell is read."""
    if "cell_type" in value and "outputs" in value:
        outputs = value["outputs"] if isinstance(value["outputs"], list) else []
        data = [output.get("data") for output in outputs if isinstance(output, dict)]
        value["outputs"] = [
            {"output_type": "display_data", "data": {kind: item[kind]}, "metadata": {}}
            for item in data
            if isinstance(item, dict)
            for kind in _PICTURES
            if isinstance(item.get(kind), str)
        ]
    return value


def _within(cells: Sequence[Cell], size: int) -> tuple[Cell, ...]:
    result = []
    for cell in cells:
        kept = []
        for output in cell.outputs:
            size -= sum(map(len, output["data"].values()))
            if size >= 0:
                kept.append(output)
        result.append(replace(cell, outputs=tuple(kept)))
    return tuple(result)


def _old_cells(worksheets: object) -> Iterator[Mapping[str, Any]]:
    """Convert the cells of a notebook of format 2 or 3 to format 4."""
    for sheet in worksheets if isinstance(worksheets, list) else []:
        nodes = sheet.get("cells") if isinstance(sheet, dict) else None
        for node in nodes if isinstance(nodes, list) else []:
            if not isinstance(node, dict):
                continue
            source, kind = node.get("source"), node.get("cell_type")
            if kind == "code":
                source = node.get("input")
            elif kind == "heading":
                level = node.get("level")
                marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
                source = [f"{marks} ", *(source if isinstance(source, list) else [source])]
            kind = kind if kind in ("code", "raw") else "markdown"
            yield {"cell_type": kind, "source": source, "metadata": node.get("metadata")}


def _script_cells(data: bytes, homework: Homework) -> tuple[Cell, ...]:
    if len(data) > scripts.MAX_SCRIPT:
        raise UserError(
            f"a script has at most {scripts.MAX_SCRIPT / 1e6:g} MB; submit the notebook"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeError as error:
        raise UserError("it is not UTF-8 text") from error
    text = codec.printable(text.replace("\r\n", "\n"))
    marks = scripts.marks(text)
    if marks > MAX_CELLS:
        raise UserError(f"it has {marks:,} cells; the limit is {MAX_CELLS:,}")
    if not marks and len(text) > MAX_CODE:
        raise UserError(f"it is a script of more than {MAX_CODE:,} characters; submit the notebook")
    cells = tuple(
        Cell(id=f"cell-{number}", type=part.kind, source=part.source, grade_id=part.grade_id)
        for number, part in enumerate(scripts.cells(text) if marks else scripts.plain(text))
    )
    answers = {name for cell in homework.cells if cell.role == "answer" for name in defines(cell)}
    if not marks and not any(answers & defines(cell) for cell in cells[: MAX_CELLS + 1]):
        raise UserError("it is a .py file without `# %%` cells or answers; submit the notebook")
    return cells


def _from_log(values: dict[str, Any], submission: SubmissionId, homework: Homework) -> Submission:
    answers = homework.read_log(values)
    cells = tuple(
        Cell(id=f"log-{number}", type="code", source=codec.printable(source))
        for number, source in enumerate(answers.cells)
    )
    return Submission(submission, cells, answers.refusals)


def _compared(log: File | None, cells: Sequence[Cell], homework: Homework) -> tuple[str, ...]:
    if log is None:
        return ()
    try:
        values = codec.loads(read_bytes(log, limit=homework.limits.notebook_bytes))
    except (UserError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        return (f"The {LOG_NAME} beside the notebook was ignored: {why}. The notebook was graded.",)
    claimed = values.get("answers_sha256") if isinstance(values, dict) else None
    if claimed is None or claimed == answers_digest(cells, homework.cells):
        return ()
    return (
        f"The {LOG_NAME} beside the notebook was made from different answers "
        "(answers_sha256 differs). The notebook was graded. If the log is newer, save "
        "the notebook, run its last cell again and submit both.",
    )


def answers_digest(cells: Sequence[Cell], release: Sequence[Cell]) -> str:
    """Return the `answers_sha256` that the notebook's log cell writes.

    It is the sha256 of the sources of the answers (for each answer cell of the release, in order,
    the last cell that defines its name), each stripped at the end and followed by a newline.
    """
    total = hashlib.sha256()
    for answer in release:
        if answer.role == "answer":
            names = defines(answer)
            source = next((c.source for c in reversed(cells) if names & defines(c)), "")
            total.update(source.rstrip().encode(errors="replace") + b"\n")
    return total.hexdigest()
