"""Measure one submission's use of resources from outside, whatever other processes do.

Every number comes from the kernel's accounts of these processes and from the folders that they
write to. If the kernel shows less, as in a container without the right to inspect other users'
processes, only proven use counts: perhaps too little, but never somebody else's.

Time is processor time, including that of ended processes. Sleep counts in part, so that a
process that only sleeps also reaches its limit. Time spent waiting for busy processors is known and
does not count. Free disk space is no evidence either; it only shows when to look closer.
"""

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from autograder.sandbox.inside.layers import MAX_PROCESSES, PATIENCE
from autograder.sandbox.inside.linux.system import LINUX

_TICK, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
_BLOCK = 512  # the unit of st_blocks, whatever the disk's own blocks are
# Looks may be this far apart, since a look takes a fifth of a millisecond.
_FRESH_SECONDS = 0.05
# At least this share of each second counts, however long the submission waited for a processor.
_OWN_SHARE = 0.1
# A process that waited for a processor for this share of its time was starved.
_STARVED_SHARE = 0.25
MAX_DISK = 1_000_000_000
# No notebook needs more names than these, and counting more would take too long.
MAX_FILES, _MAX_DEPTH = 20_000, 64
# A line of /proc/PID/maps for memory that was mapped as shared, in Linux's notation.
_MADE_SHARED = re.compile(
    r"(?P<start>\w+)-(?P<end>\w+) +\S*s\S* +\w+ +(?P<inode>\S+ +\d+) +/dev/zero"
)
# With less free disk space than this, any write may fail.
LITTLE_SPACE = 200_000_000
# Files are counted as soon as the disk fills up, and otherwise from time to time.
_COUNT_SECONDS = 5.0
# Above any limit: the clock jumps here when a platform's limit, for example, is reached.
_OVER = 1e9
# With more busy threads than this in several looks in a row, nothing else gets a processor.
MAX_BUSY, _BUSY_LOOKS = 16, 4
# Close looks may take this share of our time.
_CLOSER_SHARE = 0.2
DISK_FULL = "the disk was full while it ran"
_SYS_PTRACE = 1 << 19  # capabilities(7)


class Process(NamedTuple):
    """One process at one look."""

    pid: int
    began: int  # in the kernel's own form: process numbers are reused
    parent: int  # the number of its parent
    busy: int  # threads that run or are ready to run
    seconds: float  # seconds of processor time
    children: float  # processor seconds of children that it waited for
    waited: float  # seconds spent waiting for a processor
    faults: int  # how often it got a page of memory, or a copy of one
    size: int  # bytes of its address space
    lives: bool


class Moment(NamedTuple):
    """A reading: the time, a submission's clock, its processor seconds, and its waiting time."""

    time: float
    clock: float
    seconds: float
    waited: float


