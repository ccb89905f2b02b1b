"""The layers that docs/how_it_works/architecture.md draws: who may import whom, and the one door for each outside thing."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from autograder.records import versions

ROOT = Path(__file__).parents[1]

PACKAGE = ROOT / "autograder"
MODULES = sorted(PACKAGE.rglob("*.py"))

# In the order of a submission's journey: a module may import those of a lower number, and its
# neighbours in the same part.
LAYERS = {
    "records": 0,
    "kit": 1,
    "course": 2,
    "submission": 3,
    "program": 4,
    "sandbox": 5,
    "marking": 6,
    "store": 7,
    "reports": 8,
    "grading": 9,
    "cli": 10,
    "platforms": 11,
    "staff": 12,
    "authoring": 13,
    "__main__": 14,
}
WINGS = ("platforms", "staff", "authoring")
# Marks never come from where student code runs, nor do pages.
FORBIDDEN = {
    ("marking", "sandbox"),
    ("reports", "sandbox"),
    ("store", "sandbox"),
}
# What runs beside student code, and all of ours that it may import.
INSIDE = "sandbox/inside"
SENT_INSIDE = "staff/defence/running/call_observer.py"
SEEN_INSIDE = ("autograder.records", "autograder.sandbox.inside")
MAX_FILES = 12
DOORS = {
    "nbgrader": {
        "authoring/release.py",
        "platforms/nbgrader/autograde.py",
        "platforms/nbgrader/feedback.py",
        "platforms/nbgrader/database.py",
    },
    "rapidfuzz": {"platforms/nbgrader/groups.py"},
    "sqlalchemy": {
        "platforms/nbgrader/settings.py",
        "staff/marking_page/start.py",
        "platforms/nbgrader/database.py",
        "platforms/nbgrader/hand_marks.py",
        *(
            f"staff/marking_page/marks/{name}.py"
            for name in (
                "answers",
                "changes",
                "claims",
                "connection",
                "items",
                "question",
                "rows",
                "double_marking",
                "suggestions",
            )
        ),
    },
    "coverage": {"authoring/contract/branches.py"},
    "nbclient": {"authoring/release.py"},
    "subprocess": {
        "platforms/gradescope/simulate.py",
        "staff/desk/jobs.py",
        "staff/paper/markdown.py",
        "sandbox/supervisor.py",
        "platforms/git.py",
    },
    "packaging": {"course/packages.py", "platforms/gradescope/requirements.py"},
    "typst": {"staff/paper/typesetter.py"},
    "icalendar": {"authoring/site/calendar.py"},
    "cv2": {f"staff/defence/scans/{name}.py" for name in ("boxes", "page", "reader")},
    "pypdfium2": {"staff/defence/scans/pictures.py"},
    "segno": {"staff/defence/sheets/printed.py"},
    "zxingcpp": {"staff/defence/scans/page.py"},
    "pypandoc": {"staff/paper/markdown.py"},
    "psutil": {"sandbox/supervisor.py", "sandbox/accounting.py", "staff/desk/jobs.py"},
    "pyseccomp": {"sandbox/inside/linux/seccomp.py"},
    "ctypes": {
        "sandbox/inside/forking.py",
        "sandbox/inside/evaluate.py",
        *(
            f"sandbox/inside/linux/{name}.py"
            for name in ("capabilities", "landlock", "seccomp", "system")
        ),
    },
    "torch": set(),
    "IPython": {"kit/notebook/style.py", "sandbox/inside/jupyter.py"},
    "ipykernel": {"sandbox/inside/jupyter.py"},
    "jupytext": set(),
    "yaml": {"authoring/imports/otter_tests.py", "platforms/gradescope/export.py"},
    "typer": {
        "authoring/cli.py",
        "cli/grading.py",
        "cli/main.py",
        "cli/report.py",
        "cli/shared.py",
        "cli/unattended.py",
        "platforms/cli.py",
        "platforms/gradescope/cli.py",
        "platforms/nbgrader/cli.py",
        "staff/cli.py",
        "staff/defence/cli.py",
        "staff/desk/cli.py",
        "staff/regrade_requests_cli.py",
        "staff/explain/cli.py",
        "staff/similar/cli.py",
        "staff/term/cli.py",
    },
    "rich": {"authoring/cli.py", *(f"cli/{name}.py" for name in ("grading", "progress", "shared"))},
    "nh3": {"staff/marking_page/answer_html.py"},
    "starlette": {
        "staff/desk/server.py",
        *(f"staff/marking_page/{name}.py" for name in ("guard", "server", "start")),
    },
    "tomlkit": {"staff/desk/extensions.py"},
    "uvicorn": {"staff/marking_page/start.py"},
    "dask": {"grading/cluster.py"},
    "distributed": {"grading/cluster.py"},
    "scipy": {"staff/class_page/people.py", "staff/class_page/statistics.py"},
    "pickle": set(),
    "dill": set(),
}
# Where files come from outside, and so are opened in one place alone: by anything else, a name
# that was looked at may lead elsewhere when it is opened.
OPENING = "submission/opening.py"
FROM_OUTSIDE = (
    "submission",
    "staff/defence/marks.py",
    "staff/defence/scans/files.py",
    "platforms/canvas.py",
    "platforms/clones.py",
    "platforms/git.py",
    "platforms/feedback_files.py",
    "platforms/gradescope/export.py",
    "platforms/nbgrader/exchange.py",
    "platforms/nbgrader/submitted.py",
    "platforms/nbgrader/autograde.py",
    "platforms/gradescope/metadata.py",
    "grading/inbox.py",
    "grading/preflight.py",
    "grading/wire.py",
    "staff/term/returned.py",
)
OPENS = {"open", "fdopen", "read_text", "read_bytes", "ZipFile", "is_zipfile", "TarFile"}
OPENS |= {"scandir", "listdir", "iterdir", "glob", "rglob", "walk"}
ALLOWED = {
    "zipfile.ZipFile(data)": "what the door opened, or bytes",
    "zipfile.ZipFile(top.reader())": "what the door opened",
    "zipfile.ZipFile(data, 'w', zipfile.ZIP_DEFLATED)": "made in memory",
    "Grader.open(Task(root, name, course.read(root), out))": "no file",
    "target.open('wb')": "a copy of ours, for the sandbox",
    "archive.open(info)": "a member of an archive that is open",
    "report.read_text(encoding='utf-8')": "a page of ours",
    "folder.iterdir()": "a copy that nbgrader made for staff",
}
"""Calls that open nothing from outside, and why not."""
NAMES_PLATFORM = {
    "course/cells.py": "the metadata of a graded cell, in the form of notebooks that the core reads",
    "course/spec_complaints.py": "the check by a test cell in that form, and an imported homework's names",
    "course/course.py": "course.toml has a table [gradescope], and the repository of a site",
    "course/homework.py": "the check by a test cell in that form",
    "course/packages.py": "the library, which authors need and students do not",
    "grading/watching.py": "the setting attempts_a_day of [gradescope], which `grade --watch` keeps",
    "kit/__init__.py": "the check by a test cell in that form",
    "kit/notebook/check.py": "the variable by which a check knows that a grader runs it",
    "reports/student_files.py": "the setting hidden_questions of [gradescope]",
}
"""Core files whose code contains a platform's name, with the reason."""


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


