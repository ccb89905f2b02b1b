"""Files from a scanner or a phone -> grey pictures; this runs only in the sandbox.

Hostile files attack decoders, so nothing outside the sandbox imports this module.
"""

import io
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageOps

from autograder.records.errors import UserError
from autograder.staff.defence.scans.boxes import Picture
from autograder.staff.defence.scans.page import LONGEST

MAX_PIXELS, MAX_PAGES = 80_000_000, 5_000
_FORMATS = ("JPEG", "PNG", "TIFF", "WEBP", "BMP", "GIF")
_POINTS = 14_400
"""The longest side of a page, in points."""
_HEIC = (b"heic", b"heix", b"mif1", b"heif")

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


class Scanned:
    """An open file: a PDF, or a picture that may have several frames."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            start = file.read(1024)
        self._file: pypdfium2.PdfDocument | Image.Image
        if b"%PDF" in start:
            self._file = _pdf(path)
            self.pages = len(self._file)
        elif start[8:12] in _HEIC:
            raise UserError("a HEIC picture; save it as JPEG")
        else:
            self._file = _picture(path)
            self.pages = int(getattr(self._file, "n_frames", 1))
        if not 0 < self.pages <= MAX_PAGES:
            raise UserError(f"it has {self.pages:,} pages; give a file of 1 to {MAX_PAGES:,}")

    def page(self, number: int) -> Picture:
        """Return a page by its number from 0; raise UserError if it cannot be decoded."""
        try:
            if isinstance(self._file, Image.Image):
                return _frame(self._file, number)
            return _drawn(self._file, number)
        except UserError:
            raise
        except Exception as error:  # each decoder has its own kinds of errors
            raise UserError(f"it cannot be decoded ({type(error).__name__})") from error


def _drawn(pdf: pypdfium2.PdfDocument, number: int) -> Picture:
    drawn = pdf[number]
    longer, shorter = max(drawn.get_size()), min(drawn.get_size())
    if not 1 <= shorter <= longer <= _POINTS:
        raise UserError(f"a page of {longer:g} points; scan it as A4")
    bitmap = drawn.render(scale=LONGEST / longer, grayscale=True)
    pixels = np.array(bitmap.to_numpy(), np.uint8)
    return pixels.reshape(bitmap.height, bitmap.width, -1)[..., 0]


def _frame(picture: Image.Image, number: int) -> Picture:
    picture.seek(number)
    _complain_of_many(picture)
    picture.draft("L", (LONGEST, LONGEST))  # decodes a JPEG at a fraction of its size
    grey = picture
    if "A" in grey.getbands() or "transparency" in grey.info:
        clear = grey.convert("RGBA")
        grey = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    elif grey.mode.startswith("I"):  # 16 bits
        grey = ImageOps.autocontrast(grey.point(lambda value: value / 256).convert("L"))
    return np.asarray(grey.convert("L"), np.uint8)


def _pdf(path: Path) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        why = "it is locked with a password" if "assword" in str(error) else "it is broken"
        raise UserError(f"{why}; save the PDF again") from error


def _picture(path: Path) -> Image.Image:
    try:
        found = Image.open(io.BytesIO(path.read_bytes()), formats=_FORMATS)
    except Image.DecompressionBombError as error:
        raise UserError(_many(0)) from error
    except Exception as error:
        raise UserError("neither a PDF nor a picture (JPEG, PNG, TIFF, WebP)") from error
    _complain_of_many(found)
    return found


def _complain_of_many(picture: Image.Image) -> None:
    if picture.width * picture.height > MAX_PIXELS:
        raise UserError(_many(picture.width * picture.height))


def _many(pixels: int) -> str:
    has = f"{pixels / 1e6:,.0f} million pixels" if pixels else "too many pixels"
    return f"it has {has}; the limit is {MAX_PIXELS / 1e6:,.0f} million; scan it at 200 to 300 dpi"