class Usage:
    """A submission's use of resources, updated at each look.

    `pids` include ended processes that nobody waited for. The ancestor is the process they were
    forked from, which adopts their orphans. The clock reaches its end when `time.monotonic()`
    reaches `until`, whatever the use.
    """

    def __init__(
        self,
        pids: Callable[[], Collection[int]],
        *,
        ancestor: int,
        folders: Callable[[], Collection[Path]],
        memory_bytes: int,
        until: float = float("inf"),
    ) -> None:
        self._pids, self._ancestor = pids, ancestor
        self._folders, self._memory_bytes, self._until = folders, memory_bytes, until
        self._orphans = self._reaped()
        self._before: dict[tuple[int, int], Process] = {}
        self._gone = 0.0
        self._busy_looks = 0
        self._free = shutil.disk_usage(self._home).free
        self._counted = time.monotonic()
        self._closer = 0.0
        self.last = Moment(self._counted, 0.0, 0.0, 0.0)
        """The most recent reading."""

    @property
    def _home(self) -> Path:
        return next(iter(self._folders()))

    def clock(self) -> float:
        """Return the seconds used: processor time, and a share of sleep.

        It may be slightly early, since looking takes time.
        """
        since = time.monotonic() - self.last.time
        if since < _FRESH_SECONDS:
            return self.last.clock + since
        self.look()
        return self.last.clock

    def starved(self, since: Moment) -> bool:
        """Return whether other programs have delayed it: it waited, and had little processor time."""
        self.look()
        now = self.last
        waited = now.waited - since.waited > _STARVED_SHARE * (now.time - since.time)
        return waited and now.seconds - since.seconds < (now.clock - since.clock) / 2

    def look(self) -> Sequence[Process]:
        """Update the clock; return the existing processes."""
        now = time.monotonic()
        seen = {(p.pid, p.began): p for p in map(_process, self._pids()) if p}
        reaped = self._reaped()
        before, last = self._before, self.last
        ended = sum(p.seconds + p.children for name, p in before.items() if name not in seen)
        handed_on = sum(
            p.children - (before[name].children if name in before else 0.0)
            for name, p in seen.items()
        )
        # If its parent waited for it, the parent's account includes it; otherwise it is gone.
        handed_on += reaped - self._orphans
        self._gone += max(0.0, reaped - self._orphans) + max(0.0, ended - handed_on)
        living = sum(p.seconds + p.children for p in seen.values())
        used = max(0.0, living + self._gone - last.seconds)
        waited = [
            p.waited - (before[name].waited if name in before else 0.0)
            for name, p in seen.items()
            if p.lives
        ]
        passed = now - last.time
        delayed = min(max(waited, default=0.0), (1 - _OWN_SHARE) * passed)
        clock = last.clock + max(used, (passed - delayed) / PATIENCE)
        if now >= self._until:
            clock = max(clock, _OVER)
        self.last = Moment(now, clock, last.seconds + used, last.waited + delayed)
        self._before, self._orphans = seen, reaped
        return [p for p in seen.values() if p.lives]

    def _reaped(self) -> float:
        """Return the seconds of ended processes that the ancestor adopted."""
        ancestor = _process(self._ancestor)
        return ancestor.children if ancestor else 0.0

    def excess(self) -> str:
        """Look, and return what it uses too much of, or ""."""
        processes = self.look()
        if len(processes) > MAX_PROCESSES:
            return f"it started more than {MAX_PROCESSES} processes"
        busy = sum(process.busy for process in processes)
        self._busy_looks = self._busy_looks + 1 if busy > MAX_BUSY else 0
        if self._busy_looks >= _BUSY_LOOKS:
            return f"it kept more than {MAX_BUSY} processes or threads busy at a time"
        started = time.monotonic()
        if started < self._closer:
            return ""
        why = self._memory_excess(processes) or self._disk_excess(processes)
        ended = time.monotonic()
        self._closer = ended + (ended - started) / _CLOSER_SHARE
        return why

    def _memory_excess(self, processes: Sequence[Process]) -> str:
        # No process uses more than its address space has.
        if sum(process.size for process in processes) <= self._memory_bytes:
            return ""
        if LINUX:
            used = memory(processes, self._ancestor)
        else:
            before = _process(self._ancestor)
            used = sum(max(0, p.size - (before.size if before else 0)) for p in processes)
        if used > self._memory_bytes:
            return f"it used more than {self._memory_bytes / 1e9:.2g} GB of memory"
        return ""

    def _disk_excess(self, processes: Sequence[Process]) -> str:
        free, now = shutil.disk_usage(self._home).free, time.monotonic()
        if self._free - free < MAX_DISK / 4 and now < self._counted + _COUNT_SECONDS:
            return ""
        self._counted = now
        found = disk(self._folders(), [process.pid for process in processes])
        if found.size > MAX_DISK:
            return f"it wrote more than {MAX_DISK / 1e9:g} GB"
        if found.files > MAX_FILES:
            return f"it wrote more than {MAX_FILES:,} files"
        return found.closed or (DISK_FULL if self.out_of_space() else "")

    def out_of_space(self) -> bool:
        """Return whether the disk has become full since the start, whoever filled it."""
        return shutil.disk_usage(self._home).free < LITTLE_SPACE < self._free


