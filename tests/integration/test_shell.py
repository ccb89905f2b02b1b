"""shell: a notebook that uses all that Jupyter has gets the outputs of a real kernel."""

import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from autograder.course import homework
from autograder.records.homework import Cell
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import TOY

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

CHAPTERS = sorted((Path(__file__).parent / "jupyter").glob("*.txt"))
LIMITS = {
    "question_seconds": 5,
    "submission_seconds": 300,
    "value_bytes": 1_000,
    "output_bytes": 10_000_000,
    "memory_bytes": 4_000_000_000,
}
# What differs between any two runs of a real kernel, or is the place and not the output.
DIFFERS_ANYWAY = (
    (r"\\r\\n", r"\\n"),  # a terminal's end of a line
    (r"(<directory>|/tmp)/ipykernel_\d+/\d+\.py", "<cell>"),
    (r"(object at |0x)+[0-9a-f]+", "<address>"),
    (r"\b[0-9a-f]{32}\b", "<id of a widget>"),
    (r"[\d.e+]+ (n|[µμ]|m)?s\b", "<time>"),
    (r"<dc:date>[^<]*", "<date>"),
)
# Where the sandbox rightly shows something else than a real kernel: cell -> why.
STATED = {
    "1_names: a parser of arguments that knows none": "the kernel has no connection file",
    "1_names: a recursion": "50 places of a traceback are kept",
    "2_magics: files": "no command has a terminal: ls writes one a line",
    "2_magics: debugging is refused": "a debugger goes on at once",
    "6_errors: input": "input() returns an empty text",
    "6_errors: getpass": "so does getpass()",
    "6_errors: breakpoint": "a debugger goes on at once",
    "3_display: what cannot be written as JSON": "the traceback shows where we write JSON",
    "3_display: metadata that cannot": "the traceback shows where we write JSON",
    "3_display: not a number": "the warning shows where we write JSON",
    "3_display: in an output widget": "a report has no widgets: theirs is shown with the cell's",
    "5_streams: await in a magic": "the traceback shows our compiler above IPython's",
    "5_streams: wrong": "the traceback shows our stream above ipykernel's",
}
Output = Mapping[str, Any]


def cells(chapter: Path) -> list[tuple[str, str]]:
    """Return a chapter's cells: name and source."""
    parts = re.split(r"^# %% (.*)\n", chapter.read_text(), flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(f"{chapter.stem}: {name}", source.removesuffix("\n")) for name, source in pairs]


CELLS = [cell for chapter in CHAPTERS for cell in cells(chapter)]


def in_a_kernel(folder: Path) -> list[str]:
    """Return what a real kernel makes of each cell.

    Its messages may be lost on a busy machine; nbclient then waits for ever, or for the limit.
    """
    for attempt in range(3):
        try:
            return _in_a_kernel(folder / str(attempt))
        except (CellTimeoutError, DeadKernelError) as error:
            lost = error
    raise lost


