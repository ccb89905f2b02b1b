"""The only way to open files from outside: it opens exactly the file that was listed.

Students may own these files, and may replace them while we look. So each folder on the way is
opened relative to its parent and must not be a link, and the opened file must be the listed one, by
device and inode. Only the path above a name given by staff may contain links: on macOS, /tmp
is one. (On Linux, openat2 could do all this, but macOS does not have it.) Hard links remain
possible: they are the file itself, and Linux forbids them to files that the user may not write
(fs.protected_hardlinks).
"""

import contextlib
import errno
import io
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

AT_ONCE = 50_000_000
"""The most bytes that one read returns, however fast a file grows."""
_REPLACED = "it was replaced after it was found; grade it again"
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
# Folders on the way need not be listable.
_WAY = getattr(os, "O_PATH", getattr(os, "O_SEARCH", os.O_RDONLY)) | os.O_DIRECTORY
# Without O_NONBLOCK, we would wait for a pipe's writer, or for the end of an owner's lease.
_READ = os.O_RDONLY | os.O_NONBLOCK


@dataclass(frozen=True)
class Listed:
    """A file or folder as it was when listed: nothing else is opened in its place."""

    top: Path  # the folder above the path that staff named
    below: tuple[str, ...]  # the names from there to it; none of them may be a link
    kind: str  # "file", "folder", "link" or "other"; "" if nothing was there
    device: int
    inode: int
    owner: int  # the number of a Unix user
    changed: int  # in nanoseconds; the owner cannot set it

    def __str__(self) -> str:
        return str(self.path)

    @property
    def path(self) -> Path:
        """Return its place, for messages and names; nothing is opened by it."""
        return self.top.joinpath(*self.below)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.name

    def reader(self) -> IO[bytes]:
        """Open a regular file for reading; raise OSError if it is not one, or was replaced."""
        if self.kind not in ("file", ""):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return _Reader(io.FileIO(str(self), opener=lambda *_: self._descriptor(_READ)))

    def inside(self) -> list["Listed"]:
        """Return a folder's entries by name; raise OSError if it is unreadable or was replaced."""
        found = []
        with self.held(_READ | os.O_DIRECTORY) as folder, os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                with contextlib.suppress(FileNotFoundError):  # it has disappeared meanwhile
                    known = entry.stat(follow_symlinks=False)
                    found.append(_listed(self.top, (*self.below, entry.name), known))
        return found

    def at(self, *names: str) -> "Listed | None":
        """Return a path below a folder; None if it does not exist or leads through a link."""
        found = self
        try:
            for name in names:
                with found.held() as folder:
                    known = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    found = _listed(found.top, (*found.below, name), known)
        except OSError:
            return None
        return found

    @contextlib.contextmanager
    def held(self, flags: int = _WAY) -> Iterator[int]:
        """Open it and yield its descriptor; raise OSError if it was replaced."""
        descriptor = self._descriptor(flags)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _descriptor(self, flags: int) -> int:
        try:
            descriptor = _opened(self.top, self.below, flags)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):  # a link, a socket
                raise OSError(errno.ESTALE, _REPLACED) from error
            raise
        now = _listed(self.top, self.below, os.fstat(descriptor))
        if (now.kind, now.device, now.inode) != (self.kind, self.device, self.inode):
            os.close(descriptor)
            raise OSError(errno.ESTALE, _REPLACED)
        return descriptor


@dataclass(frozen=True)
class Stored:
    """A file inside something else: a zip, a commit, a message from a different process.

    `within` distinguishes it from a different file at the same place.
    """

    place: str
    name: str
    within: object
    reader: Callable[[], IO[bytes]] = field(compare=False)

    def __str__(self) -> str:
        return self.place


class _Reader(io.BufferedReader):
    def read(self, size: int | None = -1) -> bytes:
        return super().read(AT_ONCE if size is None or size < 0 else min(size, AT_ONCE))

    def __del__(self) -> None:
        self.close()  # a zip is read while somebody else has it open


def given(path: Path) -> Listed:
    """Return the path that staff named, without following it if it is itself a link."""
    whole = path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name
    top, below = whole.parent, (whole.name,) if whole.name else ()
    try:
        return _listed(top, below, whole.lstat())
    except OSError:
        return Listed(top, below, "", device=0, inode=0, owner=0, changed=0)


def _listed(top: Path, below: tuple[str, ...], known: os.stat_result) -> Listed:
    kind = _KINDS.get(stat.S_IFMT(known.st_mode), "other")
    numbers = (known.st_dev, known.st_ino, known.st_uid, known.st_ctime_ns)
    return Listed(top, below, kind, *numbers)


def _opened(top: Path, below: tuple[str, ...], flags: int) -> int:
    """Return a descriptor of a path below a folder; raise OSError if a link is on the way."""
    if not below:
        return os.open(top, flags)
    above = _opened(top, below[:-1], _WAY)
    try:
        return os.open(below[-1], flags | os.O_NOFOLLOW, dir_fd=above)
    finally:
        os.close(above)