def unseen() -> str:
    """Return why the kernel does not show all memory of other users' processes, or ""."""
    if not LINUX:
        return "this system does not show it of other processes"
    lines = Path("/proc/self/status").read_text().splitlines()
    (rights,) = (line.split()[1] for line in lines if line.startswith("CapEff:"))
    if int(rights, 16) & _SYS_PTRACE:
        return ""
    return "Linux shows it only to root, and in a container only with CAP_SYS_PTRACE"


def tree(top: int) -> Iterator[int]:
    """Yield the number of a process and of all its descendants, including ended ones."""
    waiting = [top]
    while waiting:
        pid = waiting.pop()
        yield pid
        try:
            tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
            lists = [_read(f"{pid}/task/{task}/children") for task in tasks]
        except OSError:
            # There is no such list, or the process is gone: check every process.
            with contextlib.suppress(psutil.Error):
                yield from (child.pid for child in psutil.Process(pid).children(recursive=True))
            continue
        waiting += map(int, " ".join(lists).split())


def _process(pid: int) -> Process | None:
    if not LINUX:
        return _by_psutil(pid)
    try:
        stat = _read(f"{pid}/stat")
    except OSError:
        return None
    # The name may contain anything; the fields after it are numbered from 3 in proc(5).
    state, *fields = stat[stat.rindex(")") + 2 :].split()
    numbers = [0, 0, 0, 0, *map(int, fields)]
    own, children = sum(numbers[14:16]), sum(numbers[16:18])
    busy = _busy_threads(pid) if numbers[20] > 1 else int(state == "R")
    waited = 0.0
    with contextlib.suppress(OSError, ValueError, IndexError):  # not all kernels have schedstat
        waited = int(_read(f"{pid}/schedstat").split()[1]) / 1e9
    return Process(
        pid,
        began=numbers[22],
        parent=numbers[4],
        busy=busy,
        seconds=own / _TICK,
        children=children / _TICK,
        waited=waited,
        faults=numbers[10],
        size=numbers[23],
        lives=state not in "ZX",
    )


