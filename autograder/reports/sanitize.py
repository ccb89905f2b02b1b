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

from PIL import Image, ImageOps

MAX_PIXELS = 8_000_000
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
