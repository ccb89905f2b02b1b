"""Commits of a student's clone and their files, read without running anything in it.

The repository is hostile: its configuration may name programs, its hooks are programs, and its
attributes call filters. So git never works in it. It works in an empty directory of ours, with only
our configuration, and sees nothing but the clone's objects; it prints objects, and checks nothing
out. Git itself reads the packs here, as it did when they were cloned.

The clone's owner may change it meanwhile, and lead git to a repository of staff. So git stays in
the folder of objects that we opened, and its output counts only if no folder of objects changed
before it ended. A folder that is changed and changed back can still escape notice: within one 4 ms
tick of the file system's clock (less since Linux 6.13), or from another machine on a shared disk.
"""

import functools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from autograder.course import timestamps
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission.opening import Listed, Stored

MAX_COMMITS = 20_000
MAX_LISTING = 20_000_000  # bytes of a list of files
MAX_FILE = 100_000_000  # GitHub accepts no larger files
SECONDS = 60
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"refs/heads/[\w./+@#-]{1,200}")
# Only a little of a large pack is mapped at once, since memory is limited. Files that only speed
# git up are not read.
_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
"""
MAX_MEMORY = 4_000_000_000
_ELSEWHERE = "its objects are stored elsewhere; clone it again, without --shared"
_NOT_THERE = "it is not a complete clone; clone it again"


class Commit(NamedTuple):
    """A commit, with its time according to its author's computer."""

    sha: str
    at: datetime


def is_clone(folder: Listed) -> bool:
    """Return whether a folder is a complete repository of its own."""
    objects = folder.at(".git", "objects")
    return objects is not None and objects.kind != "file"


def commits(clone: Listed) -> list[Commit]:
    """Return the cloned branch's commits, newest first, following the first parent of merges.

    Raises UserError if there are none, or if its objects are stored elsewhere.
    """
    form = ("--first-parent", f"--max-count={MAX_COMMITS}", "--format=%ct")
    lines = _git(clone, "rev-list", *form, _head(clone)).decode().splitlines()
    found = []
    for name, seconds in zip(lines[::2], lines[1::2], strict=True):
        try:
            at = datetime.fromtimestamp(int(seconds), UTC)
        except (ValueError, OverflowError, OSError):
            at = timestamps.LATEST  # an impossible date is never before a deadline
        found.append(Commit(name.removeprefix("commit "), min(at, timestamps.LATEST)))
    return found


def _objects(clone: Listed) -> list[Listed]:
    """Return the folders of a clone's objects as they are now, the top one first.

    Raises:
        UserError: they lead elsewhere, perhaps to a repository of ours.
        OSError: they cannot be listed.

    """
    objects = clone.at(".git", "objects")
    if objects is None or objects.kind != "folder":
        raise UserError(_ELSEWHERE)
    found = objects.inside()
    folders = [one for one in found if one.kind == "folder"]
    inside = [*found, *(one for folder in folders for one in folder.inside())]
    if any(one.kind not in ("folder", "file") or one.name == "alternates" for one in inside):
        raise UserError(_ELSEWHERE)
    return [objects, *folders]


def blob(clone: Listed, sha: str, path: str, size: int) -> Stored:
    """Return a file of a commit, given the sha of its content and its path in the repository."""

    def reader() -> IO[bytes]:
        if size > MAX_FILE:
            raise UserError(f"it has more than {MAX_FILE / 1e6:,.0f} MB")
        return BytesIO(_git(clone, "cat-file", "blob", sha, limit=MAX_FILE))

    return Stored(f"{clone}/{path}", path.rpartition("/")[2], (clone, sha), reader)


def committed(clone: Listed, commit: Commit) -> Iterator[tuple[str, Stored]]:
    """Yield the path and file of each plain file of a commit; no links, no repositories."""
    data = _git(clone, "ls-tree", "-r", "-l", "-z", "--full-tree", commit.sha, limit=MAX_LISTING)
    for entry in filter(None, data.split(b"\0")):
        about, _, path = entry.partition(b"\t")
        mode, _, sha, size = about.decode().split()
        if mode in ("100644", "100755"):
            name = path.decode(errors="replace")
            yield name, blob(clone, sha, name, int(size))


def _head(clone: Listed) -> str:
    text = _text(clone, "HEAD").removeprefix("ref: ")
    if _SHA.fullmatch(text):
        return text
    if not _REF.fullmatch(text) or ".." in text:
        raise UserError(_NOT_THERE)
    if found := _SHA.fullmatch(_text(clone, *text.split("/"))):
        return found[0]
    for line in _text(clone, "packed-refs").splitlines():
        sha, _, name = line.partition(" ")
        if name == text and _SHA.fullmatch(sha):
            return sha
    raise UserError(f"it has no commit ({_NOT_THERE})")


def _text(clone: Listed, *names: str) -> str:
    """Return the text of a small file in .git, or "" if it is missing or a link."""
    file = clone.at(".git", *names)
    if file is None or file.kind != "file":
        return ""
    with file.reader() as opened:
        return opened.read(10_000_000).decode(errors="replace").strip()


@contextmanager
def _directory(clone: Listed) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="autograder-git-") as name:
        place = Path(name)
        (place / "refs").mkdir()
        (place / "HEAD").write_text("ref: refs/heads/none\n")
        (place / "config").write_text(_CONFIG)
        # In a shallow clone, the parents of the oldest commits are missing.
        ends = [line for line in _text(clone, "shallow").split() if _SHA.fullmatch(line)]
        if ends:
            (place / "shallow").write_text("".join(f"{line}\n" for line in ends))
        yield {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": name,
            "LC_ALL": "C",
            "GIT_DIR": name,
            "GIT_OBJECT_DIRECTORY": ".",  # see `_limited`
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
        }


def _limited(size: int, objects: int) -> None:
    """Enter the objects' folder and limit this process: a few objects can name millions of files."""
    os.fchdir(objects)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1, size + 1))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _git(clone: Listed, *words: str, limit: int = MAX_LISTING) -> bytes:
    before = _objects(clone)
    with (
        _directory(clone) as environment,
        before[0].held() as objects,
        tempfile.TemporaryFile() as printed,
    ):
        try:
            done = subprocess.run(
                ["git", "--no-pager", *words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.PIPE,
                timeout=SECONDS,
                check=False,
                preexec_fn=functools.partial(_limited, limit, objects),
            )
        except FileNotFoundError as error:
            raise UserError("git is not installed; a folder of clones needs it") from error
        except subprocess.TimeoutExpired as error:
            raise UserError(f"git took more than {SECONDS} seconds to read it") from error
        except subprocess.SubprocessError as error:  # its folder may be inaccessible
            raise UserError("git cannot read it; clone it again") from error
        if done.returncode == -signal.SIGXFSZ:
            raise UserError(f"git printed more than {limit / 1e6:,.0f} MB for it")
        if done.returncode:
            why = one_line(done.stderr.decode(errors="replace"))[:100]
            raise UserError(f"git cannot read it ({why}); clone it again")
        printed.seek(0)
        data = printed.read(limit + 1)
    if _objects(clone) != before:
        raise UserError("it changed while it was being read; grade it again")
    if len(data) > limit:
        raise UserError(f"it has more than {limit / 1e6:,.0f} MB")
    return data