def _read(name: str) -> str:
    """Return a file of /proc; a process may give itself any name, in any bytes."""
    with open(f"/proc/{name}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return file.read()


def _busy_threads(pid: int) -> int:
    busy = 0
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                stat = _read(f"{pid}/task/{task}/stat")
                busy += stat[stat.rindex(")") + 2] == "R"
    return busy


def _by_psutil(pid: int) -> Process | None:
    try:
        process = psutil.Process(pid)
        times, memory = process.cpu_times(), process.memory_info()
        lives = process.status() != psutil.STATUS_ZOMBIE
        busy = process.status() == psutil.STATUS_RUNNING
        return Process(
            pid,
            began=int(1000 * process.create_time()),
            parent=process.ppid(),
            busy=int(busy),
            seconds=times.user + times.system,
            children=times.children_user + times.children_system,
            waited=0.0,
            faults=0,
            size=memory.rss,
            lives=lives,
        )
    except psutil.Error:
        return None


def memory(parts: Sequence[Process], ancestor: int) -> int:
    """Return the bytes of memory that processes use together, counting each page once.

    Pages shared with their ancestor do not count.
    """
    try:
        theirs = sum(_anonymous(part.pid)[1] for part in parts)
        resident, share = _anonymous(ancestor)
    except PermissionError:
        return _certain_memory(parts, ancestor)
    # Processes are charged for shares of their ancestor's pages, so the ancestor is charged for
    # less.
    return max(0, theirs - (resident - share)) + sum(_shared(part.pid for part in parts))


def _anonymous(pid: int) -> tuple[int, int]:
    """Return a process's anonymous pages: all that it sees, and its share of them."""
    sizes: Mapping[str, int] = {}
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        sizes = _sizes(f"{pid}/smaps_rollup")
    return sizes.get("Anonymous:", 0), sizes.get("Pss_Anon:", 0) + sizes.get("SwapPss:", 0)


def _sizes(name: str) -> dict[str, int]:
    """Return the bytes that a file of /proc gives in kB; process names may contain anything."""
    words = (line.split() for line in _read(name).split("\n"))
    return {
        one[0]: 1024 * int(one[1])
        for one in words
        if len(one) == 3 and one[2] == "kB" and one[1].isdecimal()
    }


def _shared(pids: Iterator[int]) -> Iterator[int]:
    """Yield the size of each piece of memory mapped as shared, in use or not.

    It survives the process that filled it, as long as some process has it mapped.
    """
    sizes: dict[str, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in _read(f"{pid}/maps").split("\n"):
                if found := _MADE_SHARED.match(line):
                    size = int(found["end"], 16) - int(found["start"], 16)
                    sizes[found["inode"]] = max(sizes.get(found["inode"], 0), size)
    yield from sizes.values()


def _certain_memory(parts: Sequence[Process], ancestor: int) -> int:
    """Return the bytes that are certainly theirs, if the kernel does not show sharing.

    A fork shares its parent's pages, and copies a page when either writes to it.
    """
    seen = {part.pid: _resident(part.pid) for part in parts} | {ancestor: _resident(ancestor)}
    total, shared = 0, 0
    for part in parts:
        private, together = seen[part.pid]
        inherited, _ = seen.get(part.parent, (0, 0))
        total += min(private, max(private - inherited, part.faults * _PAGE))
        shared = max(shared, together)
    return total + shared


def _resident(pid: int) -> tuple[int, int]:
    """Return a process's bytes in memory: private pages, and those mapped as shared."""
    sizes: Mapping[str, int] = {}
    with contextlib.suppress(OSError):
        sizes = _sizes(f"{pid}/status")
    return sizes.get("RssAnon:", 0), sizes.get("RssShmem:", 0)


class Disk(NamedTuple):
    """The files and bytes on the disk, and why the count may be incomplete."""

    size: int
    files: int
    closed: str = ""


def disk(folders: Collection[Path], pids: Collection[int]) -> Disk:
    """Count the files in folders, and removed files that processes keep open.

    Counting ends at `MAX_FILES`.
    """
    seen: set[tuple[int, int]] = set()
    devices = {folder.stat().st_dev for folder in folders if folder.exists()}
    size = sum(_new(found, seen) for found in _removed(pids) if found.st_dev in devices)
    files, closed = 0, ""
    waiting = [(str(folder), 0) for folder in folders]
    while waiting and files <= MAX_FILES:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    files += 1
                    if files > MAX_FILES:
                        break
                    with contextlib.suppress(FileNotFoundError):
                        found = entry.stat(follow_symlinks=False)
                        size += _new(found, seen)
                        if stat.S_ISDIR(found.st_mode):
                            waiting.append((entry.path, depth + 1))
        except FileNotFoundError:  # it was removed during the count
            continue
        except NotADirectoryError:  # a file directly in a folder that all may write to
            with contextlib.suppress(FileNotFoundError):
                size += _new(os.lstat(folder), seen)
                files += 1
        except OSError:  # it may be unreadable, or its name too long
            closed = "it made a folder in which its files cannot be counted"
        if depth > _MAX_DEPTH:
            closed = f"it made more than {_MAX_DEPTH} folders, one in the other"
            break
    return Disk(size, files, closed)


def _removed(pids: Collection[int]) -> Iterator[os.stat_result]:
    for pid in pids:
        for kind in ("fd", "map_files"):
            with contextlib.suppress(OSError):
                for name in os.listdir(f"/proc/{pid}/{kind}"):  # noqa: PTH208
                    with contextlib.suppress(OSError):
                        found = os.stat(f"/proc/{pid}/{kind}/{name}")  # noqa: PTH116
                        if stat.S_ISREG(found.st_mode) and not found.st_nlink:
                            yield found


def _new(found: os.stat_result, seen: set[tuple[int, int]]) -> int:
    if found.st_nlink == 1:
        return _BLOCK * found.st_blocks
    inode = (found.st_dev, found.st_ino)
    if inode in seen:
        return 0
    seen.add(inode)
    return _BLOCK * found.st_blocks
