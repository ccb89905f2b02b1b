"""Cells that are deleted, doubled, renamed, retyped or marked; those of code are in cells.toml."""

from tests.redteam.attack import Notebook, changes, new_cell


def is_test(item: Notebook) -> bool:
    """Return whether a cell is one of the graded tests."""
    return bool(item["metadata"].get("nbgrader", {}).get("grade"))


@changes("wrong", "nothing: only code cells are answers")
def code_in_text(notebook: Notebook) -> None:
    """Hides answers in Markdown, raw cells, attachments and outputs."""
    source = "def identity_weights():\n    return 12 * np.eye(3), 12 * np.eye(3), np.eye(3)\n"
    attachments = {"a.py": {"text/plain": source}}
    notebook["cells"].append(new_cell(source, "markdown", attachments=attachments))
    notebook["cells"].append(new_cell(source, "raw"))
    notebook["cells"][-3]["outputs"] = [
        {"output_type": "display_data", "data": {"text/x-python": source}, "metadata": {}}
    ]


@changes("right", "everything: an honest accident")
def deleted_checks(notebook: Notebook) -> None:
    """Deletes every test cell; the answers are right."""
    cells = notebook["cells"]
    notebook["cells"] = [item for item in cells if item["cell_type"] != "code" or not is_test(item)]


@changes("right", "everything: the first of each is right")
def duplicated(notebook: Notebook) -> None:
    """Holds every graded cell twice, under one grade_id, the second time empty."""
    notebook["cells"] += [
        {**item, "source": "", "id": item["id"] + "-again"}
        for item in notebook["cells"]
        if "nbgrader" in item["metadata"]
    ]


@changes("wrong", "nothing: the submission's test cells decide nothing")
def edited_checks(notebook: Notebook) -> None:
    """Rewrites the graded test cells so that they always pass."""
    for item in filter(is_test, notebook["cells"]):
        item["source"] = "print('passed')"


@changes("wrong", "nothing: points stand in the instructor's notebook")
def metadata(notebook: Notebook) -> None:
    """Claims 1000 points a cell, marks them as graded, and adds unknown metadata."""
    notebook["metadata"]["score"] = 1000
    for item in notebook["cells"]:
        marks = item["metadata"].setdefault("nbgrader", {"grade_id": item["id"]})
        marks.update(points=1000, score=1000, grade=True, solution=True, locked=False)
        item["metadata"]["autograder"] = {"role": "answer", "points": 1000}


@changes("right", "everything: the answers are right")
def other_order(notebook: Notebook) -> None:
    """Has the parts in another order, with extra cells and warnings on stderr between them."""
    cells = notebook["cells"]
    cut = [item["id"] for item in cells].index("tokens_code")
    parts = cells[cut:]
    unique = next(n for n, item in enumerate(parts) if item["id"] == "unique_answer")
    answer = parts.pop(unique)
    cells[cut:] = [
        new_cell("import sys, warnings\nwarnings.warn('honest')\nprint('x', file=sys.stderr)"),
        answer,
        *parts,
        new_cell("1 / 0", id="mine-2"),
    ]


@changes("right", "everything: the names they define find them")
def renamed(notebook: Notebook) -> None:
    """Gives every cell another id and grade_id; the answers are right."""
    for number, item in enumerate(notebook["cells"]):
        item["id"] = f"cell{number}"
        if "nbgrader" in item["metadata"]:
            item["metadata"]["nbgrader"]["grade_id"] = f"other{number}"


@changes("right", "everything: only code is run, and tests are ours")
def retyped(notebook: Notebook) -> None:
    """Turns the test cells into Markdown and the text into raw cells; the answers are right."""
    for item in notebook["cells"]:
        if item["cell_type"] == "markdown":
            item["cell_type"] = "raw"
        elif is_test(item):
            item["cell_type"] = "markdown"


@changes(
    "wrong", "nothing: nbgrader restores a test cell's source and not its tags, its cheapest hole"
)
def skip_execution(notebook: Notebook) -> None:
    """Tags the locked test cells `skip-execution`, with a stored output that says passed."""
    for item in notebook["cells"]:
        item["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell"]
        if item["cell_type"] == "code":
            passed = {"output_type": "stream", "name": "stdout", "text": f"[{item['id']}] passed"}
            item["outputs"] = [passed]
