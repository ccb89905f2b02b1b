"""results.json in the container: whole, or as it was before, whatever happens to the grader."""

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder import codec
from autograder.bulk import results

RESERVED_BYTES = 2_000_000


class Page:
    """The file that the platform reads when all is over.

    Room for its last form is kept from the start, so that a full disk does not lose marks.

    Args:
        folder: Where results.json belongs.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._reserve = folder / "results.json", folder / ".reserve"
        self.notes: list[str] = []
        """Sentences for staff."""
        self.not_counted: list[str] = []
        """When uploads came that are no attempts; each page tells the next grader."""
        self.values: Mapping[str, Any] = {}
        """What stands there."""

    def __enter__(self) -> "Page":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            self._reserve.write_bytes(b"\0" * RESERVED_BYTES)
        return self

    def __exit__(self, *_: object) -> None:
        self._reserve.unlink(missing_ok=True)

    def write(self, values: Mapping[str, Any]) -> None:
        """Replace what stands there; what cannot be written leaves it as it is."""
        data = values["extra_data"]
        notes = [*data.get("notes", ()), *self.notes]
        data = {**data, "notes": list(dict.fromkeys(notes)), "not_counted": self.not_counted}
        text = codec.indented({**values, "extra_data": data})
        try:
            try:
                results.write(self._path, text)
            except OSError:
                self._reserve.unlink(missing_ok=True)
                results.write(self._path, text)
        except OSError as error:  # once the hand-in's own files are gone, there may be room again
            sys.stderr.write(f"{self._path} cannot be written ({error.strerror})\n")
        else:
            self.values = values
