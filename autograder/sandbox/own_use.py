"""What processes use of the machine's memory and disk: their own, whatever others do.

Every number comes from the kernel's accounts of these processes and from the folder that they
write to. Where it shows us less, as a container does without the right to look into processes
of other users, what is counted is what is certain: less, and never somebody else's.
"""

import contextlib
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 512  # st_blocks counts these, whatever the disk's own are
# More names than these are no notebook's, and counting them would take us too long.
MAX_FILES, _MAX_DEPTH = 20_000, 64
_ANONYMOUS = "/dev/zero"  # what Linux calls memory that was made to be shared


class Process(NamedTuple):
    """One process, as far as its memory goes: anonymous pages that it has and those it made.

    Args:
        pid: Its number.
        parent: The number of the one that forked it.
        faults: How often it got a page, or a copy of one.
    """

    pid: int
    parent: int
    faults: int


def memory(parts: Sequence[Process], ancestor: int) -> int:
    """Return the bytes of memory that processes use together, each page counted once.

    What they share with the ancestor that they were forked from is not theirs.
    """
    try:
        theirs = sum(_anonymous(part.pid)[1] for part in parts)
        resident, share = _anonymous(ancestor)
    except PermissionError:
        return _certain_memory(parts, ancestor)
    # What the ancestor does not pay of its own pages, those that were forked from it do.
    return max(0, theirs - (resident - share)) + sum(_shared(part.pid for part in parts))


def _anonymous(pid: int) -> tuple[int, int]:
    """Return a process's pages that no file is behind: all it sees, and its part of them."""
    found = {"Anonymous": 0, "Pss_Anon": 0, "SwapPss": 0}
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(errors="replace").splitlines()[1:]:
            name, number = line.split()[:2]
            if (name := name.rstrip(":")) in found:
                found[name] = 1024 * int(number)
    return found["Anonymous"], found["Pss_Anon"] + found["SwapPss"]


def _shared(pids: Iterator[int]) -> Iterator[int]:
    """Yield the size of each piece of memory that was made to be shared, in use or not.

    It stays when the process that filled it ends, as long as one has it in its address space.
    """
    sizes: dict[str, int] = {}
    for pid in pids:
        for place, rights, inode, name in _mapped(pid):
            if "s" in rights and name.startswith(_ANONYMOUS):
                start, end = (int(address, 16) for address in place.split("-"))
                sizes[inode] = max(sizes.get(inode, 0), end - start)
    yield from sizes.values()


def _mapped(pid: int) -> Iterator[tuple[str, str, str, str]]:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
            place, rights, _, device, *rest = line.split(maxsplit=5)
            if len(rest) == 2:
                yield place, rights, f"{device} {rest[0]}", rest[1]


def _certain_memory(parts: Sequence[Process], ancestor: int) -> int:
    """Return the bytes that are certainly theirs, where the kernel does not show who shares what.

    A fork has what its parent has, and copies a page when one of them writes to it.
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
    found = {"RssAnon": 0, "RssShmem": 0}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            name, _, number = line.partition(":")
            if name in found:
                found[name] = 1024 * int(number.split()[0])
    return found["RssAnon"], found["RssShmem"]


class Disk(NamedTuple):
    """What is on the disk, in bytes and files, and why that may be not all of it."""

    size: int
    files: int
    closed: str = ""


def disk(folders: Collection[Path], pids: Collection[int]) -> Disk:
    """Return what is in folders, with what processes keep open although it was removed.

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
        except (FileNotFoundError, NotADirectoryError):
            continue  # it was removed while we looked
        except OSError:  # it may not be opened, or its name is too long
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
