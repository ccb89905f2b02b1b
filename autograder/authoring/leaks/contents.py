"""The contents of a file of any kind, down to texts, numbers and pictures.

Files that cannot be searched are named, never skipped.
"""

import base64
import html
import io
import re
import urllib.parse
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from PIL import Image

from autograder.course.homework import DATA, MAX_DATA
from autograder.records import codec
from autograder.records.questions import Array

# A release's files are far below these; files that claim larger sizes could fill the memory.
MAX_BYTES, MAX_FILES, MAX_PIXELS = 5_000_000, 1_000, 50_000_000
MAX_DEPTH = 50  # of JSON; Python's own limit depends on the caller's depth
MAX_BASE64 = 2  # a notebook as base64 may contain pictures; anything deeper is hidden on purpose
# Reading these would run their contents; some also look like texts or archives.
CLOSED = {".pkl", ".pickle", ".joblib", ".dill", ".pyc", ".pt", ".pth"}
# Grey levels, on average and at most: a resized plot differs by 2 and 33, a different plot by 9 and
# 164.
LIKE, LIKE_ANYWHERE = 3, 60

# Lines of 60 letters or more, as mail and notebooks break base64, plus the last; or a single run.
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{60,}\r?\n)*[A-Za-z0-9+/]{24,}")
# Capitals, small letters and digits: digests and function names lack one of them.
_MIXED = re.compile(r"(?s)(?=.*[a-z])(?=.*[A-Z])(?=.*\d)")
# Tracebacks are stored with terminal colours.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A tag's name follows the bracket at once: "a < b" is not a tag.
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# Escapes in JSON and Python for quotes, ends of lines and letters beyond ASCII.
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\"'/\\nt]))")
# No text contains these bytes. White space and the escape before a colour are not among them.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Text between compressed parts; shorter runs occur by chance.
_PRINTABLE = re.compile(rb"[\t\n\x20-\x7e]{12,}")
# The first bytes of PNG, JPEG, GIF and WebP, whatever the file's name.
_PICTURE = re.compile(rb"(?s)\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP")


@dataclass(frozen=True)
class Closed:
    """Content that cannot be searched, which counts as a leak: the reason."""

    why: str


Thing = str | Array | Image.Image | PurePath | Closed
Things = Iterator[tuple[str, Thing]]
"""Contents, each with the place where it was found."""


def opened(place: str, path: PurePath, data: bytes, *, packed: bool = False) -> Things:
    """Yield the contents of a file."""
    if path.parts:
        yield place, path
    try:
        most = MAX_DATA if path.parts[:1] == (DATA,) else MAX_BYTES
        if path.suffix.casefold() in CLOSED or len(data) > most:
            raise ValueError("a kind or size that cannot be read")
        if data.startswith((b"PK\3\4", b"PK\5\6")):
            if packed:
                raise ValueError("an archive in an archive")
            yield from _archive(place, data)
        elif data.startswith(b"\x93NUMPY"):
            yield from _array(place, data)
        elif _PICTURE.match(data):
            yield from _picture(place, data)
        else:
            yield from _text(place, path, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield place, Closed("it cannot be searched: it is not UTF-8 text")
    except Exception as error:  # readers may raise anything for mangled files
        yield place, Closed(f"it cannot be searched ({type(error).__name__})")


def coded(place: str, text: str) -> Things:
    """Yield the base64 contents of a text, such as pictures in a notebook."""
    too_deep = place.count(", base64") >= MAX_BASE64
    for run in _BASE64.findall(text):
        letters = "".join(run.split())
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]  # no byte ends there
        data = base64.b64decode(letters + "=" * (-len(letters) % 4))
        for where, thing in opened(f"{place}, base64", PurePath(), data):
            # Long names and digests also look like base64; they are short, or use one kind of
            # character.
            if isinstance(thing, Closed) and (len(data) < 150 or not _MIXED.match(letters)):
                continue
            if too_deep:
                thing = Closed("base64 in base64, nested too deeply to be searched")
            yield where, thing


def pictures(value: Any) -> Iterator[Image.Image]:
    """Yield the pictures in a JSON value, such as the outputs of a cell."""
    for _, text in _texts("", value):
        for _, thing in coded("", text):
            if isinstance(thing, Image.Image):
                yield thing