def test_what_runs_beside_student_code_imports_nothing_of_ours_but_records() -> None:
    """The trust line is a folder: no reference, mark or result can be reached from inside it."""
    inside = sorted((PACKAGE / INSIDE).rglob("*.py"))
    assert inside
    for path in [*inside, PACKAGE / SENT_INSIDE]:
        ours = {name for name in imports(path) if name.startswith("autograder.")}
        assert all(name.startswith(SEEN_INSIDE) for name in ours), f"{path} imports {ours}"


def test_what_runs_behind_the_layers_was_imported_before_them() -> None:
    """Our files may be unreadable there; only the kernel's imports are left to the warm-up."""
    late = [
        f"{path.name}: {node.module}"
        for path in (PACKAGE / INSIDE).rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder")
    ]
    assert late == ["worker.py: autograder.sandbox.inside.kernel"]


def test_there_is_one_way_into_a_release() -> None:
    """Released, imported and new homeworks all pass the rule on leaks."""
    callers = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "write_release"
    }
    assert callers == {"authoring/contract/release_gate.py"}


def test_staff_files_import_the_kit_and_nothing_else_of_ours(course: Path) -> None:
    """What an author needs is in one place, and documented there."""
    staff = list((course / "source").glob("*/staff/*.py"))
    assert staff
    for path in staff:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        modules |= {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
        ours = {name for name in modules if name.startswith("autograder")}
        assert ours <= {"autograder.kit"}, f"{path} imports {ours}"


def test_each_folder_is_small_and_says_what_goes_in_and_out() -> None:
    """A newcomer reads the folders' first lines, and then knows where to look."""
    for folder in {path.parent for path in MODULES} - {PACKAGE}:
        files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(files) <= MAX_FILES, folder
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text())), folder