def _in_a_kernel(folder: Path) -> list[str]:
    folder.mkdir(parents=True)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for _, source in CELLS]
    )
    client = NotebookClient(
        notebook,
        allow_errors=True,
        timeout=60,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        # As ours: a report has no colours.
        extra_arguments=["--InteractiveShell.colors=nocolor", "--log-level=ERROR"],
    )
    ours = {
        **dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), str(folder)),
        **dict.fromkeys(("USER", "LOGNAME"), "student"),
        "IPYTHONDIR": str(folder / ".ipython"),
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    theirs = {name: os.environ[name] for name in os.environ if not name.startswith("PY")}
    client.execute(env=theirs | ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [plain(cell.outputs, folder) for cell in notebook.cells]


def in_the_sandbox(sandbox: Sandbox, sources: Sequence[tuple[str, str]]) -> list[str]:
    """Return what the sandbox's kernel makes of each cell."""
    cells = [[name, source, False] for name, source in sources]
    job = {
        "cells": cells,
        "stops": [],
        "helpers": {},
        "data": {},
        "adapters": "",
        "seed": 0,
        **LIMITS,
    }
    outputs: list[Sequence[Output]] = [()] * len(sources)
    with sandbox.run(job) as run:
        while "ready" not in (message := run.receive(deadline=60)):
            if "finished" in message:
                outputs[message["finished"]] = message["outputs"]
        return [plain(output, run.directory) for output in outputs]


def plain(outputs: Sequence[Output], folder: Path) -> str:
    """Return a cell's outputs as text that two runs can share."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        before = merged[-1] if merged else {}
        # As JupyterLab shows them, and as we keep them: nbclient leaves them apart.
        if output["output_type"] == "stream" and before.get("name") == output["name"]:
            before["text"] += output["text"]
        else:
            merged.append(dict(output))
    text = json.dumps(merged, sort_keys=True, indent=1, ensure_ascii=False)
    text = text.replace(str(folder.resolve()), "<directory>").replace(str(folder), "<directory>")
    for pattern, word in DIFFERS_ANYWAY:
        text = re.sub(pattern, word, text)
    return text


@dataclass
class Both:
    """The outputs of one sandbox, and of one or more real kernels."""

    ours: list[str]
    folder: Path
    real: list[list[str]] = field(default_factory=list)

    def differing(self, chapter: Path) -> dict[str, str]:
        """Return the cells of a chapter on which we and a real kernel differ, and how.

        A real kernel sends what was printed every 0.2 seconds and reads what programs print in
        a thread: what follows what depends on how busy the machine is, and is tried thrice.
        """
        differing: dict[str, str] = {}
        for attempt in range(3):
            if len(self.real) == attempt:
                self.real.append(in_a_kernel(self.folder / f"kernel-{attempt}"))
            differing = {
                name: "\n".join(difflib.unified_diff(theirs.split("\n"), ours.split("\n"), n=1))
                for (name, _), theirs, ours in zip(
                    CELLS, self.real[attempt], self.ours, strict=True
                )
                if name.startswith(chapter.stem)
                and not any(run[CELLS_BY_NAME[name]] == ours for run in self.real)
            }
            if set(differing) <= set(STATED):
                break
        return differing


CELLS_BY_NAME = {name: place for place, (name, _) in enumerate(CELLS)}


@pytest.fixture(scope="module")
def both(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Both:
    assert len(CELLS_BY_NAME) == len(CELLS), "two cells of a chapter share a name"
    return Both(in_the_sandbox(sandbox, CELLS), tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_outputs_are_those_of_a_real_kernel(both: Both, chapter: Path) -> None:
    """Each cell's outputs are equal, but for the differences that are stated with their reason."""
    differing = both.differing(chapter)
    unstated = [f"{name}\n{how}" for name, how in differing.items() if name not in STATED]
    assert not unstated, "\n\n".join(unstated)
    assert set(differing) == {name for name in STATED if name.startswith(chapter.stem)}


def test_what_is_read_ahead_runs_as_if_it_were_not(both: Both) -> None:
    """Compiled before the fork: the same outputs, also after cells that change how cells are read."""
    given = tuple(Cell(name, "code", source) for name, source in CELLS)
    with Sandbox() as ahead:
        ahead.expect(replace(homework.load(TOY, "toy"), cells=given))
        found = in_the_sandbox(ahead, CELLS)
    pairs = zip(CELLS, both.ours, found, strict=True)
    differing = [name for (name, _), ours, theirs in pairs if ours != theirs]
    assert not differing


def test_the_comparison_sees_outputs(both: Both) -> None:
    """Most cells have some, of every kind; an equality of nothing with nothing proves little."""
    text = "".join(both.ours)
    for kind in ("stream", "display_data", "execute_result", "error", "image/png", "stderr"):
        assert text.count(f'"{kind}"') > 20, kind
    assert sum(output != "[]" for output in both.ours) > 0.8 * len(CELLS)


def test_a_cell_goes_on_after_exit(sandbox: Sandbox) -> None:
    """exit() ends a real kernel; here, later cells run, since their answers count."""
    outputs = in_the_sandbox(sandbox, [("first", "exit()"), ("second", "1 + 1")])
    assert '"text/plain": "2"' in outputs[1]


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio\nasyncio.get_running_loop().stop()",
        "get_ipython().run_cell = None",
        "get_ipython().kernel.do_execute = None",
        "import sys\nsys.stdout = sys.stderr = None",
        "import os\nos.closerange(0, 3)",
        "get_ipython().kernel.session = None",
        "get_ipython().compile = None",
        "import os\nos.write(1, b'text')\nprint(2)\nos.ftruncate(1, 0)",
    ],
)
def test_a_cell_that_breaks_its_kernel_breaks_no_more(sandbox: Sandbox, source: str) -> None:
    """Later cells may have no outputs then, but the run goes on to its questions."""
    assert len(in_the_sandbox(sandbox, [("breaks", source), ("next", "print(1)")])) == 2


