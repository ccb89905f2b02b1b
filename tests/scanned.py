"""Draw a sheet's block as it is printed, filled by a program, without a typesetter."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import segno
import zxingcpp
from PIL import Image

from autograder.staff.defence.sheets import answer_block
from autograder.staff.defence.sheets.answer_block import BOX, CHOICES, Block, Label

SCALE = 8
WHITE = 15
"""Millimetres of paper around the block."""
PAGE, PAGE_LEFT, BELOW = (210.0, 297.0), 18.0, 10.0
"""A printed page, what is left of the block there, and below it."""


def label(
    sheet: str = "0123AB", homework: str = "toy", round: int = 1, questions: int = 5
) -> Label:
    """Return what the code of a page says."""
    return Label(homework, round, sheet, 1, questions)


def block(crossed: Mapping[int, str], said: Label | None = None, code: str = "") -> Any:
    """Return the picture of a block, in which some letters of questions are crossed."""
    said = said or label()
    matrix = segno.make_qr(code or str(said), error="m").matrix
    own = Block(said.questions)
    picture = np.full(
        [round((side + 2 * WHITE) * SCALE) for side in (own.height, 174)], 255, np.uint8
    )
    svg = own.picture([list(row) for row in matrix])
    for shape in re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/>', svg):
        _box(picture, *map(float, shape), edge=2)
    for shape in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h", svg):
        _box(picture, *map(float, shape), edge=cv2.FILLED)
    for strip in own.strips():
        for letter in crossed.get(strip.question, ""):
            cross(picture, strip.lefts[CHOICES.index(letter)], strip.top)
    return picture


def cross(picture: Any, left: float, top: float, ink: int = 40) -> None:
    """Cross a box at millimetres of the block."""
    for one, other in ((0.0, BOX), (BOX, 0.0)):
        ends = [(left + one, top), (left + other, top + BOX)]
        first, second = ([round((at + WHITE) * SCALE) for at in end] for end in ends)
        cv2.line(picture, first, second, ink, 4, cv2.LINE_AA)


def printed(paper: Path) -> list[Any]:
    """Return each page of a PDF of sheets as a picture, SCALE pixels a millimetre."""
    document = pypdfium2.PdfDocument(paper)
    scale = SCALE * 25.4 / 72
    return [
        np.array(document[n].render(scale=scale, grayscale=True).to_numpy(), np.uint8)
        for n in range(len(document))
    ]


def said(picture: Any) -> Label:
    """Return what the code of a printed page says."""
    found = answer_block.label(zxingcpp.read_barcodes(picture)[0].text)
    assert found
    return found


def fill(picture: Any, crossed: Mapping[int, str]) -> None:
    """Cross boxes of a printed page."""
    own = Block(said(picture).questions)
    above = PAGE[1] - BELOW - own.height - WHITE
    for strip in own.strips():
        for letter in crossed.get(strip.question, ""):
            left = strip.lefts[CHOICES.index(letter)] + PAGE_LEFT - WHITE
            cross(picture, left, strip.top + above)


def save(pages: Sequence[Any], paper: Path) -> None:
    """Write pictures as a scanner's PDF."""
    first, *others = [Image.fromarray(np.ascontiguousarray(page)) for page in pages]
    first.save(paper, save_all=True, append_images=others, resolution=200)


def turned(picture: Any, degrees: float) -> Any:
    """Return a picture turned on a larger sheet of paper."""
    height, width = picture.shape
    side = round(np.hypot(height, width))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    matrix[:, 2] += ((side - width) / 2, (side - height) / 2)
    return cv2.warpAffine(picture, matrix, (side, side), borderValue=255)


def _box(picture: Any, x: float, y: float, wide: float, high: float, *, edge: int) -> None:
    first, second = (
        [round((at + WHITE) * SCALE) for at in p] for p in ((x, y), (x + wide, y + high))
    )
    if edge == cv2.FILLED:
        second = [second[0] - 1, second[1] - 1]
    cv2.rectangle(picture, first, second, 0, edge)
