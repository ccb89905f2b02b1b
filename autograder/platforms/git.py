"""Read the commits of a student's clone and the files of one, and run nothing of it.

The repository is hostile: its configuration may name programs, its hooks are programs, and its
attributes call filters. So git never works in it. It works in an empty directory of ours, with no
configuration but ours, and sees the clone's objects alone; it prints objects, and checks nothing
out. What reads packs here is what read them when they were cloned.

Whoever owns the clone may change it meanwhile, and lead git to a repository of staff. So git stays
in the folder of objects that we opened, and what it prints counts only where no folder of objects
changed until it ended. What remains is a change there and back that the file system's clock does not
show: within 4 ms, less from Linux 6.13 on, or on another machine of a shared disk.
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

from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission.opening import Listed, Stored

MAX_COMMITS = 20_000
MAX_LISTING = 20_000_000  # bytes of a list of files
MAX_FILE = 100_000_000  # GitHub takes none that is larger
SECONDS = 60
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"refs/heads/[\w./+@#-]{1,200}")
# Of large packs, little is mapped at once: memory is limited. What only makes git faster is not read.
_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
"""
MAX_MEMORY = 4_000_000_000
_ELSEWHERE = "it has its objects elsewhere; clone it again, without --shared"
_NOT_THERE = "it is not a complete clone; clone it again"


class Commit(NamedTuple):
    """A commit, and when it was made by the clock of its author's computer."""

    sha: str
    at: datetime


def is_clone(folder: Listed) -> bool:
    """Whether a folder is a repository of its own, with all that belongs to it in it."""
    objects = folder.at(".git", "objects")
    return objects is not None and objects.kind != "file"


def commits(clone: Listed) -> list[Commit]:
    """Return the commits of the branch that was cloned, the newest first, of merges the first line.

    UserError where there are none, or it borrows its objects from elsewhere.
    """
    form = ("--first-parent", f"--max-count={MAX_COMMITS}", "--format=%ct")
    lines = _git(clone, "rev-list", *form, _head(clone)).decode().splitlines()
    found = []
    for name, seconds in zip(lines[::2], lines[1::2], strict=True):
        try:
            at = datetime.fromtimestamp(int(seconds), UTC)
        except (ValueError, OverflowError, OSError):
            at = datetime.max.replace(tzinfo=UTC)  # no date that there is: never before a deadline
        found.append(Commit(name.removeprefix("commit "), at))
    return found


def _objects(clone: Listed) -> list[Listed]:
    """Return the folders of a clone's objects as they are now, the one of all first.

    Raises:
        UserError: they lead to another place, which may be a repository of ours.
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
    """Return a file of a commit, by the sha of its content and its path in the repository."""

    def reader() -> IO[bytes]:
        if size > MAX_FILE:
            raise UserError(f"it has more than {MAX_FILE / 1e6:,.0f} MB")
        return BytesIO(_git(clone, "cat-file", "blob", sha, limit=MAX_FILE))

    return Stored(f"{clone}/{path}", path.rpartition("/")[2], (clone, sha), reader)


def committed(clone: Listed, commit: Commit) -> Iterator[tuple[str, Stored]]:
    """Yield the path of each plain file of a commit, with the file: no links, no repositories in it."""
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
    """Return the text of a small file in .git; empty where there is none, or a link is in its place."""
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
        # Where a clone is shallow, its oldest commits have parents that are not there.
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
    """Go into the folder of objects, and limit this process: a few small objects can name millions of files."""
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
        except subprocess.SubprocessError as error:  # its folder may not be entered
            raise UserError("git cannot read it; clone it again") from error
        if done.returncode == -signal.SIGXFSZ:
            raise UserError(f"git prints more than {limit / 1e6:,.0f} MB of it")
        if done.returncode:
            why = one_line(done.stderr.decode(errors="replace"))[:100]
            raise UserError(f"git cannot read it ({why}); clone it again")
        printed.seek(0)
        data = printed.read(limit + 1)
    if _objects(clone) != before:
        raise UserError("it changed while it was read; grade it again")
    if len(data) > limit:
        raise UserError(f"it has more than {limit / 1e6:,.0f} MB")
    return data
