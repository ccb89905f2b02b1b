"""What of a solution, a hidden case or staff/ can be read in a release or in a message.

Nothing is forgiven because a provided cell holds it: an author may paste an answer into a
hint. What the notebook and staff/ share by nature is told apart by its length alone.
"""

import base64
import functools
import html
import io
import keyword
import math
import re
import urllib.parse
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from PIL import Image

from autograder import codec
from autograder import course as courses
from autograder.homework import cells_of
from autograder.model import Array, Cell, Homework, Inputs, SubmissionLog

NEVER = 1_000_000_000


@dataclass(frozen=True)
class Lengths:
    """From how many tokens on a run of a secret, or a whole line or sentence of it, is a leak.

    Args:
        code: A run in Python.
        renamed: A run in Python, where all variables are alike.
        line: A whole line of Python.
        renamed_line: A whole line, where all variables are alike.
        words: A run in prose, strings and comments, without punctuation.
        sentence: A whole sentence there.
    """

    code: int
    renamed: int = NEVER
    line: int = NEVER
    renamed_line: int = NEVER
    words: int = NEVER
    sentence: int = NEVER


# At the right: the longest that our release shares with such texts by nature.
ANSWER = Lengths(code=14, renamed=16, line=6, renamed_line=10, words=8, sentence=6)  # 10 11 0 8 4 3
# What lies in a folder of staff/: other answers, and what markers read.
BESIDE = Lengths(code=20, line=12, words=8, sentence=6)  # 13 5 6 2
# The modules of staff/ share idioms with the notebook's own tools; the adapters, which run
# beside student code, ask what its last cell asks.
MODULE = Lengths(code=20, words=14)  # 15 10
ADAPTERS = replace(MODULE, code=48)  # 40 8
START, DIFFERENT = 5, 7

DIGITS = 7  # float32 has no more
ALONE = 5
MARGIN = 2  # numbers agree by chance in one of 10 ** MARGIN texts
# Grey levels, on average and anywhere: a plot resized differs by 2 and 33, another by 9 and 164.
LIKE, LIKE_ANYWHERE = 3, 60
MAX_BYTES, MAX_FILES, MAX_PIXELS = 5_000_000, 1_000, 50_000_000
MAX_PAIRS, MAX_DEPTH = 5_000_000, 50
CLOSED = {".pkl", ".pickle", ".joblib", ".dill", ".pyc", ".pt", ".pth"}
STAYS = {"staff", "solution", "solutions", "__pycache__"}

_CODE = re.compile(r"""[^\W\d]\w*|\d[\d_]*\.?\d*(?:e[-+]?\d+)?|[^\s\w"'`\\]""")
_WORD = re.compile(r"[^\W\d]\w*|\d[\d_]*\.?\d*")
_NUMBER = re.compile(r"(?i)(?<![\w.])(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?\d++)?(?!\w)")
_STRING = r"""[rbfu]{0,2}("{3}|'{3}|"|')((?:\\.|(?!\1).)*?)\1"""
_STRING_OR_COMMENT = re.compile(rf"(?is){_STRING}|#([^\n]*)")
_END = re.compile(r"[.?!:;](?=\s|$)|\n\s*\n")
# Signatures and imports are no answer: the release states them itself.
_HEADER = re.compile(r"(?m)^[ \t]*(?:from|import|(?:async\s+)?def|class)\b.*$")
_IMPORT = re.compile(r"(?m)^[ \t]*(?:from|import)\b(.*)$")
_MARKER = re.compile(r"\b(BEGIN|END) (?:SOLUTION|HIDDEN TESTS|MARK SCHEME)\b")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{60,}\r?\n)*[A-Za-z0-9+/]{24,}")
_MIXED = re.compile(r"(?s)(?=.*[a-z])(?=.*[A-Z])(?=.*\d)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\"'/\\nt]))")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PRINTABLE = re.compile(rb"[\t\n\x20-\x7e]{12,}")
_PICTURE = re.compile(rb"(?s)\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP")
_FOLDERS = "home|users|tmp|private|mnt|opt|srv|work|workspace|var/folders|usr/(?:local/)?lib"
_ABSOLUTE = re.compile(
    rf"(?i)(?:(?<![\w.:/~-])|(?<=file://))/(?:(?:{_FOLDERS})/[\w.-]|root\b)"
    r"|(?<![a-z])[a-z]:[\\/]+(?:users|windows|program files|temp)\b"
    r"|[\\/](?:site|dist)-packages[\\/]"
)


