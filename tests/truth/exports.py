"""The forms in which tools hand a notebook on; what they write was taken from files that they wrote.

JupyterLab's and VS Code's from their sources, nbconvert's and jupytext's from the tools
themselves, those of Colab, Kaggle, Deepnote, Databricks and PyCharm from public notebooks.
"""

import copy
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import jupytext
import nbformat
import numpy as np
from nbconvert import PythonExporter

Notebook = dict[str, Any]
Cell = dict[str, Any]
Export = Callable[[Notebook], tuple[str, bytes]]

# What a cell is, whatever becomes of its id and metadata; edits write it, no export does.
STAMP = "stamp"

# Export -> what it makes unreadable, by the names that `hurdles` in tests/truth/cells.py explains.
LOSES: dict[Export, frozenset[str]] = {}

PYTHON = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": "3.11.9",
}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def _export(*loses: str) -> Callable[[Export], Export]:
    def register(export: Export) -> Export:
        LOSES[export] = frozenset(loses)
        return export

    return register


def text(cell: Cell) -> str:
    """Return a cell's source as one string."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def plain(notebook: Notebook) -> Notebook:
    """Return a copy without stamps."""
    result = copy.deepcopy(notebook)
    for cell in result["cells"]:
        cell.pop(STAMP, None)
    return result


def _unix(cell: Cell) -> str:
    return text(cell).replace("\r\n", "\n")


def _metadata(cell: Cell) -> dict[str, Any]:
    return copy.deepcopy(cell.get("metadata") or {})


def _cell(cell: Cell, metadata: dict[str, Any], **fields: Any) -> Cell:
    """Return a cell written anew, with this metadata and what else differs."""
    new: Cell = {"cell_type": cell["cell_type"], "metadata": metadata}
    if cell["cell_type"] == "code":
        new |= {
            "execution_count": cell.get("execution_count"),
            "outputs": cell.get("outputs") or [],
        }
    elif "attachments" in cell:
        new["attachments"] = cell["attachments"]
    return new | {"source": text(cell).splitlines(keepends=True)} | fields


def _ipynb(
    cells: Iterable[Cell],
    metadata: dict[str, Any],
    minor: int,
    indent: int | None = 1,
    major: int = 4,
) -> tuple[str, bytes]:
    notebook = {"cells": [*cells], "metadata": metadata, "nbformat": major, "nbformat_minor": minor}
    end = "\n" if indent else ""
    return ".ipynb", (json.dumps(notebook, indent=indent, ensure_ascii=False) + end).encode()


def _script(blocks: Iterable[str], between: str = "\n\n") -> tuple[str, bytes]:
    return ".py", (between.join(blocks) + "\n").encode()


def _tokens(notebook: Notebook) -> Callable[[int], str]:
    """Return a maker of new ids that gives the same ones for the same notebook."""
    digest = hashlib.sha256(json.dumps(plain(notebook)).encode()).digest()
    rng = np.random.default_rng(list(digest))
    return lambda length: rng.bytes(length).hex()[:length]


def _uuid(token: Callable[[int], str]) -> str:
    return "-".join(token(length) for length in (8, 4, 4, 4, 12))


def _commented(source: str, mark: str = "# ", empty: str = "#") -> str:
    return "\n".join(mark + line if line.strip() else empty for line in source.split("\n"))


def _node(notebook: Notebook) -> nbformat.NotebookNode:
    """Return the notebook as Python tools see it."""
    cells = [_cell(c, _metadata(c), source=_unix(c)) for c in notebook["cells"]]
    metadata = copy.deepcopy(notebook.get("metadata") or {})
    return nbformat.from_dict(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    )


@_export()
def as_it_is(notebook: Notebook) -> tuple[str, bytes]:
    """Save it as Jupyter does."""
    new = plain(notebook)
    return ".ipynb", (json.dumps(new, indent=1, ensure_ascii=False) + "\n").encode()


@_export()
def with_a_byte_order_mark(notebook: Notebook) -> tuple[str, bytes]:
    """Save it with an editor of Windows: a byte order mark in front, Windows line ends."""
    return ".ipynb", b"\xef\xbb\xbf" + as_it_is(notebook)[1].replace(b"\n", b"\r\n")


@_export()
def colab(notebook: Notebook) -> tuple[str, bytes]:
    """Save it in Colab, which keeps the ids of a notebook that has them and repeats them in metadata."""
    return _colab(notebook, keeps_ids=True)


@_export()
def colab_without_ids(notebook: Notebook) -> tuple[str, bytes]:
    """Save it in Colab as a notebook of its own, with ids in the metadata only."""
    return _colab(notebook, keeps_ids=False)


def _colab(notebook: Notebook, *, keeps_ids: bool) -> tuple[str, bytes]:
    token, seen = _tokens(notebook), set()
    link = "https://colab.research.google.com"
    badge = f'<a href="{link}/github/a/b" target="_parent"><img src="{link}/assets/colab-badge.svg" alt="Open In Colab"/></a>'
    cells = [
        {
            "cell_type": "markdown",
            "metadata": {"id": "view-in-github", "colab_type": "text"},
            "source": [badge],
        }
    ]
    for cell in notebook["cells"]:
        id = cell.get("id")
        if not keeps_ids or not isinstance(id, str) or id in seen:
            id = token(12)
        seen.add(id)
        form = {"cellView": "form"} if text(cell).lstrip().startswith("#@title") else {}
        base = {"colab": {"base_uri": "https://localhost:8080/"}} if cell.get("outputs") else {}
        new = _cell(cell, _metadata(cell) | form | base | {"id": id})
        cells.append(new | {"id": id} if keeps_ids else new)
    metadata = {"colab": {"provenance": [], "include_colab_link": True}, "kernelspec": KERNEL}
    return _ipynb(
        cells, metadata | {"language_info": {"name": "python"}}, 5 if keeps_ids else 0, indent=2
    )


@_export("text", "raw", "broken", "magic")
def colab_script(notebook: Notebook) -> tuple[str, bytes]:
    """Download it from Colab as .py: texts as strings, magics commented out, no marks between cells."""
    blocks = [
        "submission.ipynb\n\nAutomatically generated by Colab.\n\nOriginal file is located at\n"
        "    https://colab.research.google.com/drive/1nPO_RjwpoaSoGv"
    ]
    code = False
    for cell in notebook["cells"]:
        source = _unix(cell)
        if cell["cell_type"] != "code":
            if len(blocks) == 1 and not code:
                blocks[0] += "\n\n" + source
            else:
                blocks.append(
                    f'"""{source}\n"""' if "\n" in source.rstrip() else f'"""{source.rstrip()}"""'
                )
            code = True
            continue
        code = True
        lines = source.split("\n")
        if lines[0].startswith("%%"):
            lines = ["# " + line for line in lines]
        elif any(line.lstrip().startswith("%") for line in lines):
            lines = ["# " + line if line.lstrip().startswith("%") else line for line in lines]
        if lines != source.split("\n"):
            lines.insert(0, "# Commented out IPython magic to ensure Python compatibility.")
        if source.strip():
            blocks.append("\n".join(lines))
    blocks[0] = f'# -*- coding: utf-8 -*-\n"""{blocks[0]}\n"""'
    return _script(blocks)


@_export()
def kaggle(notebook: Notebook) -> tuple[str, bytes]:
    """Download it from Kaggle's editor: one line, sources as strings, no ids."""
    token = _tokens(notebook)
    cells = []
    for cell in notebook["cells"]:
        guid = {"_uuid": token(40), "_cell_guid": _uuid(token)}
        new = {"trusted": True} if cell["cell_type"] == "code" else {}
        cells.append(_cell(cell, _metadata(cell) | guid | new, source=text(cell)))
    return _ipynb(cells, _KAGGLE, 4, indent=None)


