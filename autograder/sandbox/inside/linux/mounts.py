"""Folders remounted for this process and its children so that a different user can reach them.

Python is often in root's home, which nobody else may enter. In a separate mount namespace, a
stand-in replaces each closed folder, with only the necessary contents.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from autograder.sandbox.inside.linux.system import LIBC, checked

_NEW_NAMESPACE = 0x20000  # CLONE_NEWNS
_BIND, _REC, _PRIVATE = 0x1000, 0x4000, 0x40000  # mount(2)
_ENTERED_BY_OTHERS = 0o001


def open_to_others(needed: Collection[str], *, passwd: Path) -> None:
    """Make some folders reachable in this process's own view; nothing changes for others.

    It raises OSError if that is not allowed, as in most containers.
    """
    checked(LIBC.unshare(_NEW_NAMESPACE))
    _make_private()
    closed = {
        part: top
        for path in _outermost(needed)
        for part in parts(path)
        if (top := _closed_above(part))
    }
    # Opened before the stand-ins cover them.
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in closed}
    folders = {path for path in closed if path.is_dir()}
    for top in sorted(set(closed.values())):
        _mount("none", str(top), 0, kind="tmpfs", options="mode=755")
    mask = os.umask(0o022)
    for path, descriptor in opened.items():
        (path if path in folders else path.parent).mkdir(parents=True, exist_ok=True)
        if path not in folders:
            path.touch()
        _mount(f"/proc/self/fd/{descriptor}", str(path), _BIND | _REC)
        os.close(descriptor)
    os.umask(mask)
    _mount(str(passwd), "/etc/passwd", _BIND)


def parts(folder: Path) -> list[Path]:
    """Return a folder, or its entries if others may not enter the folder itself."""
    return [folder] if _is_open(folder) else sorted(folder.iterdir())


def _is_open(folder: Path) -> bool:
    return bool(folder.stat().st_mode & _ENTERED_BY_OTHERS)


def _make_private() -> None:
    """Keep later mounts out of other namespaces, even in a chroot."""
    places = [os.open(place, os.O_PATH | os.O_CLOEXEC) for place in ("/", ".")]
    with open("/proc/self/ns/mnt", "rb") as own:  # noqa: PTH123
        checked(LIBC.setns(own.fileno(), _NEW_NAMESPACE))  # leads to the root of all mounts
    _mount("none", "/", _REC | _PRIVATE)
    root, current = places
    os.fchdir(root)
    os.chroot(".")
    os.fchdir(current)
    for place in places:
        os.close(place)


def _outermost(folders: Collection[str]) -> Iterator[Path]:
    paths = {Path(folder) for folder in folders if Path(folder).is_dir()}
    yield from sorted(path for path in paths if not paths & set(path.parents))


def _closed_above(path: Path) -> Path | None:
    ways = [folder for folder in path.parents if not _is_open(folder)]
    return ways[-1] if ways else None


def _mount(source: str, target: str, flags: int, *, kind: str = "", options: str = "") -> None:
    words = (source.encode(), target.encode(), kind.encode() or None)
    checked(LIBC.mount(*words, flags, options.encode() or None))
