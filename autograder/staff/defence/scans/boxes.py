"""Find the crossed box of a question by the ink in and around it; doubtful cases stay open.

Ink is 0 for paper and 1 for black print. A box is found by its outline near its expected place,
since paper bends. Limits were set with `python -m tests.benchmarks.scans`.
"""

from collections.abc import Sequence
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from autograder.staff.defence.scans.records import Answered
from autograder.staff.defence.sheets.answer_block import BOX, CHOICES, Strip

Picture = npt.NDArray[np.uint8]
Ink = npt.NDArray[np.float32]

SCALE = 8.0
"""Pixels per millimetre."""
EMPTY, CROSSED = 0.06, 0.10
"""The most mean ink in an untouched box, and the least in a crossed one."""
BESIDE, OVERSHOT = 0.07, 0.30
"""The most mean ink around an uncrossed box, and around a crossed one."""
_FOUND = 0.35
"""The least likeness of a printed outline."""
_SURE, _APART = 0.5, 2.0
"""The likeness of a clear outline, and how many millimetres it may be off the line of the
others."""
_FAR, _INSET, _LINE = 3.2, 0.75, 0.3
_AROUND = (0.5, 1.7)


def answered(strip: Strip, ink: Ink, origin: float) -> Answered:
    """Return the crossed box of a strip.

    Args:
        strip: The places where its boxes should be.
        ink: The ink of the block, with SCALE pixels per millimetre.
        origin: The margins left of the block and above it, in millimetres.
    """
    places = [(left + origin, strip.top + origin) for left in strip.lefts]
    shifts, likeness = _shifts(ink, places)
    if likeness < _FOUND:
        return Answered(strip.question, "", "the boxes cannot be made out")
    moved = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(places, shifts, strict=True)]
    return _decided(strip.question, [_within(ink, *one) for one in moved])


def _decided(question: int, measured: Sequence[tuple[float, float]]) -> Answered:
    within, beside = [one for one, _ in measured], [other for _, other in measured]
    crossed = [n for n, one in enumerate(within) if one >= CROSSED]
    faint = [n for n, one in enumerate(within) if EMPTY < one < CROSSED]
    untouched = [one for n, one in enumerate(beside) if n not in crossed]
    if len(crossed) > 1:
        why = "more than one box is marked"
    elif faint:
        why = f"box {CHOICES[faint[0]]} may be marked"
    elif max(untouched, default=0.0) > BESIDE:
        why = "something is written beside a box"
    elif not crossed:
        why = "no box is marked"
    elif beside[crossed[0]] > OVERSHOT:
        why = "something is written around the box"
    else:
        return Answered(question, CHOICES[crossed[0]])
    return Answered(question, "", why)


def _within(ink: Ink, left: float, top: float) -> tuple[float, float]:
    """Return the mean ink in a box and around it, less that of the paper there."""
    near, far = _AROUND
    ring = ink[_span(top - far, BOX + 2 * far), _span(left - near, BOX + near + far)]
    hole = np.ones(ring.shape, bool)
    hole[_span(far - near, BOX + 2 * near), _span(0, BOX + 2 * near)] = False
    beside = ring[hole]
    paper = float(np.percentile(beside, 30))
    box = ink[_span(top + _INSET, BOX - 2 * _INSET), _span(left + _INSET, BOX - 2 * _INSET)]
    return float(box.mean()) - paper, float(beside.mean()) - paper


def _span(start: float, length: float) -> slice:
    first = max(round(start * SCALE), 0)
    return slice(first, first + round(length * SCALE))


def _outline() -> tuple[Ink, Ink]:
    """Return a printed box with some paper around it, and a mask of places that stay blank."""
    margin = 1.0
    side = round((BOX + 2 * margin) * SCALE)
    picture, mask = np.zeros((side, side), np.float32), np.ones((side, side), np.float32)
    outer, inner = margin - _LINE / 2, margin + _LINE / 2
    picture[_span(outer, BOX + _LINE), _span(outer, BOX + _LINE)] = 1
    picture[_span(inner, BOX - _LINE), _span(inner, BOX - _LINE)] = 0
    hole = slice(*(round(at * SCALE) for at in (margin + 0.9, margin + BOX - 0.9)))
    mask[hole, hole] = 0
    return cv2.GaussianBlur(picture, (0, 0), 1.2).astype(np.float32), mask


_OUTLINE, _MASK = _outline()


def _shifts(
    ink: Ink, places: Sequence[tuple[float, float]]
) -> tuple[list[tuple[float, float]], float]:
    """Return each box's distance from its place in millimetres, and how much they look like boxes.

    The boxes of a strip move together, so a scribbled box follows the others. A box with
    a clear outline near them keeps its own distance, since paper bends.
    """
    found = []
    for left, top in places:
        side = BOX + 2 + 2 * _FAR
        near = ink[_span(top - 1 - _FAR, side), _span(left - 1 - _FAR, side)]
        if min(near.shape) < _OUTLINE.shape[0]:
            return [], 0.0
        match = cv2.matchTemplate(near, _OUTLINE, cv2.TM_CCOEFF_NORMED, mask=_MASK)
        match = np.nan_to_num(match, nan=0, posinf=0, neginf=0)
        _, best, _, (x, y) = cv2.minMaxLoc(match)
        found.append((x / SCALE - _FAR, y / SCALE - _FAR, best))
    moved = np.array(found)
    fitted = [_line(moved[:, axis]) for axis in (0, 1)]
    shifts = [
        (x, y) if best >= _SURE and np.hypot(x - dx, y - dy) <= _APART else (dx, dy)
        for (x, y, best), dx, dy in zip(found, *fitted, strict=True)
    ]
    return shifts, float(np.median(moved[:, 2]))


def _line(values: npt.NDArray[np.float64]) -> list[float]:
    """Return values on the straight line through most of the given ones (Theil and Sen's)."""
    order = range(len(values))
    slope = float(np.median([(values[j] - values[i]) / (j - i) for i, j in combinations(order, 2)]))
    start = float(np.median(values - slope * np.array(order)))
    return [start + slope * n for n in order]
