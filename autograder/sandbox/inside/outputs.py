"""A kernel's messages while its cells run, turned into outputs in a notebook's form."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Output = dict[str, Any]
"""One nbformat output."""

CUT = "\n[output cut here]\n"
_NEW = ("stream", "display_data", "execute_result", "error")


@dataclass
class _Held:
    output: Output
    size: int


@dataclass
class Outputs:
    """The outputs of all cells; a later cell may change an earlier one's display.

    Messages are processed as in nbclient, with two exceptions: consecutive streams of one name form
    one output, and anything beyond the `left` bytes is dropped.
    """

    left: int
    cells: dict[int, list[_Held]] = field(default_factory=dict)
    error: dict[str, str] | None = None

    def __post_init__(self) -> None:
        self._owner = os.getpid()
        self._cell, self._request = -1, ""
        self._clear_next = self._full = False
        self._changed: set[int] = set()
        self._displays: dict[str, list[tuple[int, _Held]]] = {}

    def begin(self, cell: int, request: str, *, again: bool = False) -> None:
        """Assign replies to `request` to this cell; `again` means that the cell continues."""
        self._cell, self._request = cell, request
        self._clear_next, self.error = False, None
        self._changed = {cell}
        if not again:
            self.cells[cell] = []

    def finish(self) -> dict[int, list[Output]]:
        """Return the outputs of each cell whose outputs changed, this cell's last."""
        places = [*sorted(self._changed - {self._cell}), self._cell]
        return {place: [held.output for held in self.cells[place]] for place in places}

    def take(self, kind: str, content: Mapping[str, Any], request: str | None, size: int) -> None:
        """Process one message from the kernel that answers `request`.

        A message from an earlier cell's task belongs to that cell, and is dropped.
        """
        if request != self._request or os.getpid() != self._owner:
            return
        if kind == "error":
            content = _short(content)
            self.error = {"name": content["ename"], "message": content["evalue"]}
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._clear()
            return
        name = (content.get("transient") or {}).get("display_id")
        if name:
            self._update(name, content, size)
        if kind in _NEW:
            if self._clear_next:
                self._clear()
            self._add(kind, content, size, name)

    def _clear(self) -> None:
        self._clear_next = self._full = False
        self.left += sum(held.size for held in self.cells[self._cell])
        self.cells[self._cell] = []
        for name, shown in self._displays.items():
            self._displays[name] = [(cell, held) for cell, held in shown if cell != self._cell]

    def _update(self, name: str, content: Mapping[str, Any], size: int) -> None:
        for cell, held in self._displays.get(name, ()):
            if self.left + held.size >= size:
                self.left += held.size - size
                held.size = size
                held.output |= {"data": content["data"], "metadata": content["metadata"]}
                self._changed.add(cell)

    def _add(self, kind: str, content: Mapping[str, Any], size: int, name: str | None) -> None:
        output: Output = {"output_type": kind, **content}
        output.pop("transient", None)
        held = self.cells[self._cell]
        if size > self.left:
            if kind == "stream" and not self._full:
                self._full, size = True, max(0, self.left)
                output["text"] = output["text"][:size] + CUT
            # The error that ended a cell is always shown.
            elif kind != "error" or any(h.output["output_type"] == "error" for h in held):
                return
        self.left -= size
        if kind == "stream" and held and _same_stream(held[-1].output, output):
            held[-1].output["text"] += output["text"]
            held[-1].size += size
            return
        held.append(_Held(output, size))
        if name:
            self._displays.setdefault(name, []).append((self._cell, held[-1]))


def _short(error: Mapping[str, Any]) -> dict[str, Any]:
    lines = error["traceback"]
    if len(lines) > 50:
        lines = [*lines[:10], f"[{len(lines) - 50} places left out here]\n", *lines[-40:]]
    return {
        "ename": error["ename"],
        "evalue": error["evalue"][:2_000],
        "traceback": [line[:10_000] for line in lines],
    }


def _same_stream(before: Output, after: Output) -> bool:
    return before["output_type"] == "stream" and bool(before["name"] == after["name"])