@dataclass(frozen=True)
class Leak:
    """What a student must not get, and where it stands; for staff only.

    Args:
        place: A relative path, and the cell and the key in it.
        what: A fragment of a sentence that says whose secret it is without repeating it.
    """

    place: str
    what: str


@dataclass(frozen=True)
class _Closed:
    """Why something cannot be looked into, which is a leak."""

    why: str


_Thing = str | Array | Image.Image | PurePath | _Closed
_Things = Iterator[tuple[str, _Thing]]


class Secrets:
    """Everything of one homework that a student must not get; `of` collects it."""

    def __init__(self, homework: Homework, cells: Sequence[Cell]) -> None:
        sources = {cell.id: cell.source for cell in cells}
        gives = getattr(homework, "gives", ())
        fragments = [text.split() for text in gives if text not in sources]
        self._name = homework.name
        self._given_texts = [re.compile(r"\s+".join(map(re.escape, text))) for text in fragments]
        self._given_cells = sources.keys() & set(gives)
        numbers = [_long(_numbers(sources[id]))[0] for id in self._given_cells]
        self._given_numbers = np.concatenate([np.zeros(0), *numbers])
        self._passages = _Passages(cell.source for cell in cells if cell.type == "code")
        self._written, self._computed = _Numbers(least=ALONE), _Numbers(least=3)
        self._pictures: list[tuple[str, Array]] = []
        self._staff: set[PurePath] = set()
        self._names: list[tuple[re.Pattern[str], str]] = []
        self._file_names: set[str] = set()

    @classmethod
    def of(
        cls,
        course: Path,
        homework: Homework,
        logs: Sequence[SubmissionLog] = (),
        hidden: Mapping[str, Sequence[Inputs]] | None = None,
    ) -> "Secrets":
        """Collect the secrets of a homework.

        Args:
            course: The course's folder.
            homework: Which homework; its `gives` names what is given away on purpose.
            logs: What the instructor's own answers gave: the expected values.
            hidden: Question id -> hidden inputs.

        Raises:
            UserError: course.toml or the source notebook cannot be read.
        """
        source = course / "source" / homework.name
        notebook = codec.loads((source / f"{homework.name}.ipynb").read_bytes())
        cells = cells_of(notebook)
        secrets = cls(homework, cells)
        for cell, node in zip(cells, notebook["cells"], strict=True):
            secrets._add_cell(cell, node)
        for path in sorted((source / "staff").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                secrets._add_staff(path.relative_to(source), path.read_bytes())
        for log in logs:
            for outcome in log.outcomes:
                secrets._add_values(f"the value of {outcome.question!r}", outcome.value)
            numbers = {key: v for key, v in log.original.items() if not isinstance(v, str)}
            secrets._add_values("the instructor's log", numbers)
        for question, cases in (hidden or {}).items():
            secrets._add_values(f"a hidden input of {question!r}", cases)
        for path in sorted((course / "solutions" / homework.name).glob("*.ipynb")):
            for node in codec.loads(path.read_bytes())["cells"]:
                secrets._add_pictures(node.get("id"), node.get("outputs"))
        secrets._add_names(course, {question.id for question in homework.questions})
        return secrets

    def leaks_in_text(
        self, place: str, text: str, *, feedback: bool = False, own: str = ""
    ) -> list[Leak]:
        """Return what of the secrets a text holds.

        Args:
            place: Where it stands, for the leak.
            text: Markdown, code, a message, a traceback: anything.
            feedback: The grader says it to a student, and may quote the messages, nudges
                and explanations that stand as strings in staff/*.py.
            own: Code of the student, whose lines may be quoted.
        """
        for line in sorted(map(str.strip, own.splitlines()), key=len, reverse=True):
            text = text.replace(line, " \0 ") if len(line) > START else text
        found = self._in_text(place, text, feedback)
        return list(dict.fromkeys(Leak(where, what) for where, what in found))

    def leaks_in_files(self, files: Mapping[Path, bytes]) -> list[Leak]:
        """Return what of the secrets the files of a release hold, and what cannot be looked into.

        Args:
            files: Path relative to release/<homework>/ -> content.
        """
        found: list[tuple[str, str]] = []
        for path, data in sorted(files.items()):
            place = f"release/{self._name}/{path.name if path.is_absolute() else path.as_posix()}"
            for where, thing in _opened(place, path, data):
                found += self._in_thing(where, thing)
        return list(dict.fromkeys(Leak(where, what) for where, what in found))

    def _add_cell(self, cell: Cell, node: Mapping[str, Any]) -> None:
        """Add what nbgrader takes out of a cell of the source."""
        answer = cell.role in ("answer", "written")
        secret, stub = _regions(cell.source, whole=answer)
        who = f"the answer {cell.id!r}" if answer else f"what is hidden in {cell.id!r}"
        if answer:
            self._passages.stubs.update(map(str.strip, stub.splitlines()))
            # nbgrader empties the cell, and leaves the pictures that were pasted into it.
            self._add_pictures(cell.id, node.get("attachments"))
        self._passages.add(secret, who, ANSWER, python=cell.type == "code")
        self._written.add(who, _numbers(secret))

    def _add_staff(self, path: PurePath, data: bytes) -> None:
        """Add a file by its path from the homework's folder."""
        who, python = path.as_posix(), path.suffix == ".py"
        lengths = BESIDE
        if python and len(path.parts) == 2:
            lengths = ADAPTERS if path.name == "adapters.py" else MODULE
        if path.stem != "__init__":
            self._staff.add(path)
        for _, thing in _opened("", path, data):
            if isinstance(thing, str):
                self._passages.add(thing, who, lengths, python=python, quoted=python)
                self._written.add(who, _numbers(thing))
            elif isinstance(thing, np.ndarray):
                self._computed.add(who, thing)
            elif isinstance(thing, Image.Image):
                self._pictures.append((who, _thumbnail(thing)))

    def _add_values(self, who: str, value: object) -> None:
        """Add every array and text in what a question takes or returns."""
        if isinstance(value, Mapping):
            for name, item in value.items():
                self._add_values(f"{who} ({name})", item)
        elif isinstance(value, str):
            self._passages.add(value, who, BESIDE, python=False)
        elif value is not None:
            try:
                self._computed.add(who, np.asarray(value, dtype=np.float64))
            except (TypeError, ValueError):
                for item in value if isinstance(value, Sequence) else ():
                    self._add_values(who, item)

    def _add_pictures(self, id: object, value: object) -> None:
        for _, text in _texts("", value) if id not in self._given_cells else ():
            for _, thing in _coded("", text) if isinstance(text, str) else ():
                if isinstance(thing, Image.Image):
                    self._pictures.append((f"cell {id!r}", _thumbnail(thing)))

    def _add_names(self, course: Path, questions: set[str]) -> None:
        """Add what staff files are called, and what markers, paths and the secret look like."""
        stems = {path.stem for path in self._staff if path.parts[1] in ("wrong", "right")}
        names = {path.name for path in self._staff}
        self._file_names = names | {stem for stem in stems - questions if "_" in stem}
        long_names = names | {stem for stem in stems - questions if stem.count("_") > 1}
        below = {part for path in self._staff for part in (path.parts[1], path.stem)}
        secret = courses.read(course).secret
        # A short word may stand anywhere, and keeps no secret.
        whole_word = _any_of(set() if secret.isalpha() else {secret})
        self._names = [
            (_MARKER, "a marker of nbgrader"),
            (_ABSOLUTE, "an absolute path"),
            (_any_of({str(course.resolve()), str(Path.home())} - {"/"}), "an absolute path"),
            (_any_of(long_names), "the name of a file of staff/"),
            (_any_of(below, r"\bstaff[/\\.]"), "a path into staff/"),
            (_any_of({self._name}, r"\b(?:source|solutions)[/\\]"), "a folder that never leaves"),
            (
                re.compile(re.escape(secret)) if len(secret) > 8 else whole_word,
                "the course's secret",
            ),
        ]

    def _in_thing(self, place: str, thing: _Thing) -> Iterator[tuple[str, str]]:
        match thing:
            case _Closed(why):
                yield place, why
            case str():
                yield from self._in_text(place, thing, feedback=False)
            case PurePath():
                yield from ((place, what) for what in self._in_name(thing))
            case np.ndarray():
                yield from ((place, what) for what in self._in_numbers(thing, whole=True))
            case Image.Image():
                yield from ((place, what) for what in self._in_picture(thing))

    def _in_name(self, path: PurePath) -> Iterator[str]:
        parts = [part.casefold() for part in path.parts]
        words = {word for part in parts for word in re.split(r"[^a-z]+", part)}
        if path.is_absolute() or ".." in parts:
            yield "a path that leaves the folder"
        if any(part.startswith(".") for part in parts) or "checkpoint.ipynb" in parts[-1]:
            yield "a hidden file, or one of an editor"
        if STAYS & set(parts) or {"solution", "solutions"} & words:
            yield "named like what never leaves"
        if {path.name, path.stem} & self._file_names:
            yield "named like a file of staff/"
        yield from (what for _, what in self._in_text("", path.as_posix(), feedback=False))

    def _in_text(self, place: str, text: str, feedback: bool) -> Iterator[tuple[str, str]]:
        for spelling in _spellings(text):
            for fragment in self._given_texts:
                spelling = fragment.sub(" \0 ", spelling)
            yield from ((place, what) for name, what in self._names if name.search(spelling))
            yield from ((place, what) for what in self._passages.found(spelling, feedback))
            yield from ((place, what) for what in self._in_numbers(_numbers(spelling)))
        for where, thing in _coded(place, text):
            if where.count(", base64") > 2:
                thing = _Closed("base64 in base64, nested too deeply to be looked into")
            yield from self._in_thing(where, thing)

    def _in_numbers(self, values: Array, *, whole: bool = False) -> Iterator[str]:
        # Without signs, because a minus may be an operator; also transposed, as torch's weights.
        for order in (values, values.T) if values.ndim > 1 else (values,):
            numbers = np.abs(order.ravel())
            if self._given_numbers.size:
                numbers = numbers[~np.isin(numbers, self._given_numbers)]
            yield from self._computed.equal(numbers, whole=whole)
            yield from self._written.close(numbers)
            yield from self._computed.close(numbers)

    def _in_picture(self, picture: Image.Image) -> Iterator[str]:
        mine = _thumbnail(picture)
        for who, theirs in self._pictures:
            difference = np.abs(mine - theirs)
            like = difference.mean() <= LIKE and difference.max() <= LIKE_ANYWHERE
            if like and theirs.std() > LIKE:  # an empty picture is like any other
                yield f"a picture of {who}"
                return


class _Passages:
    """Runs of tokens that no student should read, in three views of a text.

    "words" has no punctuation, "code" has it, and in "renamed" all variables are alike.

    Args:
        sources: The notebook's code; what it imports is no variable.
    """

    def __init__(self, sources: Iterable[str]) -> None:
        imported = (
            word
            for text in sources
            for part in _IMPORT.findall(text)
            for word in _WORD.findall(part)
        )
        self._kept = {word.casefold() for word in ("self", *keyword.kwlist, *imported)}
        self._by_start: dict[tuple[str, ...], dict[tuple[str, ...], tuple[str, bool]]] = {}
        self.stubs: set[str] = set()
        """Lines that the release shows in its answer cells."""

    def add(
        self, text: str, who: str, lengths: Lengths, *, python: bool, quoted: bool = False
    ) -> None:
        """Add a secret text.

        Args:
            text: Python or prose.
            who: Whose it is, for the leak.
            lengths: From where on it is one.
            python: Which of the two.
            quoted: Its strings may be said to a student.
        """
        code, prose = _code_and_prose(text) if python else ("", [text])
        self._add(code, who, {"code": lengths.code, "renamed": lengths.renamed})
        for line in map(str.strip, code.splitlines()):
            if line not in self.stubs and _says_something(line):
                self._add(
                    line, who, {"code": lengths.line, "renamed": lengths.renamed_line}, "line"
                )
        for part in prose:
            self._add(part, who, {"words": lengths.words}, quoted=quoted)
            for sentence in _END.split(part):
                self._add(sentence, who, {"words": lengths.sentence}, "sentence", quoted=quoted)

    def found(self, text: str, feedback: bool) -> Iterator[str]:
        """Yield what stands in a text; in feedback, what is quoted may."""
        for view, tokens in self._views(text).items():
            for start in range(len(tokens) - START + 1):
                passages = self._by_start.get((view, *tokens[start : start + START]), {})
                for passage, (what, quoted) in passages.items():
                    same = tokens[start : start + len(passage)] == passage
                    if same and not (feedback and quoted):
                        yield what

    def _add(
        self,
        text: str,
        who: str,
        least: Mapping[str, int],
        whole: str = "",
        *,
        quoted: bool = False,
    ) -> None:
        """Add the text as a whole, or all its runs, where it is long enough in a view."""
        views = self._views(text)
        for view, length in least.items():
            tokens = views[view]
            size = max(length, len(tokens) if whole else 0)
            kind = f"a {whole} of" if whole else f"{size} tokens in a row of"
            renamed = ", with other names" * (view == "renamed")
            for start in range(len(tokens) - size + 1):
                passage = tokens[start : start + size]
                if not whole and len(set(passage)) < DIFFERENT:  # such as rows of zeros and ones
                    continue
                beginning = self._by_start.setdefault((view, *passage[:START]), {})
                beginning.setdefault(passage, (f"{kind} {who}{renamed}", quoted))

    def _views(self, text: str) -> dict[str, tuple[str, ...]]:
        folded = text.casefold()
        code = _CODE.findall(folded)
        # Attributes, functions and modules keep their names.
        renamed = (
            "_"
            if token.isidentifier() and token not in self._kept and before != "." and after != "("
            else token
            for before, token, after in zip(["", *code], code, [*code[1:], ""], strict=False)
        )
        return {
            "words": tuple(_WORD.findall(folded)),
            "code": tuple(code),
            "renamed": tuple(renamed),
        }


class _Numbers:
    """Arrays that no student should read.

    Args:
        least: How many significant digits make a number worth a comparison.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._arrays: list[tuple[str, Array]] = []
        self._telling: list[tuple[str, Array]] = []

    def add(self, who: str, array: Array) -> None:
        """Add an array, before anything is looked for."""
        flat = np.abs(array.ravel())
        self._arrays.append((who, flat))
        if array.size >= 4 and not _is_plain(array):
            self._telling.append((who, flat))

    def equal(self, numbers: Array, *, whole: bool) -> Iterator[str]:
        """Yield the arrays that these numbers are, or have in them one after the other.

        A few zeros and ones in a text say nothing; as a whole array they do.
        """
        data = numbers.tobytes()
        for who, array in self._telling if numbers.size >= 4 else ():
            start = data.find(array.tobytes())
            alone = array.size >= 16 or (array.size >= 6 and array.max() > 1)
            if start % numbers.itemsize == 0 and (alone or (whole and array.size == numbers.size)):
                yield f"all numbers of {who}"

    def close(self, numbers: Array) -> Iterator[str]:
        """Yield the arrays of which a number stands here, or several in a row.

        How many digits have to agree follows from how many numbers there are on both sides.
        """
        numbers, digits = _long(numbers, self._least)
        if not numbers.size:
            return
        secret, places, names = self._sorted
        unit = 10.0 ** (np.floor(np.log10(numbers)) - digits + 1)
        low = np.searchsorted(secret, numbers - 0.51 * unit)
        count = np.searchsorted(secret, numbers + 0.51 * unit, "right") - low
        if count.sum() > MAX_PAIRS:
            yield "more numbers than can be compared"
        if not 0 < count.sum() <= MAX_PAIRS:
            return
        here = np.repeat(np.arange(numbers.size), count)
        there = places[np.arange(here.size) + np.repeat(low - np.cumsum(count) + count, count)]
        # In this order numbers that follow each other both here and there are neighbours.
        order = np.lexsort((here, there - here))
        here, there = here[order], there[order]
        apart = (np.diff(there - here) != 0) | (np.diff(here) != 1)
        starts = np.flatnonzero(np.concatenate([[True], apart]))
        sizes = np.diff(starts, append=here.size)
        agreeing = np.add.reduceat(digits[here], starts)
        alone = np.array([np.count_nonzero(digits >= least) for least in range(DIGITS + 1)])
        chances = np.where(sizes > 1, numbers.size, alone[digits[here[starts]]])
        needed = np.maximum(ALONE, np.log10(secret.size * chances) + MARGIN)
        for hit in np.flatnonzero(agreeing >= needed):
            what = f"{sizes[hit]} numbers in a row" if sizes[hit] > 1 else "a number"
            yield f"{what} of {names[there[starts[hit]]]}"

    @functools.cached_property
    def _sorted(self) -> tuple[Array, Array, list[str]]:
        """Return the long numbers by size, the place of each, and whose each place is."""
        values, places = [np.zeros(0)], [np.zeros(0, dtype=int)]
        names: list[str] = []
        for who, array in self._arrays:
            long, _ = _long(array, self._least)
            values.append(long)
            places.append(len(names) + np.arange(long.size))
            names += [who] * long.size + [""]  # a gap: arrays are no neighbours
        together = np.concatenate(values)
        order = np.argsort(together)
        return together[order], np.concatenate(places)[order], names


def _opened(place: str, path: PurePath, data: bytes, *, packed: bool = False) -> _Things:
    """Yield what is in a file, down to texts, numbers and pictures."""
    if path.parts:
        yield place, path
    try:
        if path.suffix.casefold() in CLOSED or len(data) > MAX_BYTES:
            raise ValueError("a kind or a size that is not read")
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
    except Exception as error:  # what is mangled leads its reader to raise whatever it likes
        yield place, _Closed(f"it cannot be looked into ({type(error).__name__})")


def _archive(place: str, data: bytes) -> _Things:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MAX_FILES or sum(member.file_size for member in members) > MAX_BYTES:
            raise ValueError("too large")
        yield place, archive.comment.decode("latin-1")
        for member in members:
            with archive.open(member) as file:  # what an archive says of sizes may be a lie
                inner = file.read(MAX_BYTES + 1)
            where = f"{place}, {member.filename!r:.80}"
            yield from _opened(where, PurePath(member.filename), inner, packed=True)


def _array(place: str, data: bytes) -> _Things:
    file = io.BytesIO(data)
    array = np.load(file, allow_pickle=False)
    if file.read(1):
        raise ValueError("something stands behind the array")
    if array.dtype.kind in "US":
        array = array.astype(str)
        yield place, "\n".join(array.ravel())
    elif array.dtype.kind == "c":
        yield from ((place, part.astype(np.float64)) for part in (array.real, array.imag))
    elif array.dtype.kind in "fiub":
        yield place, array.astype(np.float64)
    else:
        raise ValueError("neither numbers nor text")


def _picture(place: str, data: bytes) -> _Things:
    # Comments, and what stands behind the picture.
    yield place, b"\n".join(_PRINTABLE.findall(data)).decode()
    with Image.open(io.BytesIO(data)) as image:
        frames = getattr(image, "n_frames", 1)
        if image.width * image.height * frames > MAX_PIXELS:
            raise ValueError("too large")
        for number in range(frames):
            image.seek(number)
            yield place, image.convert("RGBA")
        for text in (*image.info.values(), *image.getexif().values()):
            yield place, text.decode("latin-1") if isinstance(text, bytes) else str(text)


def _text(place: str, path: PurePath, text: str) -> _Things:
    if _CONTROL.search(text):
        raise ValueError("not a text")
    if path.suffix == ".ipynb":
        yield from _notebook(place, codec.loads(text))
    elif path.suffix == ".json":
        yield from _texts(place, codec.loads(text))
    else:
        yield place, text


def _notebook(place: str, notebook: Mapping[str, Any]) -> _Things:
    for number, cell in enumerate(notebook["cells"]):
        where = f"{place}, cell {cell.get('id', number)!r:.80}"
        for key, value in cell.items():
            yield from _texts(f"{where}, {key}", value)
        if cell.get("outputs"):
            yield f"{where}, outputs", _Closed("a stored output, which a release never has")
    for key, value in notebook.items():
        if key != "cells":
            yield from _texts(f"{place}, {key}", value)


def _texts(place: str, value: Any, depth: int = 0) -> _Things:
    """Yield every text and number of a JSON value; a list of lines or of numbers is one text."""
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


def _coded(place: str, text: str) -> _Things:
    """Yield what is in a text as base64, such as the pictures in a notebook."""
    for run in _BASE64.findall(text):
        letters = "".join(run.split())
        letters = letters[: len(letters) - (len(letters) % 4 == 1)]
        data = base64.b64decode(letters + "=" * (-len(letters) % 4))
        for where, thing in _opened(f"{place}, base64", PurePath(), data):
            # Long names and digests look like base64 too; they are short, or of one kind.
            if not isinstance(thing, _Closed) or (len(data) >= 150 and _MIXED.match(letters)):
                yield where, thing


def _spellings(text: str) -> Iterator[str]:
    """Yield a text as it is, and without the escapes of HTML, links and JSON."""
    text = _COLOUR.sub("", text)
    others = [html.unescape(_TAG.sub("", text)), urllib.parse.unquote(text)]
    if '\\"' in text or "\\n" in text:
        others.append(_ESCAPED.sub(_unescaped, text))
    yield from dict.fromkeys([text, *others])


def _unescaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else {"n": "\n", "t": "\t"}.get(letter, letter)


def _regions(source: str, *, whole: bool) -> tuple[str, str]:
    """Return what nbgrader takes out of a cell, and what it leaves."""
    if not _MARKER.search(source):
        return (source, "") if whole else ("", source)
    parts: dict[bool, list[str]] = {True: [], False: []}
    inside = False
    for line in source.splitlines():
        if marker := _MARKER.search(line):
            inside = marker[1] == "BEGIN"
        else:
            parts[inside].append(line)
    return "\n".join(parts[True]), "\n".join(parts[False])


def _code_and_prose(python: str) -> tuple[str, list[str]]:
    """Part Python from its comments and its strings of several words, and leave out its headers."""
    prose: list[str] = []

    def cut(match: re.Match[str]) -> str:
        if match[3] is None and len(_WORD.findall(match[2])) < 3:
            return match[0]
        prose.append(_HEADER.sub("", match[2] if match[3] is None else match[3]))
        return "\n"

    return _HEADER.sub("", _STRING_OR_COMMENT.sub(cut, python)), prose


def _says_something(line: str) -> bool:
    """Whether a line of Python is more than `if x is None:`, `return x, y` or `x.go()`."""
    words = len(_WORD.findall(line))
    return words > 2 and not line.endswith(":") and bool(re.search(r"[\d(\[@*/+-]", line))


def _any_of(words: set[str], before: str = r"(?<![\w.-])") -> re.Pattern[str]:
    """Return a pattern of whole words; it matches nothing where there are none."""
    choice = "|".join(map(re.escape, sorted(words)))
    return re.compile(rf"{before}(?:{choice})(?!\w)" if words else r"(?!)")


def _numbers(text: str) -> Array:
    return np.array([float(number) for number in _NUMBER.findall(text)], dtype=np.float64)


def _long(values: Array, least: int = 3) -> tuple[Array, Array]:
    """Return the numbers with so many significant digits or more, and how many they have."""
    values = values[np.isfinite(values) & (values > 1e-300)]
    if not values.size:
        return values, np.zeros(0, dtype=int)
    scaled = values / 10.0 ** np.floor(np.log10(values))
    digits = np.full(values.shape, DIGITS)
    for count in range(DIGITS - 1, 0, -1):
        digits[np.abs(scaled - np.round(scaled, count - 1)) < 1e-7 * scaled] = count
    return values[digits >= least], digits[digits >= least]


def _is_plain(array: Array) -> bool:
    """Whether an array is constant, a range or an identity, which says nothing."""
    flat, side = array.ravel(), math.isqrt(array.size)
    steps = np.diff(flat)
    return bool((steps == steps[0]).all()) or np.array_equal(flat, np.eye(side).ravel())


def _thumbnail(picture: Image.Image) -> Array:
    """Return a picture small and grey, on white."""
    white = Image.new("RGBA", picture.size, "white")
    white.alpha_composite(picture.convert("RGBA"))
    return np.asarray(white.convert("L").resize((48, 48), Image.Resampling.BOX), dtype=np.float64)
