"""The platform: its paths, its time limit for a grader, and the file that it reads at the end."""

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.course import course
from autograder.records import codec
from autograder.store import files

RESERVED_BYTES = 2_000_000
REAL = Path("/autograder")
DEFAULT_SECONDS = 600.0


class Places:
    """The paths that the platform promises, below its root, /autograder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.source = root / "source"
        """The unpacked zip."""
        self.submission = root / "submission"
        """The folder of the submitted files."""
        self.results = root / "results"
        """The folder of results.json."""
        self.metadata = root / "submission_metadata.json"

    def close(self) -> list[Path]:
        """Close these places to other users; return the paths hidden from student code."""
        own = [self.source, self.submission, self.results, self.metadata]
        for path in own:
            with contextlib.suppress(OSError):  # the sandbox tests whether that works
                path.chmod(0o600 if path == self.metadata else 0o700)
        return [*own, *course.private(self.source)]


def seconds_left() -> float:
    """Return the time limit in seconds, as stated by the platform, or else a default."""
    try:
        seconds = float(os.environ.get("TIMEOUT_SECONDS", ""))
    except ValueError:
        return DEFAULT_SECONDS
    return seconds if 0 < seconds < 1e6 else DEFAULT_SECONDS


class Page:
    """The file that the platform reads at the end.

    Disk space for its last version is reserved from the start, so a full disk loses no marks.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._reserve = folder / "results.json", folder / ".reserve"
        self.notes: list[str] = []
        """Sentences for staff."""
        self.not_counted: list[str] = []
        """Times of uploads that were not attempts; each page passes them to the next grader."""
        self.values: Mapping[str, Any] = {}
        """The existing files."""

    def __enter__(self) -> "Page":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            self._reserve.write_bytes(b"\0" * RESERVED_BYTES)
        return self

    def __exit__(self, *_: object) -> None:
        self._reserve.unlink(missing_ok=True)

    def write(self, values: Mapping[str, Any]) -> None:
        """Replace the file; if writing fails, the old one stays."""
        data = values["extra_data"]
        notes = [*data.get("notes", ()), *self.notes]
        data = {**data, "notes": list(dict.fromkeys(notes)), "not_counted": self.not_counted}
        text = codec.indented({**values, "extra_data": data})
        try:
            try:
                files.write(self._path, text)
            except OSError:  # the disk may be full, and the reserve's space is ours
                self._reserve.unlink(missing_ok=True)
                files.write(self._path, text)
        except OSError as error:
            sys.stderr.write(f"{self._path} cannot be written ({error.strerror})\n")
        else:
            self.values = values
