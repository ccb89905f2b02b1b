"""Students' texts and pictures, made safe for staff to open.

Markdown renderers disagree on what counts as code and what as HTML, so nothing here parses it: no
tag with attributes and no link to a script is left anywhere in the text, not even in code and
formulas.
"""

import base64
import html
import io
import re
import string
import struct
import zlib
from collections.abc import Iterator

from PIL import Image, ImageOps

MAX_PIXELS = 8_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
# Size, palette, transparent colours, pixels and end: all others are optional.
_PIXELS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_HARMLESS = (
    "b i u em strong sub sup br hr p ul ol li code pre kbd table thead tbody tr td th "
    "details summary blockquote"
).split()
TAG = re.compile(rf"<(?=[a-z/!?])(?!/?(?:{'|'.join(_HARMLESS)})\s*/?>)", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#x[0-9a-f]{1,7};?|#[0-9]{1,7};?|\w{1,40};)", re.IGNORECASE)
_PLAIN = set(string.ascii_letters + ":") | {chr(code) for code in range(33)}
# Browsers ignore some characters in a scheme, and renderers remove others.
SCRIPT = re.compile(
    "|".join(r"[\s\\]*".join([*scheme, ":"]) for scheme in ("javascript", "vbscript")),
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\\(?=(?:href|require|style|cssId|class|data|mmlToken)\b)")
_IMAGE = re.compile(r"(?<!!)!+\[")


def markdown(text: str) -> str:
    """Return Markdown that runs and fetches nothing, whatever renders it.

    A tag becomes text by a space after its `<`; formulas such as a<b look the same. Plain
    formatting tags without attributes stay. Images become links.
    """
    text = _ENTITY.sub(_plain_character, text)
    text = SCRIPT.sub("(script removed) ", text)
    text = _IMAGE.sub("[", _COMMAND.sub(r"\\ ", text))
    return TAG.sub("< ", text)


def _plain_character(entity: re.Match[str]) -> str:
    """Spell out a letter or colon that was written as an entity; leave all others."""
    character = html.unescape(entity[0])
    return character if character in _PLAIN else entity[0]


def png(data: str, *, kinds: tuple[str, ...] = ("PNG",), width: int | None = None) -> str | None:
    """Return a picture redrawn as a PNG in base64: pixels and nothing else.

    Args:
        data: The picture in base64.
        kinds: Pillow's names of the formats that are read.
        width: The width to which wider pictures are reduced.

    Returns:
        The picture, or None if it is not a picture or too large.

    """
    try:
        raw = base64.b64decode(data)
        with Image.open(io.BytesIO(raw), formats=kinds) as image:
            if width:
                image.draft("RGB", (width, width))  # decodes a JPEG at reduced size from the start
            if image.width * image.height > MAX_PIXELS:
                return None
            upright = ImageOps.exif_transpose(image)
            pixels = upright.convert("RGBA" if image.format == "PNG" else "RGB")
            if width and pixels.width > width:
                pixels.thumbnail((width, pixels.height))
    except Exception:  # the reader may raise anything for a mangled image
        return None
    new = io.BytesIO()
    pixels.save(new, "PNG", compress_level=1)
    return base64.b64encode(new.getvalue()).decode()


def bare_png(data: str) -> str | None:
    """Return a PNG in base64 without the chunks that hold text, dates or profiles.

    Unlike `png`, it decodes no pixels, which takes a fiftieth of the time and leaves the
    compressed data of strangers to the browser. The format is ISO/IEC 15948.

    Returns:
        The picture, or None if it is not a picture or too large.

    """
    try:
        raw = base64.b64decode(data)
        header, *others = _chunks(raw)
        width, height = struct.unpack_from(">II", header, 8)
    except (ValueError, struct.error):
        return None
    if header[4:8] != b"IHDR" or not 0 < width * height <= MAX_PIXELS:
        return None
    kept = (chunk for chunk in others if chunk[4:8] in _PIXELS)
    return base64.b64encode(b"".join((_PNG, header, *kept))).decode()


def _chunks(raw: bytes) -> Iterator[bytes]:
    """Yield a PNG's chunks up to its end; raise ValueError or struct.error if it has none."""
    if not raw.startswith(_PNG):
        raise ValueError("it is not a PNG")
    place, name = len(_PNG), b""
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", raw, place)
        chunk = raw[place : place + 12 + length]
        whole = len(chunk) == 12 + length
        if not whole or zlib.crc32(chunk[4:-4]) != int.from_bytes(chunk[-4:]):
            raise ValueError("a chunk is damaged")
        place += len(chunk)
        yield chunk