STATE = """
def state():
    import builtins, decimal, json, logging, os, random, signal, sys, tempfile, warnings
    import matplotlib, numpy, torch
    import matplotlib.pyplot as plt
    shell = get_ipython()
    return {
        "names": sorted(name for name in shell.user_ns if name[0] != "_"),
        "builtins": len(vars(builtins)),
        "working directory": [os.path.samefile(".", os.environ["HOME"]), sorted(os.listdir())],
        "environment": sorted(os.environ),
        "modules": "sched" in sys.modules,
        "path": len(sys.path),
        "arguments": sys.argv,
        "functions": json.dumps.__module__,
        "temporary folder": os.path.samefile(tempfile.gettempdir(), os.environ["HOME"]),
        "random": random.getstate()[1][:3],
        "numpy": int(numpy.random.get_state()[1][0]),
        "print options": numpy.get_printoptions()["precision"],
        "torch": [torch.initial_seed(), str(torch.get_default_dtype())],
        "decimals": decimal.getcontext().prec,
        "warnings": len(warnings.filters),
        "loggers": len(logging.getLogger().handlers),
        "settings": [matplotlib.rcParams["figure.dpi"], matplotlib.rcParams["lines.linewidth"]],
        "figures": plt.get_fignums(),
        "formats": sorted(shell.config.InlineBackend),
        "config": shell.ast_node_interactivity,
        "aliases": len(shell.alias_manager.aliases),
        "magics": len(shell.magics_manager.magics["line"]),
        "events": len(shell.events.callbacks["pre_run_cell"]),
        "transformers": len(shell.input_transformers_cleanup),
        "directories": len(shell.user_ns["_dh"]),
        "cells": len(shell.user_ns["In"]),
        "stored": len(list(shell.db.keys())),
        "signals": signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL,
    }
import json
print(json.dumps(state()))
"""
TRACES = """
%matplotlib inline
import builtins, decimal, json, logging, os, random, sched, signal, sys, tempfile, warnings
import matplotlib, numpy, torch
import matplotlib.pyplot as plt
mine = 1
%store mine
builtins.mine = 1
os.mkdir("inside"); os.environ["MINE"] = "1"; sys.path.append("."); sys.argv.append("mine")
tempfile.tempdir = "/"
json.dumps = lambda value, dumps=json.dumps: dumps(value)
random.seed(5); numpy.random.seed(5); torch.manual_seed(5); torch.set_default_dtype(torch.float64)
numpy.set_printoptions(precision=2); decimal.getcontext().prec = 3
warnings.simplefilter("error"); logging.getLogger().addHandler(logging.NullHandler())
matplotlib.rcParams["figure.dpi"] = 30; matplotlib.rcParams["lines.linewidth"] = 9
%config InlineBackend.close_figures = False
plt.figure()
%config InteractiveShell.ast_node_interactivity = "none"
get_ipython().config.InlineBackend.rc = {}
%alias louder echo
get_ipython().register_magic_function(print, "line", "mine")
get_ipython().events.register("pre_run_cell", lambda info: None)
get_ipython().input_transformers_cleanup.append(lambda lines: lines)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
%cd -q inside
"""


def test_nothing_of_a_submission_is_left_for_the_next(sandbox: Sandbox) -> None:
    """Names, settings, modules, figures, folders, seeds: the second finds what the first found."""

    def state(*before: str) -> dict[str, Any]:
        sources = [("a cell", source) for source in (*before, STATE)]
        return dict(json.loads(json.loads(in_the_sandbox(sandbox, sources)[-1])[0]["text"]))

    fresh, after_traces, again = state(), state(TRACES), state()
    unchanged = {name for name in fresh if fresh[name] == after_traces[name]}
    assert not unchanged, "the first submission did not change these"
    assert again == fresh
    assert fresh["working directory"] == [True, [".ipython"]]
