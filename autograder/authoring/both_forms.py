"""Keep a notebook's two forms, NAME.py and NAME.ipynb, in step.

NAME.ipynb records a digest of the content on which both last agreed. If both have changed since,
neither is touched; nothing that a person wrote is overwritten without a copy in build/before/.
"""

import contextlib
import hashlib
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Literal

import nbformat

from autograder.authoring import kit_cells, text_source
from autograder.authoring.shown_checks import follows
from autograder.course.homework import HomeworkError
from autograder.store import files

Form = Literal["ipynb", "py"]
BEFORE = Path("build") / "before"
_KEY = "same_sha256"
"""Metadata of the notebook: the digest of the content when both forms agreed."""


def settle(
    root: Path,
    name: str,
    notebook: nbformat.NotebookNode,
    take: Form | None = None,
    wrote: dict[Path, int] | None = None,
) -> str:
    """Copy changes made only in NAME.ipynb into NAME.py; return a note about them, or "".

    The time of a file that it writes goes into `wrote`.
    """
    folder = root / "source" / name
    text, path = folder / f"{name}.py", folder / f"{name}.ipynb"
    before = text.read_bytes()
    theirs, mine = digest(text_source.notebook(text)), digest(notebook)
    same = notebook.metadata.get("autograder", {}).get(_KEY)
    if theirs == mine:
        return ""
    if take is None and same not in (theirs, mine):
        raise HomeworkError(
            f"source/{name}: both {name}.ipynb and {name}.py have changed; keep one with "
            f"`autograder release {name} --take ipynb` or `--take py`, which saves a "
            "copy of the other"
        )
    if take == "py" or (take is None and same == mine):
        return f"the earlier notebook is in {_copy(root, path)}" if same != mine else ""
    written = text_source.text(notebook)
    if not _gives(written, mine):
        raise HomeworkError(
            f"source/{name}/{name}.ipynb has changed, and has a cell that {name}.py "
            "cannot contain, such as a raw cell, one with a pasted image, or an answer, check or "
            f"text with the tag `{text_source.RAISES}`; write it in {name}.py, and run "
            f"`autograder release {name} --take py`"
        )
    if text.read_bytes() != before:  # saved meanwhile
        return settle(root, name, notebook, take, wrote)
    kept = _copy(root, text)
    write(text, written.encode(), wrote)
    return f"{name}.py now has the changes from {name}.ipynb; the earlier text is in {kept}"


def write(path: Path, data: bytes, wrote: dict[Path, int] | None = None) -> None:
    """Write the author's only copy completely or not at all; its time goes into `wrote`."""
    target = path.resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    files.write_bytes(target, data)
    if mode is not None:  # a group may share the folder
        target.chmod(mode)
    if wrote is not None:
        wrote[path] = path.stat().st_mtime_ns


def _gives(written: str, content: str) -> bool:
    """Return whether a text gives a notebook with this digest."""
    with tempfile.TemporaryDirectory() as place, contextlib.suppress(HomeworkError):
        text = Path(place) / "text.py"
        text.write_text(written, encoding="utf-8")
        return digest(text_source.notebook(text)) == content
    return False


def note(notebook: nbformat.NotebookNode) -> None:
    """Record in a notebook that it agrees with its text."""
    notebook.metadata["autograder"] = {_KEY: digest(notebook)}


def digest(notebook: nbformat.NotebookNode) -> str:
    """Return a sha256 over the parts of a notebook that people write, not the kit."""
    cells = [
        [
            cell.cell_type,
            "" if follows(cell.source) else cell.source.strip("\n"),
            _marks(cell),
            sorted(cell.get("attachments", ())),
        ]
        for cell in notebook.cells
        if cell.get("id") not in kit_cells.EVERY
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def _marks(cell: nbformat.NotebookNode) -> list[object]:
    marks = cell.metadata.get("nbgrader", {})
    graded, answers = bool(marks.get("grade")), bool(marks.get("solution"))
    id = str(marks.get("grade_id", "")) if graded or answers else ""
    points = float(marks.get("points") or 0) if graded else 0.0
    role = cell.metadata.get("autograder", {}).get("role", "")
    fails = [text_source.RAISES] * (text_source.RAISES in cell.metadata.get("tags", ()))
    return [graded, answers, id.removesuffix("_answer" * (not graded)), points, role, *fails]


def _copy(root: Path, path: Path) -> Path:
    stamp = time.strftime("%Y%m%d_%H%M%S")
    target = BEFORE / f"{path.stem}_{stamp}_{time.time_ns() % 1_000_000:06}{path.suffix}"
    (root / BEFORE).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, root / target)
    return target
