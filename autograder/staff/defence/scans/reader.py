"""Read scans inside the sandbox: started as `python -s -P -m autograder.staff.defence.scans.reader`.

A run reads the files in its folder, one page at a time:

    <- {"directory", limits ...}
    <- {"file": "<name>", "page": 0}
    -> {"pages": 3, "label": "<text of the code>", "why": "", "answers": [[1, "A", ""], ...],
        "pictures": {"2": "<PNG>"}, "whole": "<JPEG>" or ""}
"""

import base64
import json
import socket
from pathlib import Path
from typing import Any

import cv2

from autograder.records.errors import UserError
from autograder.sandbox.inside import layers, question_forks, worker
from autograder.staff.defence.scans import page
from autograder.staff.defence.scans.boxes import Picture
from autograder.staff.defence.scans.pictures import Scanned

_SHOWN = 1_000
"""The longer side, in pixels, of a page shown to a person."""


def main() -> None:
    """Serve inside the sandbox."""
    worker.serve(lambda: cv2.setNumThreads(1), _serve)


def _serve(descriptor: int, confinement: layers.Confinement, warm: None) -> None:  # noqa: ARG001
    """Lock this process into a job's folder, and read the requested pages."""
    channel = socket.socket(fileno=descriptor)
    with worker.speaking_for_the_run(channel):
        lines = channel.makefile("r", encoding="utf-8")
        job = json.loads(lines.readline())
        layers.enter(
            confinement,
            Path(job["directory"]),
            memory_bytes=job["memory_bytes"],
            seconds=job["seconds"],
        )
        opened: dict[str, Scanned] = {}
        for line in lines:
            asked = json.loads(line)
            question_forks.send(channel, _read(opened, asked["file"], asked["page"]))


def _read(opened: dict[str, Scanned], name: str, number: int) -> dict[str, Any]:
    pages, picture, found = 0, None, page.PageRead()
    try:
        if name not in opened:
            opened.clear()
            opened[name] = Scanned(Path(name))
        pages = opened[name].pages
        if number < pages:
            picture = opened[name].page(number)
            found = page.read(picture)
    except UserError as error:
        found = page.PageRead(None, str(error))
    return _reply(pages, found, picture)


def _reply(pages: int, found: page.PageRead, picture: Picture | None) -> dict[str, Any]:
    cut = page.cut_out(found) if found.label else {}
    shown = found.block if found.block is not None else picture
    return {
        "pages": pages,
        "label": str(found.label or ""),
        "why": found.why,
        "answers": [[one.question, one.letter, one.why] for one in found.answers],
        "pictures": {str(question): _coded(one, ".png") for question, one in cut.items()},
        "whole": _coded(_small(shown), ".jpg") if found.why and shown is not None else "",
    }


def _small(picture: Picture) -> Any:
    factor = min(_SHOWN / max(picture.shape), 1)
    return cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)


def _coded(picture: Any, ending: str) -> str:
    _, data = cv2.imencode(ending, picture)
    return base64.b64encode(data.tobytes()).decode()


if __name__ == "__main__":
    main()
