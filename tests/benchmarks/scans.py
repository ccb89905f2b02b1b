"""How well and how fast sheets on paper are read: real sheets, filled, spoiled and photographed.

python -m tests.benchmarks.scans [--strips 2400] [--seed 0] [--pages 500] [--show FOLDER]

Each sheet is typeset as `autograder defend` does, drawn at 150 to 300 dpi, filled by a program as
people do, and spoiled: any rotation, perspective, blur, stains, noise, JPEG, shadows, crumpling.
Prints how many strips were read rightly, wrongly, and were left to a person, by how they were
filled, with the time of processors.
"""

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from autograder.course.people import People
from autograder.staff.defence.scans import files, page
from autograder.staff.defence.scans.pictures import Scanned
from autograder.staff.defence.sheets import printed
from autograder.staff.defence.sheets.answer_block import BOX, CHOICES, Block, Strip
from autograder.staff.defence.sheets.sheet import Asked, Box, Sheet
from autograder.staff.paper import pdf
from tests import scanned
from tests.scanned import BELOW, PAGE, PAGE_LEFT

PLAIN = ("crossed", "filled", "ticked", "pencil")
"""Crosses that a person sees at once, unlike `faint`, `circled`, `corrected`, `erased` and
`empty`."""
WAYS = {
    "crossed": 0.55, "filled": 0.15, "ticked": 0.06, "pencil": 0.12,
    "faint": 0.03, "circled": 0.02, "corrected": 0.03, "erased": 0.02, "empty": 0.02,
}  # fmt: skip
_GREYS = {"pencil": 105, "faint": 195, "erased": 225}


@dataclass(frozen=True)
class Filled:
    """A filled strip, with the letter to read, or ""."""

    way: str
    letter: str


def sheets(number: int) -> list[Sheet]:
    """Return sheets with two to eight questions."""
    options = tuple((letter, f"edit P{n}") for n, letter in enumerate("ABCD", 1))
    source = "def f(x):\n" + "\n".join(f"    x{n} = {'x + ' * 5}{n}" for n in range(14))
    return [
        Sheet(
            f"s{n:03}",
            "Toys",
            "Course",
            f"{n:06X}",
            (Box("P", source),),
            tuple(Asked(k, "Which of these edits?", (), options) for k in range(1, 9 - n % 7)),
        )
        for n in range(number)
    ]


def drawn(paper: bytes, number: int, dpi: float) -> Any:
    """Return a page of a PDF as a picture in colours."""
    import pypdfium2

    bitmap = pypdfium2.PdfDocument(paper)[number].render(scale=dpi / 72)
    return np.array(bitmap.to_numpy()[..., :3], np.uint8)


def fill(picture: Any, questions: int, dpi: float, rng: np.random.Generator) -> list[Filled]:
    """Fill a sheet's boxes as a person does, and return the strips."""
    scale, block = dpi / 25.4, Block(questions)
    top = PAGE[1] - BELOW - block.height
    pens = [(90, 40, 20), (40, 30, 30), (160, 60, 40)]  # BGR: blue, black, light blue
    pen = pens[rng.integers(3)]
    done = []
    for strip in block.strips():
        way = str(rng.choice(list(WAYS), p=np.array(list(WAYS.values())) / sum(WAYS.values())))
        done.append(_filled(picture, strip, top, scale, way, pen, rng))
    return done


def _filled(
    picture: Any, strip: Strip, top: float, scale: float, way: str, pen: Any, rng: Any
) -> Filled:
    choice = int(rng.integers(len(CHOICES)))
    other = int((choice + 1 + rng.integers(len(CHOICES) - 1)) % len(CHOICES))
    letter = CHOICES[choice]
    at = (PAGE_LEFT + strip.lefts[choice], top + strip.top)
    second = (PAGE_LEFT + strip.lefts[other], top + strip.top)
    hand = _Hand(picture, scale, pen, rng)
    if way in _GREYS:
        _Hand(picture, scale, (_GREYS[way],) * 3, rng).cross(second if way == "erased" else at)
    if way == "corrected":
        hand.cross(second)
        hand.scribble(second)
    if way in ("crossed", "corrected", "erased"):
        hand.cross(at)
    elif way == "filled":
        hand.scribble(at)
    elif way == "ticked":
        hand.tick(at)
    elif way == "circled":
        hand.circle(at)
    return Filled(way, "" if way == "empty" else letter)


