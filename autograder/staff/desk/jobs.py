"""Verbs that the desk starts, each in a separate process that outlives the desk.

A job is a folder: job.json has the command, output.txt its output, and status its exit status.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec
import psutil

from autograder.store import files

_RUN = 'trap : INT TERM; "$@" > output.txt 2>&1 < /dev/null; echo $? > status.tmp; mv status.tmp status'
_GRADED = re.compile(rb"^(\S.*): (-?[\d.]+/[\d.]+) ", re.MULTILINE)
_SAID = re.compile(r"^autograder: (.*)$", re.MULTILINE)
_UPLOADED = re.compile(r"\S*/\.desk/inbox/\d+/")


class Command(msgspec.Struct, frozen=True):
    """A job's command, and who started it.

    Args:
        title: The job in words, for people.
        words: The verb and its arguments.
        at: The start, in seconds since 1970.
        expected: The number of submissions to grade; 0 if it grades none.
        homework: The homework on whose page it appears.
        person: The person concerned, if it concerns one.
        then: The action that follows once a person has read the output.
        asked: The query of the form that asked for it, so that people can change the request.
    """

    title: str
    words: tuple[str, ...]
    by: str = ""
    at: float = 0.0
    expected: int = 0
    homework: str = ""
    person: str = ""
    then: "Command | None" = None
    asked: str = ""


@dataclass(frozen=True)
class Job:
    """A job as it is now.

    Args:
        status: Its exit status; None while it runs, -1 if it was lost.
        output: Its output.
        graded: The ids and points of graded submissions, newest first.
        complaints: Its complaints.
        previewed: Whether it finished a preview.
    """

    number: int
    command: Command
    status: int | None
    output: str
    graded: Sequence[tuple[str, str]]
    complaints: Sequence[str]
    previewed: bool
    seconds: float

    @property
    def running(self) -> bool:
        """Whether its process still runs."""
        return self.status is None


class Jobs:
    """The jobs of a course, whose folders are below `place`."""

    def __init__(self, root: Path, place: Path) -> None:
        self._root, self._place = root, place
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, command: Command) -> int:
        """Start a verb; return its number."""
        files.make_folder(self._place)
        number = max(self._numbers(), default=0) + 1
        folder = self._place / str(number)
        folder.mkdir(mode=0o700)
        try:
            files.write_bytes(folder / "job.json", msgspec.json.encode(command))
        except OSError:  # for example, the disk is full
            shutil.rmtree(folder, ignore_errors=True)
            raise
        verb = [sys.executable, "-m", "autograder", *command.words, "--course", str(self._root)]
        # Changes are recorded under the name of the person who started this job, not of the one who
        # asked for the preview.
        verb += ["--by", command.by] if command.words[0] == "regrade" else []
        process = subprocess.Popen(
            ["/bin/sh", "-c", _RUN, "sh", *verb],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "200"},
        )
        self._started.append(process)
        with contextlib.suppress(psutil.Error):  # the system reuses process numbers
            made = (process.pid, psutil.Process(process.pid).create_time())
            files.write_bytes(folder / "process.json", msgspec.json.encode(made))
        return number

    def get(self, number: int) -> Job:
        """Return a job; raise KeyError if none has this number."""
        # This reaps ended processes; running ones continue without the desk.
        self._started = [one for one in self._started if one.poll() is None]
        folder = self._place / str(number)
        command = self._command(number)
        status = self._status(folder)
        end = (folder / "status").stat().st_mtime if (folder / "status").exists() else time.time()
        printed = b""
        with contextlib.suppress(OSError):
            printed = (folder / "output.txt").read_bytes()
        graded = [(one.decode(), points.decode()) for one, points in _GRADED.findall(printed)]
        text = printed.decode("utf-8", "replace")
        said = [_UPLOADED.sub("", line) for line in _SAID.findall(text)]
        previewed, seconds = b"\nNothing was written.\n" in printed, end - command.at
        return Job(number, command, status, text, graded[::-1], said, previewed, seconds)

    def recent(self, homework: str = "", most: int = 8) -> list[Job]:
        """Return the latest jobs, newest first."""

        def wanted() -> Iterator[Job]:
            for number in sorted(self._numbers(), reverse=True):
                with contextlib.suppress(KeyError):  # the desk ended while it wrote this one
                    if not homework or self._command(number).homework == homework:
                        yield self.get(number)

        return list(islice(wanted(), most))

    def stop(self, number: int) -> None:
        """Ask a job to end in an orderly way; finished results stay."""
        folder = self._place / str(number)
        if self.get(number).running and (process := _process(folder)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process[0], signal.SIGINT)

    def _numbers(self) -> list[int]:
        return [int(path.name) for path in self._place.glob("[0-9]*") if path.name.isdecimal()]

    def _command(self, number: int) -> Command:
        try:
            text = (self._place / str(number) / "job.json").read_bytes()
            return msgspec.json.decode(text, type=Command)
        except (OSError, msgspec.MsgspecError) as error:
            raise KeyError(number) from error

    @staticmethod
    def _status(folder: Path) -> int | None:
        for _ in range(2):  # its end may be written after the first look
            with contextlib.suppress(OSError, ValueError):
                return int((folder / "status").read_text(encoding="ascii"))
            process = _process(folder)
            if process and _lives(*process):
                return None
        return -1


def _process(folder: Path) -> tuple[int, float] | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((folder / "process.json").read_bytes(), type=tuple[int, float])
    return None


def _lives(pid: int, created: float) -> bool:
    with contextlib.suppress(psutil.Error):
        there = psutil.Process(pid)
        same = abs(there.create_time() - created) < 1
        return bool(same and there.status() != psutil.STATUS_ZOMBIE)
    return False
