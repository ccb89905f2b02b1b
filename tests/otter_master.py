"""A master notebook in otter's form, with each thing that it can have, and a class that answers it."""

from collections.abc import Mapping

import nbformat
from nbformat import v4

MASTER: tuple[tuple[str, str, str], ...] = (
    ("raw", "# ASSIGNMENT CONFIG\ninit_cell: false\nexport_cell: false", ""),
    ("text", "# Counting\n\nWith plain Python.", ""),
    ("code", "base = 2\nsecret = 31337 # IGNORE", ""),
    ("code", "## IGNORE ##\nprint('of the author alone')", ""),
    # One test, the value of which was stored.
    ("raw", "# BEGIN QUESTION\nname: q1\npoints: 3", ""),
    ("text", "Bind `total` to the sum of 1 to 10.", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    ("code", "total = sum(range(11)) # SOLUTION\nhalf = total / 2 # SOLUTION", ""),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# BEGIN TESTS", ""),
    ("code", "total == 55", "True"),
    ("code", "# HIDDEN\nround(half, 2)", "27.5"),
    ("code", "whole = total\nprint(whole, 'in all')", "55 in all\n"),
    ("raw", "# END TESTS", ""),
    ("raw", "# END QUESTION", ""),
    # Points by test, one of them left to divide, a message, and a function.
    ("text", "```otter\n# BEGIN QUESTION\nname: q 2\npoints: 4\n```", ""),
    ("text", "Write `double`.", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    (
        "code",
        "def double(x):\n    # BEGIN SOLUTION\n    doubled = x * base\n    return doubled\n"
        "    # END SOLUTION\n\nunused = 1 # SOLUTION NO PROMPT",
        "",
    ),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# BEGIN TESTS", ""),
    (
        "code",
        '""" # BEGIN TEST CONFIG\npoints: 1\nfailure_message: Try a small number.\n'
        '""" # END TEST CONFIG\nassert double(2) == 4',
        "",
    ),
    (
        "code",
        '""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\nassert double(-3) == -6',
        "",
    ),
    ("code", "assert double('ab') == 'abab'", ""),
    ("raw", "# END TESTS", ""),
    ("raw", "# END QUESTION", ""),
    # All or nothing; nothing is said of points.
    ("raw", "# BEGIN QUESTION\nname: q3\nall_or_nothing: true", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    (
        "code",
        'def last(items):\n    """ # BEGIN PROMPT\n    return items[...]\n    """; # END PROMPT\n'
        "    return items[-1] # SOLUTION NO PROMPT",
        "",
    ),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# BEGIN TESTS", ""),
    ("code", "last([1, 2])", "2"),
    ("code", "# HIDDEN\nlast('abc')", "'c'"),
    ("raw", "# END TESTS", ""),
    ("raw", "# END QUESTION", ""),
    # Three tests for one point.
    ("raw", "# BEGIN QUESTION\nname: q4\npoints:\n  each: 0.5", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    ("code", "words = ['a', 'bb'] # SOLUTION", ""),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# BEGIN TESTS", ""),
    ("code", "len(words)", "2"),
    ("code", "words[0]", "'a'"),
    ("code", "for word in words:\n    print(word)", "a\nbb\n"),
    ("raw", "# END TESTS", ""),
    ("raw", "# END QUESTION", ""),
    # Marked by a person: text, and code.
    ("raw", "# BEGIN QUESTION\nname: q5\nmanual: true\npoints: 2", ""),
    ("text", "Why is it so?", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    ("text", "Because a sum has an order.", ""),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# END QUESTION", ""),
    ("raw", "# BEGIN QUESTION\nname: q6\nmanual: true", ""),
    ("text", "Print something.", ""),
    ("raw", "# BEGIN SOLUTION", ""),
    ("code", "print('drawn') # SOLUTION", ""),
    ("raw", "# END SOLUTION", ""),
    ("raw", "# END QUESTION", ""),
)
"""Kind, source and stored output of each cell."""

CLASS: Mapping[str, Mapping[str, str]] = {
    "right": {
        "total": "total = 55\nhalf = 27.5",
        "def double": "def double(x):\n    return x + x",
        "def last": "def last(items):\n    return items[len(items) - 1]",
        "words": "words = 'a bb'.split()",
    },
    "half": {
        "total": "total = 55\nhalf = 27",
        "def double": "def double(x):\n    return abs(x) + abs(x)",
        "def last": "def last(items):\n    return items[1]",
        "words": "words = ['a', 'b']",
    },
    "other": {
        "total": "total = 55.0\nhalf = 27.5",
        "def double": "def double(x):\n    return x if x == 'ab' else 2 * x",
        "def last": "def last(items):\n    return [items[-1]]",
        "words": "words = ('b', 'bb')",
    },
    "unfilled": {},
}
"""Student -> the beginning of an answer -> the student's text."""


def master() -> nbformat.NotebookNode:
    """Return the master notebook."""
    cells = []
    for kind, source, output in MASTER:
        if kind == "raw":
            cell = v4.new_raw_cell(source)
        elif kind == "text":
            cell = v4.new_markdown_cell(source)
        else:
            cell = v4.new_code_cell(source)
            if output and not output.endswith("\n") and "print(" not in source:
                data = {"text/plain": output}
                cell.outputs = [v4.new_output("execute_result", data=data, execution_count=1)]
            elif output:
                cell.outputs = [v4.new_output("stream", name="stdout", text=output)]
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def filled(notebook: nbformat.NotebookNode, answers: Mapping[str, str]) -> nbformat.NotebookNode:
    """Return a released notebook, otter's or ours, with answers in the cells that have their names."""
    made = nbformat.from_dict(notebook)
    for cell in made.cells:
        words = [line for line in cell.source.split("\n") if line.strip()]
        first = words[0].lstrip("# ") if words and cell.cell_type == "code" else ""
        for begin, answer in answers.items():
            if first.startswith(begin) and (
                "..." in cell.source or "NotImplemented" in cell.source
            ):
                cell.source = answer
    return made