class _Hand:
    """A hand that draws with a pen, not quite in the right place."""

    def __init__(self, picture: Any, scale: float, pen: Any, rng: np.random.Generator) -> None:
        self._picture, self._scale, self._pen, self._rng = picture, scale, pen, rng
        self._wide = max(1, round(rng.uniform(0.35, 0.7) * scale))

    def _stroke(self, points: Any) -> None:
        shaken = np.array(points) + self._rng.normal(0, 0.12, (len(points), 2))
        steps = np.linspace(0, len(shaken) - 1, 8 * len(shaken))
        line = np.stack([np.interp(steps, range(len(shaken)), shaken[:, k]) for k in (0, 1)], 1)
        cv2.polylines(
            self._picture,
            [np.round(line * self._scale * 16).astype(np.int32)],
            False,
            self._pen,
            self._wide,
            cv2.LINE_AA,
            4,
        )

    def _centre(self, at: Any) -> Any:
        return np.array(at) + BOX / 2 + self._rng.normal(0, 0.3, 2)

    def cross(self, at: Any) -> None:
        middle, half = self._centre(at), self._rng.uniform(1.6, 3.1)
        for sign in (1, -1):
            ends = [(-half, -half * sign), (half, half * sign)]
            self._stroke([middle + end for end in ends])

    def tick(self, at: Any) -> None:
        middle = self._centre(at)
        self._stroke([middle + end for end in ((-1.9, 0.0), (-0.5, 1.8), (2.3, -2.3))])

    def scribble(self, at: Any) -> None:
        middle = self._centre(at)
        rows = np.arange(-2.1, 2.2, 0.35)
        self._stroke([middle + np.array((2.1 * (-1) ** n, y)) for n, y in enumerate(rows)])

    def circle(self, at: Any) -> None:
        middle, radius = self._centre(at), self._rng.uniform(3.6, 4.4)
        angles = np.linspace(0, 2 * np.pi, 20)
        self._stroke([middle + radius * np.array((np.cos(a), np.sin(a))) for a in angles])


def spoil(picture: Any, rng: np.random.Generator) -> Any:
    """Return a picture as a bad scanner or a telephone takes it of spoiled paper."""
    height, width = picture.shape[:2]
    paper = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    for _ in range(rng.integers(0, 4)):
        paper *= _stain(height, width, rng)
    paper = _crumpled(paper, rng)
    paper = _photographed(paper, rng)
    height, width = paper.shape[:2]
    paper *= _shadow(height, width, rng)
    paper = cv2.GaussianBlur(paper, (0, 0), rng.uniform(0.3, 1.0) * height / 2400 * 2.2)
    paper = paper * rng.uniform(0.75, 1.0) + rng.uniform(0, 30)
    paper += rng.uniform(1, 9) * rng.standard_normal(paper.shape, np.float32)
    coded = cv2.imencode(
        ".jpg",
        np.clip(paper, 0, 255).astype(np.uint8),
        [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 95))],
    )[1]
    return cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)