def test_tests_use_no_private_name_of_a_package() -> None:
    """What a test needs is public, and has a docstring; everything else may change at any time."""
    ours = {path.stem for path in MODULES}
    for path in (ROOT / "tests").rglob("*.py"):
        names = {alias for node in ast.walk(ast.parse(path.read_text())) for alias in private(node)}
        assert not [name for name in names if name.split(".")[0] in ours], f"{path}: {names}"


def private(node: ast.AST) -> Iterator[str]:
    """Yield `module._name` and `from module import _name`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr.startswith("_") and not node.attr.startswith("__"):
            yield f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name.startswith("_"):
                yield f"{(node.module or '').split('.')[-1]}.{alias.name}"


def test_no_test_imports_from_another_test() -> None:
    """What tests share is in modules beside them, so that each test file can move or go alone."""
    modules = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "source").rglob("staff/tests/*.py")]
    tests = {path.stem for path in modules if path.name.startswith("test_")} | {"conftest"}
    assert len(tests) > 50
    for path in [*modules, ROOT / "conftest.py"]:
        if "toy_course" in path.parts:  # a homework, whose files import their neighbours
            continue
        for name in imports(path):
            ours = name.startswith("autograder.")  # test_cells runs cells with tests
            assert ours or not tests & set(name.split(".")), f"{path} imports {name}"


def test_unit_tests_start_nothing() -> None:
    """They run after every change, so they need no sandbox, no browser and no patience."""
    for path in (ROOT / "tests" / "unit").rglob("test_*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
        assert not arguments & {"sandbox", "graded", "browser"}, path
        names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        names |= {node.id for node in nodes if isinstance(node, ast.Name)}
        assert not names & {"slow", "Sandbox"}, path


def test_only_the_command_line_prints() -> None:
    """No other module writes to a terminal; the kit's cells print in notebooks."""
    for path in MODULES:
        if (
            part(path) == "cli"
            or path.name.endswith("cli.py")
            or path.parent == PACKAGE / "kit" / "notebook"
        ):
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


def test_only_its_own_wing_names_the_defence() -> None:
    """Marks that the machine does not give come from a `MarkGiver`, and nobody else knows which."""
    texts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in PACKAGE.rglob("*.*")
        if "__pycache__" not in path.parts
    }
    named = {place for place, text in texts.items() if re.search("defen[cs]e", text, re.IGNORECASE)}
    assert "staff/defence/marked_sheets.py" in named
    assert {place for place in named if not place.startswith("staff/")} == set()


def test_the_core_names_no_platform() -> None:
    """Adding a platform is adding a module with an entry point; what reads submissions knows none."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    names = {*groups["autograder.platforms"], "github", "gitlab"} - {"git"}
    assert len(names) == 6
    named = re.compile("|".join(names), re.IGNORECASE)
    found = set()
    for path in MODULES:
        if part(path) in WINGS:
            continue
        name, tree = path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text())
        if part(path) == "submission" or name == "course/people.py":  # nor in a comment
            assert not named.search(path.read_text()), path
        if named.search(ast.unparse(_WithoutDocstrings().visit(tree))):
            found.add(name)
    assert found == NAMES_PLATFORM.keys()


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Expr(ast.Constant(...)) if text else node


def test_every_layer_is_in_the_docs(course: Path) -> None:
    """The page's picture has each part of the package in a row, in the order of the layers."""
    page = (course / "docs" / "how_it_works" / "architecture.md").read_text()
    rows = page.split("`tests/test_architecture.py` proves it):\n\n")[1].split("\n\n")[0]
    words = [re.match(r"    ((?:\w+  ?)+)", row) for row in rows.split("\n")]
    drawn = [name for found in words if found for name in found[1].split() if name != "inside"]
    assert set(drawn) == LAYERS.keys() - {"__main__"}
    levels = [LAYERS[name] for name in drawn]
    assert levels == sorted(levels)


