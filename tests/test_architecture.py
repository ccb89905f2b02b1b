"""The layers that design.md and the README draw: who may import whom, and the one door for each outside thing."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "autograder"
MODULES = sorted(PACKAGE.rglob("*.py"))

# A module may import those of a lower number, and its neighbours in the same part.
LAYERS = {
    "kit": -1,
    "model": 0,
    "codec": 1,
    "course": 1,
    "homework": 2,
    "inputs": 3,
    "known": 3,
    "facts": 4,
    "marks": 4,
    "views": 5,
    "authoring": 6,
    "bulk": 6,
    "container": 7,
    "regrade": 7,
    "autograde": 7,
    "progress": 7,
    "cli": 8,
    "__main__": 9,
}
FORBIDDEN = {("marks", "facts"), ("facts", "marks"), ("views", "authoring")}
DOORS = {
    "nbgrader": {
        "authoring/release.py",
        "autograde.py",
        "views/feedback.py",
        "views/gradebook.py",
    },
    "sqlalchemy": {"views/gradebook.py"},
    "coverage": {"authoring/branches.py"},
    "nbclient": {"authoring/release.py"},
    "subprocess": {"container/simulate.py", "facts/sandbox.py", "facts/typesetter.py"},
    "packaging": {"container/requirements.py"},
    "typst": {"facts/typesetter.py"},
    "pypandoc": {"facts/typesetter.py"},
    "psutil": {"facts/sandbox.py", "facts/usage.py"},
    "pyseccomp": {"facts/layers.py"},
    "ctypes": {"facts/layers.py", "facts/memory.py"},
    "torch": {"facts/probe.py", "facts/worker.py"},
    "ipykernel": {"facts/reading.py", "facts/shell.py"},
    "jupytext": set(),
    "yaml": {"facts/gradescope.py"},
    "typer": {"cli.py"},
    "rich": {"cli.py", "progress.py"},
    "dask": {"bulk/cluster.py"},
    "distributed": {"bulk/cluster.py", "bulk/machine.py"},
    "pickle": set(),
    "dill": set(),
}


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return every module that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            base = node.module or ""
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    """Each module keeps to the table of layers, and to the doors."""
    mine = part(path)
    if mine == "__init__":
        assert not imports(path)
        return
    for name in imports(path):
        outside = name.split(".")[0]
        if outside in DOORS:
            assert str(path.relative_to(PACKAGE)) in DOORS[outside], f"{path} imports {name}"
        if not name.startswith("autograder.") or name == "autograder.__version__":
            continue
        other = name.split(".")[1]
        assert LAYERS[other] < LAYERS[mine] or other == mine, f"{path} imports {name}"
        assert (mine, other) not in FORBIDDEN, f"{path} imports {name}"


def test_only_the_command_line_prints() -> None:
    """No other module writes to a terminal; the kit's check tool prints in notebooks."""
    for path in MODULES:
        if path.name == "cli.py" or path == PACKAGE / "kit" / "visible.py":
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
        assert not any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls), path


def test_no_module_names_a_homework(course: Path) -> None:
    """Adding a homework is adding a folder: the tool knows none by name."""
    names = [path.parent.name for path in (course / "source").glob("*/staff")]
    assert names
    for path in MODULES:
        text = path.read_text()
        assert not [name for name in names if name in text], path


def test_every_layer_is_in_the_readme(course: Path) -> None:
    """The README's picture names each part of the package."""
    readme = (course / "README.md").read_text()
    for name in {part(path) for path in MODULES} - {"__init__", "__main__"}:
        assert name in readme, name


def test_grading_starts_without_what_only_authors_and_markers_need() -> None:
    """Nbgrader takes seconds to import: only the verbs that use it do."""
    code = "import sys, autograder.cli; print({'nbgrader', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