def _field(height: int, width: int, rng: np.random.Generator, cells: int) -> Any:
    coarse = rng.normal(0, 1, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def _stain(height: int, width: int, rng: np.random.Generator) -> Any:
    """Return a coffee stain, with a darker edge, anywhere."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    middle = rng.uniform(0, 1, 2) * (height, width)
    radius = rng.uniform(0.03, 0.16) * width * (1 + 0.15 * _field(height, width, rng, 6))
    far = np.hypot(y - middle[0], x - middle[1]) / radius
    inside = 1 / (1 + np.exp(np.minimum((far - 1) * 25, 80)))
    edge = np.exp(-(((far - 0.97) * 18) ** 2))
    dark = inside * rng.uniform(0.05, 0.3) + edge * rng.uniform(0.0, 0.2)
    return 1 - 0.7 * dark


def _crumpled(paper: Any, rng: np.random.Generator) -> Any:
    height, width = paper.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    size = rng.uniform(0, 1.0) * width / 210  # millimetres
    dx, dy = (_field(height, width, rng, 7) * size for _ in range(2))
    light = 1 + 0.05 * _field(height, width, rng, 9)
    return cv2.remap(paper, x + dx, y + dy, cv2.INTER_LINEAR, borderValue=255) * light


def _photographed(paper: Any, rng: np.random.Generator) -> Any:
    """Return paper turned by any angle, from any side, on a table."""
    height, width = paper.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    bent = corners + rng.uniform(-0.06, 0.06, (4, 2)) * width
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.integers(4) * np.pi / 2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = (bent - bent.mean(0)) @ turn.T
    turned -= turned.min(0) - rng.uniform(5, 120, 2)
    size = np.ceil(turned.max(0) + rng.uniform(5, 120, 2)).astype(int)
    matrix = cv2.getPerspectiveTransform(corners, turned.astype(np.float32))
    table = float(rng.uniform(60, 200))
    return cv2.warpPerspective(paper, matrix, size.tolist(), borderValue=table)


def _shadow(height: int, width: int, rng: np.random.Generator) -> Any:
    """Return light from one side, and the soft shadow of a hand."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    a, b = rng.uniform(-0.25, 0.25, 2)
    light = 1 + a * (x / width - 0.5) + b * (y / height - 0.5)
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(-0.5, 0.5)
    side = (x / width - 0.5) * np.cos(angle) + (y / height - 0.5) * np.sin(angle) - far
    dark = rng.uniform(0, 0.45) / (1 + np.exp(-side * rng.uniform(15, 90)))
    return light * (1 - dark)


def measured(strips: int, seed: int, show: Path | None = None) -> tuple[Counter[Any], float, int]:
    """Return how often each way of filling had each end, the seconds of reading, and the pages."""
    made = sheets(50)
    with pdf.typesetting() as sandbox:
        paper = printed.printed(made, People(), sandbox)
    ends: Counter[Any] = Counter()
    used, number = 0.0, 0
    while sum(ends.values()) < strips:
        rng = np.random.default_rng([seed, number])
        dpi = int(rng.choice([150, 200, 300], p=[0.3, 0.6, 0.1]))
        which = number % len(made)
        picture = drawn(paper, which, dpi)
        filled = fill(picture, len(made[which].questions), dpi, rng)
        picture = spoil(picture, rng)
        started = time.process_time()
        found = page.read(picture)
        used += time.process_time() - started
        known = found.label and found.label.sheet == made[which].code
        letters = [one.letter for one in found.answers] if known and not found.why else []
        for n, one in enumerate(filled):
            read = letters[n] if letters else ""
            end = "person" if not read else "right" if read == one.letter else "WRONG"
            ends[one.way, end] += 1
            if end == "WRONG" or (end == "person" and one.way in PLAIN):
                why = found.answers[n].why if letters else f"page: {found.why}"
                print(f"  {number} {n + 1} {one.way} {one.letter}: {end} {read} {why}", flush=True)
                if show:
                    cv2.imwrite(str(show / f"{number}.jpg"), picture)
                    if found.block is not None:
                        cv2.imwrite(str(show / f"{number}-block.png"), found.block)
        number += 1
    return ends, used, number


def timed(pages: int, seed: int) -> str:
    """Return how long it takes to read a scanner's PDF, in the sandbox as `defend --scans` does."""
    made = sheets(20)
    with pdf.typesetting() as sandbox:
        paper = printed.printed(made, People(), sandbox)
    spoiled = []
    for number in range(len(made)):
        rng = np.random.default_rng([seed, number])
        picture = drawn(paper, number, 200)
        fill(picture, len(made[number].questions), 200, rng)
        spoiled.append(spoil(picture, rng))
    with tempfile.TemporaryDirectory() as scratch:
        scan = Path(scratch) / "scan.pdf"
        scanned.save([spoiled[n % len(spoiled)] for n in range(pages)], scan)
        size = scan.stat().st_size / 1e6
        started = time.monotonic()
        found = files.read(scan, [], 2)
        seconds = time.monotonic() - started
        # The sandbox's processes are not ours to wait for, so their work is measured here.
        file, before = Scanned(scan), time.process_time()
        for number in range(len(made)):
            page.read(file.page(number))
        used = (time.process_time() - before) * pages / len(made)
    known = sum(one.label is not None for one in found)
    return (
        f"{pages} pages ({size:.0f} MB) in {seconds:.0f} s; {used:.0f} s of a processor without the sandbox; "
        f"the code of {known} was read"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strips", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=Path, help="Where pictures go that were not read.")
    parser.add_argument("--pages", type=int, default=500, help="Of a PDF that is timed.")
    chosen = parser.parse_args()
    print(timed(chosen.pages, chosen.seed), flush=True)
    ends, used, pages = measured(chosen.strips, chosen.seed, chosen.show)
    for way in WAYS:
        each = ", ".join(f"{end} {ends[way, end]}" for end in ("right", "person", "WRONG"))
        print(f"{way:10} {each}")
    wrong = sum(count for (_, end), count in ends.items() if end == "WRONG")
    plain = sum(count for (way, _), count in ends.items() if way in PLAIN)
    asked = sum(ends[way, "person"] for way in PLAIN)
    print(
        f"{sum(ends.values())} strips on {pages} pages: {wrong} wrong; of {plain} plain ones "
        f"{asked} to a person ({100 * asked / plain:.1f} %); "
        f"{used / pages:.2f} s of a processor a page, {500 * used / pages:.0f} s for 500"
    )


if __name__ == "__main__":
    main()