def test_grading_starts_without_what_only_authors_and_markers_need() -> None:
    """Nbgrader takes seconds to import: only the verbs that use it do."""
    code = "import sys, autograder.cli.main; print({'nbgrader', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("words", "without"),
    [
        ("--help", ["numpy", "msgspec"]),
        ("grade --help", ["autograder.staff", "autograder.platforms"]),
    ],
)
def test_a_verb_starts_without_what_others_need(words: str, without: Sequence[str]) -> None:
    """The help imports no verb of ours, and a verb of the core no wing."""
    code = (
        "import sys, atexit; from autograder.__main__ import main\n"
        f"atexit.register(lambda: print('imported', {{*{without}}} & {{*sys.modules}}))\n"
        f"sys.argv = ['autograder', *{words.split()}]; main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("imported set()\n")


def test_each_door_is_used() -> None:
    """A door that no module uses any more must be removed."""
    for outside, doors in DOORS.items():
        for door in doors:
            used = {name.split(".")[0] for name in imports(PACKAGE / door)}
            assert outside in used, f"{door} does not import {outside}"


def test_what_came_from_outside_is_opened_in_one_place() -> None:
    """No other call there opens or lists by a name, and none reads without an end."""
    there = [path for name in FROM_OUTSIDE for path in _files(PACKAGE / name)]
    assert PACKAGE / OPENING in there
    used, found = set(), set()
    for path in there:
        if path == PACKAGE / OPENING:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _opens(node):
                call = ast.unparse(node)
                (used if call in ALLOWED else found).add(call)
    assert found == set()
    assert used == set(ALLOWED)


def _opens(call: ast.Call) -> bool:
    name = ast.unparse(call.func).split(".")[-1]
    if name == "read":
        return not call.args
    # `archives.read_bytes` has a limit, that of a path has none.
    return name in OPENS and not any(keyword.arg == "limit" for keyword in call.keywords)


@pytest.mark.parametrize(
    ("parts", "but"),
    [
        (
            versions.FACTS,
            {
                "course/spec_complaints.py",
                "course/homework.py",
                "course/known_answers.py",
                "course/people.py",
                "course/solutions.py",
                "records/versions.py",
                "kit",
            },
        ),
        (
            versions.MARKS,
            {
                "course/spec_complaints.py",
                "course/homework.py",
                "course/late_days.py",
                "course/packages.py",
                "records/versions.py",
            },
        ),
    ],
)
def test_what_can_change_facts_or_marks_is_in_their_version(
    parts: tuple[str, ...], but: set[str]
) -> None:
    """All that these parts import is in the digest, but for what only reads or says something.

    What a homework is (homework.py) has digests of its own; spec_complaints.py only refuses one; answers of our own (known_answers.py)
    leave no facts that are kept; whose they are (people.py) changes none; checks (kit) are never
    called beside student code.
    """
    inside = {path for part in parts for path in _files(PACKAGE / part)}
    seen, waiting = set(inside), list(inside)
    while waiting:
        for name in imports(waiting.pop()):
            path = PACKAGE.parent / (name.replace(".", "/") + ".py")
            if name.startswith("autograder.") and path.is_file() and path not in seen:
                seen.add(path)
                waiting.append(path)
    left = {path.relative_to(PACKAGE).as_posix() for path in seen - inside}
    assert {name for name in left if not {name, name.split("/")[0]} & but} == set()


def _files(path: Path) -> list[Path]:
    return list(path.rglob("*.py")) if path.is_dir() else [path]
