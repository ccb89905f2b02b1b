"""Active content in the names of files, in text and in pickles; cells of code are in active.toml."""

import os
import pickle as pickles
from pathlib import Path
from typing import Any

from tests.redteam.attack import Notebook, cell, changes, new_cell, write, writes, wrong

NAME = "=cmd()<img src=x onerror=alert(1)>\x1b[2J\n@SUM(1).ipynb"
EVIL = (
    "<script>document.title='owned'</script> <img src=x onerror=\"document.title='owned'\"> "
    "[click](javascript:document.title='owned') <iframe srcdoc='<script>parent.document.title='owned'</script>'>"
)


@writes("nothing; the complaint is one line of plain text")
def broken_file_name(folder: Path) -> Path:
    """Has escapes and line breaks in the name of a file that cannot be read."""
    path = folder / "\x1b]0;owned\x07\r\n=1+1.ipynb"
    path.write_text("no notebook")
    return path


@writes("nothing; a name is made safe, and a complaint is one line")
def file_name(folder: Path) -> Path:
    """Has a script, a formula, escapes and line breaks in its file's name."""
    return write(wrong(), folder, NAME)


@changes("wrong", "nothing; nothing runs where it is opened")
def markdown(notebook: Notebook) -> None:
    """Writes scripts and links to scripts into Markdown, raw cells and written answers."""
    for id in ("compare_identity", "compare_copy_first"):
        cell(notebook, id)["source"] = EVIL
    notebook["cells"] += [new_cell(EVIL, "markdown", id="a"), new_cell(EVIL, "raw", id="b")]


class Evil:
    """Runs a command where it is unpickled, which is otter's hole."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Leave a file."""
        return os.system, ("touch /tmp/redteam-left",)


@writes("nothing, and nothing is unpickled")
def pickle(folder: Path) -> Path:
    """Submits pickles under the names that graders load: otter's `.OTTER_LOG`, a zip of it, a notebook."""
    for name in (".OTTER_LOG", "submission_log.json", "hw2.pkl", "data.npy", "weights.pt"):
        (folder / name).write_bytes(pickles.dumps(Evil()))
    write(wrong(), folder)
    return folder
