"""Forks that copy little memory, and the memory that a container has left.

A fork of a large process copies an entry for each page that was written.

A process that has imported torch has 250 MB of them: with 4 kB pages, fork and exit take about 15
ms, with 2 MB pages 4 ms.
"""

import contextlib
import ctypes
import functools
import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.sandbox.inside.linux.system import LINUX

_LARGE = 1 << 21
_MADV_HUGEPAGE, _MADV_COLLAPSE = 14, 25  # the second one exists since Linux 6.1

# Files with a container's memory limit: in the new kind of control groups, and in the old one.
_GROUPS = (
    (Path("/sys/fs/cgroup"), "", "memory.max", "memory.current"),
    (Path("/sys/fs/cgroup/memory"), "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)
_NO_LIMIT = 1 << 60  # the old kind's paths have a number first
_COMPILER = "torch._dynamo"


def settle() -> None:
    """Prepare this process for being forked many times.

    Its objects leave the garbage collector, which would write to each of them in every fork, and if
    the kernel can, small pages become large ones.
    """
    gc.collect()
    gc.freeze()
    if LINUX:
        advise = ctypes.CDLL(None, use_errno=True).madvise
        advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for start, end in _written():
            advise(start, end - start, _MADV_HUGEPAGE)
            for address in range(start, end, _LARGE):
                advise(address, _LARGE, _MADV_COLLAPSE)  # on failure, pages stay small


def tame_torch() -> None:
    """Change the parts of an imported torch that do not survive a fork or take too long."""
    torch: Any = sys.modules.get("torch")
    if torch is None or getattr(torch, "compile", None) is _as_it_is:
        return
    # One thread, whatever a submission requests: others do not exist in a question's fork.
    torch.set_num_threads(1)
    torch.set_num_threads = _ignored
    torch.set_deterministic_debug_mode("warn")
    # An answer would be compiled again in every fork, which takes longer than a question may.
    torch.compile = _as_it_is
    if _COMPILER not in sys.modules:
        sys.modules[_COMPILER] = torch._dynamo = _NoCompiler(_COMPILER)


class _NoCompiler(ModuleType):
    """A stand-in for the parts of torch's compiler that optimizers call, which are useless here.

    Each optimizer step imports the compiler only to keep it out of the step: 800 modules, 70 MB and
    one to three seconds. All other attributes are the real compiler's.
    """

    @staticmethod
    def graph_break() -> None:
        """Do nothing: there is no graph to break."""

    @staticmethod
    def disable(function: Any, *args: Any, **options: Any) -> Any:  # noqa: ARG004
        """Return the function, uncompiled."""
        return function

    def __getattr__(self, name: str) -> Any:
        # Code that iterates over all modules reads these; `__path__` is for submodules.
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(_COMPILER) is self:
            del sys.modules[_COMPILER]
        return getattr(importlib.import_module(_COMPILER), name)


def _ignored(nthreads: int) -> None:
    pass


def _as_it_is(model: Any = None, *args: Any, **options: Any) -> Any:
    return model or functools.partial(_as_it_is, *args, **options)


def left() -> int | None:
    """Return the bytes of memory left, by this container's limit or the machine's.

    None if unknown, as on macOS.
    """
    found = []
    for top, controller, limit, used in _GROUPS:
        for folder in _own_groups(top, controller):
            with contextlib.suppress(OSError, ValueError):
                most = int((folder / limit).read_text())  # "max" is not a number
                if most < _NO_LIMIT:
                    cached = _numbers(folder / "memory.stat").get("inactive_file", 0)
                    found.append(most - int((folder / used).read_text()) + cached)
    with contextlib.suppress(OSError, KeyError):
        found.append(1024 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    return min(found, default=None)


def _own_groups(top: Path, controller: str) -> Iterator[Path]:
    """Yield our group and its ancestors; a container may see its own at the top."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            if names == controller and ".." not in path:
                folder = top / path.lstrip("/")
                yield from (folder, *(above for above in folder.parents if top in above.parents))
    yield top


def _numbers(path: Path) -> dict[str, int]:
    lines = (line.split() for line in path.read_text().splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) > 1 and words[1].isdigit()}


def _written() -> Iterator[tuple[int, int]]:
    """Yield the address ranges of anonymous memory, rounded to whole large pages."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, *_, inode_and_name = line.split(maxsplit=4)
            start, end = (int(address, 16) for address in place.split("-"))
            start, end = -(-start // _LARGE) * _LARGE, end // _LARGE * _LARGE
            name = inode_and_name.split()[1:]
            if rights.startswith("rw") and name in ([], ["[heap]"]) and start < end:
                yield start, end