def spellings(text: str) -> Iterator[str]:
    """Yield a text as it is, and without the escapes of HTML, links and JSON."""
    text = _COLOUR.sub("", text)
    others = [html.unescape(_TAG.sub("", text)), urllib.parse.unquote(text)]
    if '\\"' in text or "\\n" in text:  # LaTeX also has backslashes, but is not JSON
        others.append(_ESCAPED.sub(_unescaped, text))
    yield from dict.fromkeys([text, *others])


def thumbnails(picture: Image.Image) -> list[Array]:
    """Return a small grey picture; one with transparency is shown on white and on black."""
    pages = [picture.convert("RGB")]  # without its transparency, as JPEG keeps it
    if picture.has_transparency_data:
        for ground in ("white", "black"):
            page = Image.new("RGBA", picture.size, ground)
            page.alpha_composite(picture.convert("RGBA"))
            pages.append(page.convert("RGB"))
    return [
        np.asarray(page.convert("L").resize((48, 48), Image.Resampling.BOX), dtype=np.float64)
        for page in pages
    ]


def alike(one: Array, other: Array) -> bool:
    """Return whether two thumbnails show the same, and the second is not empty."""
    difference = np.abs(one - other)
    near = difference.mean() <= LIKE and difference.max() <= LIKE_ANYWHERE
    return bool(near and other.std() > LIKE)  # an empty picture resembles any other


def _archive(place: str, data: bytes) -> Things:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MAX_FILES or sum(member.file_size for member in members) > MAX_BYTES:
            raise ValueError("too large")
        yield place, archive.comment.decode("latin-1")
        for member in members:
            with archive.open(member) as file:  # an archive may lie about its sizes
                inner = file.read(MAX_BYTES + 1)
            where = f"{place}, {member.filename!r:.80}"
            yield from opened(where, PurePath(member.filename), inner, packed=True)


def _array(place: str, data: bytes) -> Things:
    file = io.BytesIO(data)
    array = np.load(file, allow_pickle=False)
    if file.read(1):
        raise ValueError("there are bytes after the array")
    if array.dtype.kind in "US":
        yield place, "\n".join(array.astype(str).ravel())
    elif array.dtype.kind == "c":
        yield from ((place, part.astype(np.float64)) for part in (array.real, array.imag))
    elif array.dtype.kind in "fiub":
        yield place, array.astype(np.float64)
    else:
        raise ValueError("neither numbers nor text")


def _picture(place: str, data: bytes) -> Things:
    # This finds comments, and bytes after the picture.
    yield place, b"\n".join(_PRINTABLE.findall(data)).decode()
    with Image.open(io.BytesIO(data)) as image:
        frames = getattr(image, "n_frames", 1)
        if image.width * image.height * frames > MAX_PIXELS:
            raise ValueError("too large")
        for number in range(frames):
            image.seek(number)
            yield place, image.convert("RGBA")
        for text in (*image.info.values(), *image.getexif().values()):  # including compressed ones
            yield place, text.decode("latin-1") if isinstance(text, bytes) else str(text)


def _text(place: str, path: PurePath, text: str) -> Things:
    if _CONTROL.search(text):
        raise ValueError("not a text")
    if path.suffix == ".ipynb":
        yield from _notebook(place, codec.loads(text))
    elif path.suffix == ".json":
        yield from _texts(place, codec.loads(text))
    else:
        yield place, text


def _notebook(place: str, notebook: Mapping[str, Any]) -> Things:
    for number, cell in enumerate(notebook["cells"]):
        where = f"{place}, cell {cell.get('id', number)!r:.80}"
        for key, value in cell.items():
            yield from _texts(f"{where}, {key}", value)
        if cell.get("outputs"):
            yield f"{where}, outputs", Closed("a stored output, which a release never has")
    for key, value in notebook.items():
        if key != "cells":
            yield from _texts(f"{place}, {key}", value)


def _texts(place: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of a JSON value; join a list of lines or numbers."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str | int | float):
        yield place, str(value)
    elif isinstance(value, dict):
        yield place, "\n".join(value)
        numbers = [item for item in value.values() if isinstance(item, int | float)]
        yield place, " ".join(map(str, numbers))
        for item in value.values():
            yield from _texts(place, item, depth + 1)
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        lines = all(line.endswith("\n") for line in value[:-1])
        yield place, ("" if lines else "\n").join(value)
    elif isinstance(value, list):
        yield place, " ".join(str(item) for item in value if not isinstance(item, str | dict))
        for item in value:
            if isinstance(item, str | dict | list):
                yield from _texts(place, item, depth + 1)


def _unescaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else {"n": "\n", "t": "\t"}.get(letter, letter)
