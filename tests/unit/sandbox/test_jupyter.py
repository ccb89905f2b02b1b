"""jupyter: the private parts of IPython and ipykernel that it overrides or uses exist."""

import inspect
from collections.abc import Callable
from importlib.metadata import version

import pytest
from ipykernel import compiler, zmqshell
from ipykernel.iostream import IOPubThread, OutStream
from ipykernel.ipkernel import IPythonKernel
from IPython.core import async_helpers
from IPython.core.displayhook import DisplayHook
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.profiledir import ProfileDir

from autograder.sandbox.inside import jupyter

KERNEL = "dispatch_shell raw_input getpass compiler_class shell_channel_thread _execute_sleep"
STREAM = "write _flush _schedule_flush flush_interval _buffer_lock _master_pid"
USED = {
    compiler: "get_tmp_hash_seed murmur2_x86",
    compiler.XCachingCompiler: "get_code_name",
    zmqshell: "system",
    IOPubThread: "schedule",
    OutStream: f"{STREAM} _original_stdstream_copy",
    IPythonKernel: f"{KERNEL} _supports_kernel_subshells",
    async_helpers: "_should_be_async",
    TransformerManager: "transform_cell cleanup_transforms line_transforms token_transformers",
    ProfileDir: "_mkdir",
    DisplayHook: "semicolon_at_end_of_expression",
    InteractiveShell: "should_run_async transform_cell last_execution_result autoawait",
}
VERSIONS = f"IPython {version('ipython')}, ipykernel {version('ipykernel')}"


@pytest.mark.parametrize("owner", USED, ids=lambda owner: owner.__name__)
def test_each_part_that_is_changed_is_still_there(owner: object) -> None:
    """A new version may rename it: our code would then silently never run."""
    source = inspect.getsource(owner) + "".join(
        inspect.getsource(base) for base in getattr(owner, "__mro__", ())[1:-1] if _is_theirs(base)
    )
    gone = [name for name in USED[owner].split() if name not in source]
    assert not gone, f"{VERSIONS}: change autograder/sandbox/inside/jupyter.py"


def _is_theirs(kind: type) -> bool:
    return kind.__module__.startswith(("IPython", "ipykernel"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (jupyter.Kernel.getpass, IPythonKernel.getpass),
        (jupyter.Kernel.raw_input, IPythonKernel.raw_input),
        (jupyter.Compiler.get_code_name, compiler.XCachingCompiler.get_code_name),
        (jupyter.Transformers.transform_cell, TransformerManager.transform_cell),
    ],
    ids=lambda function: function.__qualname__,
)
def test_what_is_overridden_takes_what_it_is_called_with(
    ours: Callable[..., object], theirs: Callable[..., object]
) -> None:
    """IPython passes arguments by these names."""
    inspect.signature(ours).bind(**dict.fromkeys(inspect.signature(theirs).parameters))


def test_a_cell_becomes_code_once_and_as_ipython_has_it() -> None:
    """A magic becomes Python, and a cell without one stays unchanged."""
    own, theirs = jupyter.Transformers(), TransformerManager()
    for cell in ("x = 1", "%time x = 1\n", "x = !ls", "  y = 2\n", "numpy?"):
        assert own.transform_cell(cell) == own.read_ahead(cell) == theirs.transform_cell(cell)
