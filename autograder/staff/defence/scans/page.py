"""One picture of a sheet, in any rotation -> its code and its crosses."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt
import zxingcpp

from autograder.staff.defence.scans.boxes import SCALE, Ink, Picture, answered
from autograder.staff.defence.scans.records import Answered
from autograder.staff.defence.sheets import answer_block
from autograder.staff.defence.sheets.answer_block import CODE, MARK, PREFIX, WIDTH, Block, Label

MARGIN = 5.0
"""The margin around the block to include, in millimetres."""
LONGEST, SHORTEST = 2600, 1500
"""The longer side, in pixels, of the pictures in which to search for marks."""
NOT_OURS = "its code is not of a sheet that `autograder defend` made"
_OFF = 1.5
"""The distance in millimetres that a mark's corner may be off the place that the others imply."""


@dataclass(frozen=True, eq=False)
class PageRead:
    """The contents of one picture.

    Args:
        label: The contents of its code; None if unreadable.
        why: Why nothing is readable, or why its owner is unknown.
        answers: The crosses for each question; without a label, for each strip in the block.
        block: The straightened block, for a person; None if it was not found.
    """

    label: Label | None = None
    why: str = ""
    answers: tuple[Answered, ...] = ()
    block: Picture | None = field(default=None, repr=False)


def read(picture: Picture) -> PageRead:
    """Read one picture in shades of grey."""
    sized = _sized(picture)
    corners, twice = _marks(sized)
    if twice:
        return PageRead(None, "more than one sheet is in the picture; take one of each")
    found = _straightened(sized, corners)
    if found is None:
        text = _code(sized)
        said = answer_block.label(text) if text else None
        return PageRead(said, "fewer than three of its corner marks can be made out")
    block, flat = found
    ink = _ink(flat)
    left, top = (round((at + MARGIN - 2.5) * SCALE) for at in block.code)
    side = round((CODE + 5) * SCALE)
    text = _code(flat[top : top + side, left : left + side]) or _code(sized)
    said = answer_block.label(text)
    if said and said.page == 1 and Block(said.questions).rows != block.rows:
        return PageRead(None, "its code and its corner marks are of two sheets", (), flat)
    questions = said.questions if said else block.questions
    answers = tuple(answered(strip, ink, MARGIN) for strip in Block(questions).strips())
    why = "" if said else NOT_OURS if text else "its code cannot be read"
    return PageRead(said, why, answers, flat)


def _sized(picture: Picture) -> Picture:
    longer = max(picture.shape)
    wanted = min(max(longer, SHORTEST), LONGEST)
    if wanted == longer:
        return picture
    factor = wanted / longer
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=way), np.uint8)


def _detector(**settings: float) -> cv2.aruco.ArucoDetector:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    chosen = cv2.aruco.DetectorParameters()
    chosen.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    chosen.minMarkerPerimeterRate = 0.02
    for name, value in settings.items():
        setattr(chosen, name, value)
    return cv2.aruco.ArucoDetector(dictionary, chosen)


_DETECTORS = (
    _detector(),
    _detector(
        adaptiveThreshWinSizeMin=5, adaptiveThreshWinSizeMax=65, adaptiveThreshWinSizeStep=12,
        polygonalApproxAccuracyRate=0.06, errorCorrectionRate=0.8,
    ),
)  # fmt: skip


