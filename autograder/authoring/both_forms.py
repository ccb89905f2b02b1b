"""A notebook in two forms: a change in NAME.py goes into NAME.ipynb, and one made in JupyterLab into NAME.py.

NAME.ipynb notes what both held when they were the same. Where both were changed since, nothing is
touched, and nothing that a person wrote is overwritten without a copy in build/before/.
"""

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Literal

import nbformat

from autograder.authoring import kit_cells, text_source
from autograder.authoring.shown_checks import follows
from autograder.course.homework import HomeworkError

Form = Literal["ipynb", "py"]
BEFORE = Path("build") / "before"
_KEY = "same_sha256"
"""Of the notebook's metadata: the digest of what both forms held."""


def settle(root: Path, name: str, notebook: nbformat.NotebookNode, take: Form | None = None) -> str:
    """Take into NAME.py what was changed in NAME.ipynb alone; return a sentence on that, "" for nothing."""
    folder = root / "source" / name
    text, path = folder / f"{name}.py", folder / f"{name}.ipynb"
    theirs, mine = digest(text_source.notebook(text)), digest(notebook)
    same = notebook.metadata.get("autograder", {}).get(_KEY)
    if theirs == mine:
        return ""
    if take is None and same not in (theirs, mine):
        raise HomeworkError(
            f"source/{name}: {name}.ipynb and {name}.py were both changed; keep one with `autograder "
            f"release {name} --take ipynb` or `--take py`, which leaves a copy of the other"
        )
    if take == "py" or (take is None and same == mine):
        return f"the notebook is in {_copy(root, path)} as it was" if same != mine else ""
    written = text_source.text(notebook)
    kept = _copy(root, text)
    text.write_text(written, encoding="utf-8")
    if digest(text_source.notebook(text)) != mine:
        shutil.copyfile(root / kept, text)
        raise HomeworkError(
            f"source/{name}/{name}.ipynb was changed, and has a cell that {name}.py cannot hold, such as "
            f"a raw one or one with a pasted image; write it in {name}.py, and run `autograder release "
            f"{name} --take py`"
        )
    return f"{name}.py has what was changed in {name}.ipynb; as it was it is in {kept}"


def note(notebook: nbformat.NotebookNode) -> None:
    """Note in a notebook that it holds what its text does."""
    notebook.metadata["autograder"] = {_KEY: digest(notebook)}


def digest(notebook: nbformat.NotebookNode) -> str:
    """Return a sha256 over what a person writes of a notebook, and not the kit."""
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
    return [graded, answers, id.removesuffix("_answer" * (not graded)), points, role]


def _copy(root: Path, path: Path) -> Path:
    stamp = time.strftime("%Y%m%d_%H%M%S")
    target = BEFORE / f"{path.stem}_{stamp}_{time.time_ns() % 1_000_000:06}{path.suffix}"
    (root / BEFORE).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, root / target)
    return target