_KAGGLE = {
    "kernelspec": KERNEL,
    "language_info": PYTHON,
    "kaggle": {
        "accelerator": "none",
        "dataSources": [],
        "isGpuEnabled": False,
        "isInternetEnabled": True,
        "language": "python",
        "sourceType": "notebook",
    },
}


@_export()
def kaggle_version(notebook: Notebook) -> tuple[str, bytes]:
    """Save a version on Kaggle, which runs it with papermill: new ids, times in the metadata."""
    token = _tokens(notebook)
    start = {"exception": False, "start_time": "2025-12-24T22:20:26.657117", "status": "completed"}
    papermill = {"papermill": start | {"duration": 0.005}, "tags": []}
    cells = [_cell(c, _metadata(c) | papermill, id=token(8)) for c in notebook["cells"]]
    return _ipynb(cells, _KAGGLE, 5)


@_export()
def kaggle_script(notebook: Notebook) -> tuple[str, bytes]:
    """Download it from Kaggle as .py: `# %% [code] {...}`, magics as they are."""
    blocks = []
    for cell in notebook["cells"]:
        marked, source = '{"jupyter":{"outputs_hidden":false}}', _unix(cell)
        if cell["cell_type"] != "code":
            marked, source = "", _commented(source)
        blocks.append(f"# %% [{cell['cell_type']}] {marked}".rstrip() + f"\n{source}")
    return _script(blocks)