def _marks(picture: Picture) -> tuple[dict[int, npt.NDArray[np.float64]], bool]:
    """Return the corners of the marks of the best layout, and whether a mark occurs twice."""
    best: dict[int, npt.NDArray[np.float64]] = {}
    for detector in _DETECTORS:
        corners, ids, _ = detector.detectMarkers(picture)
        all_ids = [] if ids is None else [int(id) for id in ids.reshape(-1)]
        layouts = Counter(id // 4 for id in all_ids if answer_block.of_mark(id))
        if not layouts:
            continue
        layout, _ = layouts.most_common(1)[0]
        own = [n for n, id in enumerate(all_ids) if id // 4 == layout]
        found = {all_ids[n]: np.asarray(corners[n], np.float64).reshape(4, 2) for n in own}
        if len(found) < len(own):
            return {}, True
        if len(found) > len(best):
            best = found
        if len(best) == 4:
            break
    return best, False


def _straightened(
    picture: Picture, corners: Mapping[int, npt.NDArray[np.float64]]
) -> tuple[Block, Picture] | None:
    """Return the block, seen from above, with a margin; None if there are too few marks."""
    block = answer_block.of_mark(next(iter(corners))) if corners else None
    if block is None or len(corners) < 3:
        return None
    square = np.array([(0, 0), (MARK, 0), (MARK, MARK), (0, MARK)])
    places = block.marks()
    flat = np.concatenate([square + np.array(places[id]) for id in corners])
    seen = np.concatenate(list(corners.values()))
    matrix, _ = cv2.findHomography(flat, seen, 0)
    back, _ = cv2.findHomography(seen, flat, 0)
    if matrix is None or back is None:
        return None
    again = cv2.perspectiveTransform(seen.reshape(-1, 1, 2), back).reshape(-1, 2)
    if np.abs(again - flat).max() > _OFF:
        return None
    scale = np.array([[1 / SCALE, 0, -MARGIN], [0, 1 / SCALE, -MARGIN], [0, 0, 1]])
    size = [round((side + 2 * MARGIN) * SCALE) for side in (WIDTH, block.height)]
    warped = cv2.warpPerspective(
        picture, matrix @ scale, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return block, np.asarray(warped, np.uint8)


def _ink(flat: Picture) -> Ink:
    """Return each place's darkness: 0 for the paper around it, 1 for a corner mark's print."""
    small = cv2.resize(flat, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (21, 21))  # 10 mm: wider than a box
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, kernel)
    paper = cv2.GaussianBlur(paper, (0, 0), 5)
    paper = cv2.resize(paper, (flat.shape[1], flat.shape[0]), interpolation=cv2.INTER_LINEAR)
    light = flat.astype(np.float32) / np.maximum(paper.astype(np.float32), 1)
    margin, mark = round(MARGIN * SCALE), round(MARK * SCALE)
    places = ((margin, margin), (margin, -margin - mark), (-margin - mark, margin))
    marks = [light[y : y + mark, x : x + mark] for y, x in (*places, (-margin - mark,) * 2)]
    black = float(np.median([np.percentile(one, 15) for one in marks]))
    dark: Ink = np.clip((1 - light) / max(1 - black, 0.05), 0, 1.2).astype(np.float32)
    return dark


def _code(picture: Picture) -> str:
    """Return the text of the only code in a picture; "" if there is no readable one."""
    for binarizer in (zxingcpp.Binarizer.LocalAverage, zxingcpp.Binarizer.GlobalHistogram):
        found = zxingcpp.read_barcodes(
            np.ascontiguousarray(picture),
            formats=zxingcpp.BarcodeFormat.QRCode,
            binarizer=binarizer,
        )
        every = {one.text for one in found}
        texts = {text for text in every if text.startswith(PREFIX)} or every
        if len(texts) == 1:
            return str(texts.pop())
    return ""


def cut_out(page: PageRead) -> dict[int, Picture]:
    """Return the picture of each question that a person has to look at."""
    cut = {}
    for strip, one in zip(Block(len(page.answers)).strips(), page.answers, strict=True):
        if one.why and page.block is not None:
            top = round((strip.top + MARGIN - 2) * SCALE)
            left = round((strip.lefts[0] + MARGIN - 10) * SCALE)
            right = round((strip.lefts[-1] + MARGIN + answer_block.BOX + 2.5) * SCALE)
            cut[strip.question] = page.block[top : top + round(9 * SCALE), max(left, 0) : right]
    return cut
