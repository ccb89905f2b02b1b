"""The platform's paths, and how long it lets a grader run."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from autograder import course

REAL = Path("/autograder")
DEFAULT_SECONDS = 600.0


@dataclass(frozen=True)
class Places:
    """The paths that the platform promises, below its root, /autograder."""

    root: Path

    @property
    def source(self) -> Path:
        """The unpacked zip."""
        return self.root / "source"

    @property
    def submission(self) -> Path:
        """What a student handed in."""
        return self.root / "submission"

    @property
    def results(self) -> Path:
        """The folder of results.json."""
        return self.root / "results"

    @property
    def metadata(self) -> Path:
        """What the platform says of the hand-in."""
        return self.root / "submission_metadata.json"

    def close(self) -> list[Path]:
        """Keep all others out of these places; return what student code must not be able to read."""
        for path, mode in (
            (self.source, 0o700),
            (self.submission, 0o700),
            (self.results, 0o700),
            (self.metadata, 0o600),
        ):
            with contextlib.suppress(OSError):  # the sandbox tries out whether it holds
                path.chmod(mode)
        private = course.private(self.source)
        return [self.source, self.submission, self.results, self.metadata, *private]


def seconds_left() -> float:
    """Return how long the platform lets us run, by its own word where it gives one."""
    try:
        seconds = float(os.environ.get("TIMEOUT_SECONDS", ""))
    except ValueError:
        return DEFAULT_SECONDS
    return seconds if 0 < seconds < 1e6 else DEFAULT_SECONDS