@_export()
def vs_code(notebook: Notebook) -> tuple[str, bytes]:
    """Save it in VS Code, which keeps ids and writes what the kernel said of itself."""
    token = _tokens(notebook)
    cells = []
    for cell in notebook["cells"]:
        language = {"vscode": {"languageId": "python"}} if cell["cell_type"] == "code" else {}
        cells.append(_cell(cell, _metadata(cell) | language, id=cell.get("id") or token(8)))
    kernel = {"display_name": ".venv (3.11.9)", "language": "python", "name": "python3"}
    return _ipynb(cells, {"kernelspec": kernel, "language_info": PYTHON}, 5)


@_export()
def vs_code_of_2022(notebook: Notebook) -> tuple[str, bytes]:
    """Save it in an older VS Code, which writes no ids."""
    hash = {"interpreter": {"hash": "e0c64f3bcdec0072c9c7dd86851c5f64bc0ac47e1b8f552608c742c012e3"}}
    metadata = {
        "kernelspec": KERNEL,
        "language_info": PYTHON,
        "orig_nbformat": 4,
        "vscode": hash,
    }
    return _ipynb((_cell(c, _metadata(c)) for c in notebook["cells"]), metadata, 2)


@_export()
def vs_code_script(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from VS Code as a script with `# %%`, magics as they are."""
    return _script(_vs_code_blocks(notebook, comment_magics=False))


@_export()
def vs_code_script_on_windows(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from VS Code on Windows, with the setting that comments magics out."""
    suffix, data = _script(_vs_code_blocks(notebook, comment_magics=True))
    return suffix, data.replace(b"\n", b"\r\n")


def _vs_code_blocks(notebook: Notebook, *, comment_magics: bool) -> Iterable[str]:
    for cell in notebook["cells"]:
        lines = _unix(cell).split("\n")
        if cell["cell_type"] == "markdown":
            yield "\n".join(["# %% [markdown]", *("# " + line for line in lines)])
        else:  # VS Code shows a raw cell as a code cell
            if comment_magics:
                lines = ["# " + x if re.match(r"\s*[!%]", x) else x for x in lines]
            yield "\n".join(["# %%", *lines])


@_export()
def pycharm_script(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from PyCharm: `#%%` without a blank, `#%% md` over commented texts."""
    blocks = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            blocks.append("#%%\n" + _unix(cell))
        else:
            kind = "md" if cell["cell_type"] == "markdown" else "raw"
            blocks.append(f"#%% {kind}\n" + _commented(_unix(cell), empty="# "))
    return _script(blocks, "\n")


@_export()
def deepnote(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from Deepnote: ids of its own in the metadata, its advertisement at the end."""
    token = _tokens(notebook)
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        code = cell["cell_type"] == "code"
        kind = "code" if code else "markdown"
        own: dict[str, Any] = {"tags": []}
        own |= {"cell_id": f"{number:05d}-{_uuid(token)}", "deepnote_cell_type": kind}
        if code:
            own |= {"source_hash": token(8), "deepnote_to_be_reexecuted": False}
            own |= {"execution_start": 1620375813931 + number, "execution_millis": 3}
        cells.append(_cell(cell, _metadata(cell) | own, cell_type=kind, source=text(cell)))
    created = "<a style='text-decoration:none' href='https://deepnote.com?utm_source=created-in-deepnote-cell' target=\"_blank\">\nCreated in Deepnote</a>"
    last = {"tags": [], "created_in_deepnote_cell": True, "deepnote_cell_type": "markdown"}
    cells.append({"cell_type": "markdown", "source": created, "metadata": last})
    metadata = {
        "orig_nbformat": 2,
        "deepnote": {"is_reactive": False},
        "deepnote_notebook_id": _uuid(token),
        "deepnote_execution_queue": [],
    }
    return _ipynb(cells, metadata, 2)


@_export()
def databricks(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from Databricks, which keeps no metadata but its own, and no ids."""
    token = _tokens(notebook)
    cells = []
    for cell in notebook["cells"]:
        code = cell["cell_type"] == "code"
        own = {
            "cellMetadata": {"byteLimit": 2048000, "rowLimit": 10000} if code else {},
            "inputWidgets": {},
            "nuid": _uuid(token),
            "showTitle": False,
            "tableResultSettingsMap": {},
            "title": "",
        }
        count = {"execution_count": 0} if code else {"cell_type": "markdown"}
        cells.append(_cell(cell, {"application/vnd.databricks.v1+cell": own}, **count))
    about = {"dashboards": [], "language": "python", "notebookName": "submission", "widgets": {}}
    metadata = {
        "application/vnd.databricks.v1+notebook": about,
        "language_info": {"name": "python"},
    }
    return _ipynb(cells, metadata, 0)


@_export()
def databricks_source(notebook: Notebook) -> tuple[str, bytes]:
    """Export it from Databricks as a source file: `# COMMAND ----------` and `# MAGIC`."""
    blocks = []
    for cell in notebook["cells"]:
        source = _unix(cell)
        if cell["cell_type"] != "code":
            source = "%md\n" + source
        if source.lstrip().startswith(("%", "!")):
            source = _commented(source, "# MAGIC ", "# MAGIC")
        blocks.append(source)
    suffix, data = _script(blocks, "\n\n# COMMAND ----------\n\n")
    return suffix, b"# Databricks notebook source\n" + data


@functools.cache
def _exporter() -> PythonExporter:
    return PythonExporter()  # type: ignore[no-untyped-call]


def _converted(notebook: Notebook) -> str:
    script: str = _exporter().from_notebook_node(_node(notebook))[0]
    return script


@_export("text", "raw", "halved")
def nbconvert_script(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it with `jupyter nbconvert --to script`."""
    return ".py", _converted(notebook).encode()


def _brought_back(sources: Iterable[str], notebook: Notebook) -> tuple[str, bytes]:
    token = _tokens(notebook)
    cells = [_cell({"cell_type": "code", "source": s}, {}, id=token(8)) for s in sources]
    return _ipynb(cells, {"kernelspec": KERNEL, "language_info": PYTHON}, 5)


@_export("text", "raw", "halved", "broken", "order")
def nbconvert_and_back_in_one_cell(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it to a script, and paste all of that into one cell."""
    return _brought_back([_converted(notebook)], notebook)


@_export("text", "raw", "halved")
def nbconvert_and_back_in_cells(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it to a script, and cut that at `# In[ ]:`, texts staying as comments."""
    parts = re.split(r"^# In\[[ \d]*\]:\n", _converted(notebook), flags=re.MULTILINE)
    return _brought_back((p.strip("\n") for p in parts if p.strip()), notebook)


@_export("text", "raw", "halved", "broken")
def nbconvert_and_back_by_jupytext(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it to a script, and open that with jupytext, which cuts it at blank lines."""
    return _from_jupytext(_converted(notebook), "py:light", notebook)


def _from_jupytext(script: str, form: str, notebook: Notebook) -> tuple[str, bytes]:
    token = _tokens(notebook)
    back = jupytext.reads(script, fmt=form)
    cells = [_cell(cell, dict(cell.metadata), id=token(8)) for cell in back.cells]
    return _ipynb(cells, dict(back.metadata), 5)


@_export()
def jupytext_percent(notebook: Notebook) -> tuple[str, bytes]:
    """Pair it with a .py file of `# %%` cells, and submit that."""
    return ".py", jupytext.writes(_node(notebook), fmt="py:percent").encode()


@_export()
def jupytext_percent_and_back(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it to `# %%` cells and back, which loses the ids."""
    script = jupytext.writes(_node(notebook), fmt="py:percent")
    return _from_jupytext(script, "py:percent", notebook)


@_export()
def jupytext_light(notebook: Notebook) -> tuple[str, bytes]:
    """Pair it with a .py file in jupytext's light format, and submit that."""
    return ".py", jupytext.writes(_node(notebook), fmt="py:light").encode()


@_export()
def jupytext_light_and_back(notebook: Notebook) -> tuple[str, bytes]:
    """Convert it to jupytext's light format and back."""
    script = jupytext.writes(_node(notebook), fmt="py:light")
    return _from_jupytext(script, "py:light", notebook)


@_export()
def nbformat_3(notebook: Notebook) -> tuple[str, bytes]:
    """Save it in the format of IPython 2, with worksheets, inputs and headings."""
    old = nbformat.convert(_node(notebook), 3)
    return ".ipynb", (json.dumps(old, indent=1, ensure_ascii=False) + "\n").encode()


EXPORTS: tuple[Export, ...] = tuple(LOSES)
