"""A search for parts of a solution, a hidden case or staff/ in a release or a message.

Text in a provided cell also counts: an author may paste an answer into a hint.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from PIL import Image

from autograder.authoring import kit_cells, markers
from autograder.authoring.leaks import contents, digits, passages
from autograder.authoring.shown_checks import follows
from autograder.course import course as courses
from autograder.course import known_answers, rubrics
from autograder.course.cells import cells_of
from autograder.records import codec
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Array, Inputs, Value

SHORT = 5  # characters: a student who wrote a short line such as `pass` has quoted nothing
MANY = 10_000  # numbers of a value: of larger ones, such as weights, some agree with any text by chance
LONG = 8  # characters: a longer secret of a course is also searched for inside words
STAYS = {"staff", "__pycache__"}  # folders that students never get
SOLUTIONS = {"solution", "solutions"}  # no file for students has such a name
NO_SECRETS = {"tests", "__pycache__"}  # folders of staff/ without secrets: tests quote the notebook
GAP = " \0 "  # replaces permitted text; no passage runs across it

_FOLDERS = "home|users|tmp|private|mnt|opt|srv|work|workspace|var/folders|usr/(?:local/)?lib"
# A machine's own folders, preceded by no word, link or fraction; those of Windows; and any folder
# of Python packages.
_ABSOLUTE = re.compile(
    rf"(?i)(?:(?<![\w.:/~-])|(?<=file://))/(?:(?:{_FOLDERS})/[\w.-]|root\b)"
    r"|(?<![a-z])[a-z]:[\\/]+(?:users|windows|program files|temp)\b"
    r"|[\\/](?:site|dist)-packages[\\/]"
)


@dataclass(frozen=True)
class Leak:
    """A fragment that a student must not get, and its place; for staff only."""

    place: str
    what: str


class Secrets:
    """Everything of one homework that a student must not get; `of` collects it."""

    def __init__(self, homework: Homework, cells: Sequence[Cell]) -> None:
        sources = {cell.id: cell.source for cell in cells}
        seen = [text for text in homework.allowed_leaks if text not in sources]
        # `release` publishes the inputs of `shown`, so they are no secret, whatever they repeat in
        # spec.py.
        seen += filter(follows, sources.values())
        fragments = [text.split() for text in seen]
        self._name = homework.name
        self._given_texts = [re.compile(r"\s+".join(map(re.escape, text))) for text in fragments]
        # The kit's cells are the same in every notebook; `release` refuses changed ones.
        ours = kit_cells.EVERY if "check_tool" in sources else ()
        self._kit = {sources[id] for id in ours if id in sources}
        self._allowed = set(homework.allowed_leaks)
        self._given_cells = sources.keys() & set(homework.allowed_leaks)
        self._answers = [cell.source for cell in cells if cell.role == "answer"]
        given = "\n".join(sources[id] for id in self._given_cells)
        self._given_numbers, _ = digits.long_numbers(digits.numbers_in(given), least=3)
        self._passages = passages.Passages(cell.source for cell in cells if cell.type == "code")
        # Computed numbers are printed with few digits; short numbers in source code are mostly
        # sizes.
        self._computed = digits.Numbers(least=3)
        self._written = digits.Numbers(least=digits.ALONE)
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
        """Collect the secrets of a homework."""
        source = course / "source" / homework.name
        notebook = codec.loads((source / f"{homework.name}.ipynb").read_bytes())
        cells = cells_of(notebook)
        secrets = cls(homework, cells)
        for cell, node in zip(cells, notebook["cells"], strict=True):
            secrets._add_cell(cell, node)
        for path in sorted((source / "staff").rglob("*")):
            own = path.relative_to(source)
            if not path.is_file() or NO_SECRETS & set(own.parts):
                continue
            if path.name not in known_answers.TABLES:
                secrets._add_staff(own, path.read_bytes())
                continue
            secrets._staff.add(own)
            for name, written in known_answers.tables(path, str(own)).items():
                module = known_answers.as_module(written)
                place = own.parent / path.stem / f"{name}.py"
                secrets._add_staff(place, module.encode(), who=f"[{name}] of {own}")
        for log in logs:
            for outcome in log.outcomes:
                if _count(outcome.value) <= MANY:
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
        """Return the secrets in a text of any kind, except lines of a student's own code.

        Feedback may quote messages, nudges and explanations from strings in staff/*.py.
        """
        for line in sorted(map(str.strip, own.splitlines()), key=len, reverse=True):
            text = text.replace(line, GAP) if len(line) > SHORT else text
        return list(dict.fromkeys(self._in_text(place, text, feedback)))

    def leaks_in_files(self, files: Mapping[Path, bytes]) -> list[Leak]:
        """Return the secrets in a release's files, and the files that cannot be searched."""
        found: dict[Leak, None] = {}
        for path, data in sorted(files.items()):
            place = f"release/{self._name}/{path.name if path.is_absolute() else path.as_posix()}"
            # Of the notebook, only texts and cells can be allowed.
            allowed = len(path.parts) > 1 and path.as_posix() in self._allowed
            for where, thing in contents.opened(place, path, data):
                if allowed and isinstance(thing, contents.Closed):
                    continue
                found |= dict.fromkeys(self._in_thing(where, thing))
        return list(found)

    def _add_cell(self, cell: Cell, node: Mapping[str, Any]) -> None:
        answer = cell.role in ("answer", "written")
        secret, stub = markers.parted(cell.source, answer=answer)
        called = cell.grade_id or cell.id
        who = f"the answer {called!r}" if answer else f"what is hidden in {called!r}"
        if answer:
            self._passages.stubs.update(map(str.strip, stub.splitlines()))
            # A release keeps the pictures that it shows.
            pictures = node.get("attachments") or {}
            unseen = [data for name, data in pictures.items() if not markers.shows(stub, name)]
            self._add_pictures(cell.id, unseen)
        self._passages.add(secret, who, passages.ANSWER, python=cell.type == "code")
        self._written.add(who, digits.numbers_in(secret))

    def _add_staff(self, path: PurePath, data: bytes, *, who: str = "") -> None:
        who, python = who or path.as_posix(), path.suffix == ".py"
        lengths = passages.BESIDE
        if python and len(path.parts) == 2:
            adapters = path.name == "adapters.py"
            lengths = passages.ADAPTERS if adapters else passages.MODULE
        if path.stem != "__init__":
            self._staff.add(path)
        for _, thing in contents.opened("", path, data):
            if isinstance(thing, str):
                thing = rubrics.secret(thing) if path.parts[1] == "rubrics" else thing
                thing = passages.with_edits(thing, self._answers) if python else thing
                thing = passages.without_shown(thing) if path.name == "spec.py" else thing
                self._passages.add(thing, who, lengths, python=python, quoted=python)
                self._written.add(who, digits.numbers_in(thing))
            elif isinstance(thing, np.ndarray):
                self._computed.add(who, thing)
            elif isinstance(thing, Image.Image):
                self._pictures += [(who, small) for small in contents.thumbnails(thing)]

    def _add_values(self, who: str, value: object) -> None:
        if isinstance(value, Mapping):
            for name, item in value.items():
                self._add_values(f"{who} ({name})", item)
        elif isinstance(value, str):
            self._passages.add(value, who, passages.BESIDE, python=False)
        elif value is not None:
            try:
                self._computed.add(who, np.asarray(value, dtype=np.float64))
            except (TypeError, ValueError):
                for item in value if isinstance(value, Sequence) else ():
                    self._add_values(who, item)

    def _add_pictures(self, id: str | None, value: object) -> None:
        if id not in self._given_cells:
            for picture in contents.pictures(value):
                self._pictures += [
                    (f"cell {id!r}", small) for small in contents.thumbnails(picture)
                ]

    def _add_names(self, course: Path, questions: set[str]) -> None:
        kinds = ("wrong", "right", "mistakes")
        stems = {path.stem for path in self._staff if path.parts[1] in kinds}
        names = {path.name for path in self._staff}
        # A mistake's name such as `no_softmax` identifies a file; in a text it may be any variable.
        self._file_names = names | {stem for stem in stems - questions if "_" in stem}
        long_names = names | {stem for stem in stems - questions if stem.count("_") > 1}
        below = {part for path in self._staff for part in (path.parts[1], path.stem)}
        home = {str(course.resolve()), str(Path.home())} - {"/"}
        self._names = [
            (markers.MARKER, "a marker of nbgrader"),
            (_ABSOLUTE, "an absolute path"),
            (_any_of(home), "an absolute path"),
            (_any_of(long_names), "the name of a file of staff/"),
            (_any_of(below, r"\bstaff[/\\.]"), "a path into staff/"),
            (_any_of({self._name}, r"\b(?:source|solutions)[/\\]"), "a folder that never goes out"),
            (_course_secret(courses.read(course).secret), "the course's secret"),
        ]

    def _in_thing(self, place: str, thing: contents.Thing) -> Iterator[Leak]:
        match thing:
            case str():
                if thing not in self._kit:
                    yield from self._in_text(place, thing, feedback=False)
            case contents.Closed(why):
                yield Leak(place, why)
            case PurePath():
                yield from (Leak(place, what) for what in self._in_name(thing))
            case np.ndarray():
                yield from (Leak(place, what) for what in self._in_numbers(thing, whole=True))
            case Image.Image():
                yield from (Leak(place, what) for what in self._in_picture(thing))

    def _in_text(self, place: str, text: str, feedback: bool) -> Iterator[Leak]:
        for spelling in contents.spellings(text):
            for fragment in self._given_texts:
                spelling = fragment.sub(GAP, spelling)
            yield from (Leak(place, what) for name, what in self._names if name.search(spelling))
            found = self._passages.found(spelling, feedback=feedback)
            yield from (Leak(place, what) for what in found)
            numbers = digits.numbers_in(spelling)
            yield from (Leak(place, what) for what in self._in_numbers(numbers, whole=False))
        for where, thing in contents.coded(place, text):
            yield from self._in_thing(where, thing)

    def _in_name(self, path: PurePath) -> Iterator[str]:
        parts = [part.casefold() for part in path.parts]
        words = {word for part in parts for word in re.split(r"[^a-z]+", part)}
        if path.is_absolute() or ".." in parts:
            yield "a path that leaves the folder"
        if any(part.startswith(".") for part in parts) or "checkpoint.ipynb" in parts[-1]:
            yield "a hidden file, or one of an editor"
        if STAYS & set(parts) or SOLUTIONS & words:
            yield "named like a folder that never goes out"
        if {path.name, path.stem} & self._file_names:
            yield "named like a file of staff/"
        yield from (leak.what for leak in self._in_text("", path.as_posix(), feedback=False))

    def _in_numbers(self, values: Array, *, whole: bool) -> Iterator[str]:
        # Without signs, because a minus may be an operator; also transposed, like torch's weights.
        for order in (values, values.T) if values.ndim > 1 else (values,):
            numbers = np.abs(order.ravel())
            numbers = numbers[~np.isin(numbers, self._given_numbers)]
            yield from self._computed.equal(numbers, whole=whole)
            yield from self._written.close(numbers)
            yield from self._computed.close(numbers)

    def _in_picture(self, picture: Image.Image) -> Iterator[str]:
        for mine, (who, theirs) in product(contents.thumbnails(picture), self._pictures):
            if contents.alike(mine, theirs):
                yield f"a picture of {who}"
                return


def _any_of(words: set[str], before: str = r"(?<![\w.-])") -> re.Pattern[str]:
    choice = "|".join(map(re.escape, sorted(words)))
    return re.compile(rf"{before}(?:{choice})(?!\w)" if words else r"(?!)")


def _course_secret(secret: str) -> re.Pattern[str]:
    if len(secret) > LONG:
        return re.compile(re.escape(secret))
    # A short word may occur anywhere, so it is no secret.
    return _any_of(set() if secret.isalpha() else {secret})


def _count(value: Value | None) -> int:
    return sum(np.size(item) for item in (value or {}).values() if not isinstance(item, str))
