"""A filter that removes this machine's paths from a submission's output."""

import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

from autograder.records import codec


class Scrubber:
    """A filter that replaces folders by names, and file names of cells by "the cell"."""

    _cell = re.compile(r"(<directory>/|/tmp/)?ipykernel_\d+/\d+\.py")
    _line = re.compile(r"\(\d+\.py, line (\d+)\)")  # the name of a cell that is not Python

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        package = Path(__file__).resolve().parents[1]
        for place in (sysconfig.get_path("purelib"), sys.prefix, sys.base_prefix, str(package)):
            self.add(Path(place), "<python>")
        self.add(Path.home(), "<home>")

    def add(self, place: Path, name: str) -> None:
        """Replace a folder, and the path that it resolves to, by a name."""
        for path in {str(place), str(place.resolve())} - {"/"}:
            self._places[path] = name

    def __call__(self, text: str) -> str:
        """Return the text without paths of this machine, in writable form."""
        # Longest first, since a virtual environment is often below the home folder.
        for place in sorted(self._places, key=len, reverse=True):
            text = text.replace(place, self._places[place])
        text = self._line.sub(r"(line \1 of the cell)", self._cell.sub("<cell>", text))
        return codec.printable(text)

    def all(self, value: Any) -> Any:
        """Return a JSON value with every text in it scrubbed."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.all(item) for item in value]
        if isinstance(value, dict):
            return {key: self.all(item) for key, item in value.items()}
        return value
