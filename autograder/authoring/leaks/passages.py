"""Runs of words and code that no student should read, and the lengths that make them leaks.

Only the length separates leaks from text that the notebook and staff/ naturally share.
"""

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.cells import parse

NEVER = 1_000_000_000  # more tokens than any text has


@dataclass(frozen=True)
class Lengths:
    """The number of tokens from which a run of a secret, or a whole line or sentence, is a leak.

    Args:
        code: A run in Python.
        renamed: A run in Python, with all variables treated alike.
        line: A whole line of Python.
        renamed_line: A whole line, with all variables treated alike.
        words: A run in prose, strings and comments, without punctuation.
        sentence: A whole sentence there.

    """

    code: int
    renamed: int = NEVER
    line: int = NEVER
    renamed_line: int = NEVER
    words: int = NEVER
    sentence: int = NEVER


# The comments at the right give the longest runs that our release naturally shares with such texts.
ANSWER = Lengths(code=14, renamed=16, line=6, renamed_line=10, words=8, sentence=6)  # 10 11 0 8 4 3
# Files in a folder of staff/: other answers, and texts for markers.
BESIDE = Lengths(code=20, line=12, words=8, sentence=6)  # 13 5 6 2
# The modules of staff/ share idioms with the notebook's own tools.
MODULE = Lengths(code=20, words=14)  # 15 10
# The adapters, which run beside student code, do the same as the notebook's last cell.
ADAPTERS = replace(MODULE, code=48)  # 40 8
START = 5  # the tokens by which passages are looked up; no passage is shorter
SHOWN = 300  # characters of a leak to show to staff: one of its lines can go into `allowed_leaks`
DIFFERENT = 7  # the least different tokens in a run; rows of zeros and ones have fewer

# Names, numbers and signs. Quotes and backslashes are left out, since quoting changes them.
_CODE = re.compile(r"""(?i)[^\W\d]\w*|\d[\d_]*\.?\d*(?:e[-+]?\d+)?|[^\s\w"'`\\]""")
# Names and numbers alone, since copies differ in punctuation and Markdown.
_WORD = re.compile(r"[^\W\d]\w*|\d[\d_]*\.?\d*")
# Python's parser would refuse fragments of a program.
_STRING = r"""[rbfu]{0,2}(?P<quote>"{3}|'{3}|"|')(?P<string>(?:\\.|(?!(?P=quote)).)*?)(?P=quote)"""
_STRING_OR_COMMENT = re.compile(rf"(?is){_STRING}|#(?P<comment>[^\n]*)")
# A sentence ends at a stop before a space, so that 0.5 and np.eye stay whole, or with its
# paragraph.
_END = re.compile(r"[.?!:;](?=\s|$)|\n\s*\n")
# Signatures and imports are not answers: the release states them itself.
_HEADER = re.compile(r"(?m)^[ \t]*(?:from|import|(?:async\s+)?def|class)\b.*$")
# An import keeps its name in every answer.
_IMPORT = re.compile(r"(?m)^[ \t]*(?:from|import)\b(.*)$")
# Phrases that everybody writes, whatever the answer is.
_IDIOM = re.compile(
    r"\w+ = np\.random\.default_rng\(\w*\)|\w+ = np\.random\.RandomState\(\w*\)"
    r"|torch\.manual_seed\(\w+\)|np\.random\.seed\(\w+\)|torch\.set_num_threads\(\d+\)"
    r"|(?:fig|figure|_), \w+ = plt\.subplots\([^()]*(?:\([^()]*\)[^()]*)?\)"
    r"|raise NotImplementedError\(.*\)"
)
# A number, an index, a list, a call with arguments or a calculation.
_DOES_SOMETHING = re.compile(r"[\d(\[@*/+-]")


class Passages:
    """Runs of tokens that no student should read, in three views of a text.

    "words" has no punctuation, "code" has it, and "renamed" treats all variables alike.

    Args:
        sources: The notebook's code; its imports are not variables.

    """

    def __init__(self, sources: Iterable[str]) -> None:
        imports = (part for text in sources for part in _IMPORT.findall(text))
        imported = (word for part in imports for word in _WORD.findall(part))
        self._kept = {word.casefold() for word in ("self", *keyword.kwlist, *imported)}
        self._by_start: dict[tuple[str, ...], dict[tuple[str, ...], tuple[str, bool]]] = {}
        self.stubs: set[str] = set()
        """Lines that the release shows in its answer cells."""

    def add(
        self, text: str, who: str, lengths: Lengths, *, python: bool, quoted: bool = False
    ) -> None:
        """Add a secret text, Python or prose, and whose it is; `quoted` strings may be feedback."""
        code, prose = _code_and_prose(text) if python else ("", [text])
        code = "\n".join(one for one in code.splitlines() if not _IDIOM.fullmatch(one.strip()))
        self._add(code, who, {"code": lengths.code, "renamed": lengths.renamed})
        least = {"code": lengths.line, "renamed": lengths.renamed_line}
        for line in map(str.strip, code.splitlines()):
            if line not in self.stubs and _says_something(line):
                self._add(line, who, least, "line")
        for part in prose:
            self._add(part, who, {"words": lengths.words}, quoted=quoted)
            for sentence in _END.split(part):
                self._add(sentence, who, {"words": lengths.sentence}, "sentence", quoted=quoted)

    def found(self, text: str, *, feedback: bool) -> Iterator[str]:
        """Yield the leaks in a text; feedback may contain quotable strings."""
        for view, tokens in self._views(text).items():
            runs: dict[str, tuple[int, int]] = {}
            for start in range(len(tokens) - START + 1):
                passages = self._by_start.get((view, *tokens[start : start + START]), {})
                for passage, (what, quoted) in passages.items():
                    end = start + len(passage)
                    if tokens[start:end] == passage and not (feedback and quoted):
                        first, last = runs.get(what, (start, end))
                        runs[what] = first, max(last, end) if start <= last else last
            pattern = _WORD if view == "words" else _CODE
            for what, (first, last) in runs.items():
                places = [match.span() for match in pattern.finditer(text)]
                there = " ".join(text[places[first][0] : places[last - 1][1]].split())
                yield f"{what}: `{there[:SHOWN]}{' ...' * (len(there) > SHOWN)}`"

    def _add(
        self,
        text: str,
        who: str,
        least: Mapping[str, int],
        whole: str = "",
        *,
        quoted: bool = False,
    ) -> None:
        views = self._views(text)
        for view, length in least.items():
            tokens = views[view]
            size = max(length, len(tokens) if whole else 0)
            kind = f"a {whole} of" if whole else f"{size} tokens in a row of"
            renamed = ", with other names" * (view == "renamed")
            for start in range(len(tokens) - size + 1):
                passage = tokens[start : start + size]
                if whole or len(set(passage)) >= DIFFERENT:
                    beginning = self._by_start.setdefault((view, *passage[:START]), {})
                    beginning.setdefault(passage, (f"{kind} {who}{renamed}", quoted))

    def _views(self, text: str) -> dict[str, tuple[str, ...]]:
        code = [token.casefold() for token in _CODE.findall(text)]
        # Attributes, functions and modules keep their names.
        renamed = (
            "_"
            if token.isidentifier() and token not in self._kept and before != "." and after != "("
            else token
            for before, token, after in zip(["", *code], code, [*code[1:], ""], strict=False)
        )
        return {
            "words": tuple(token.casefold() for token in _WORD.findall(text)),
            "code": tuple(code),
            "renamed": tuple(renamed),
        }


def with_edits(python: str, answers: Sequence[str]) -> str:
    """Return a known answer with the lines from its EDITS, which are code, instead of EDITS itself."""
    try:
        tree = parse(python)
    except SyntaxError:
        return python
    lines = python.splitlines()
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name("EDITS")], ast.Dict(keys, values)):
                made = [
                    _edited_lines(source, old.value, new.value)
                    for old, new in zip(keys, values, strict=True)
                    if isinstance(old, ast.Constant) and isinstance(new, ast.Constant)
                    for source in answers
                    if str(old.value) in source
                ]
                lines[node.lineno - 1 : node.end_lineno] = made
                return "\n".join(lines)
    return python


def _edited_lines(source: str, old: object, new: object) -> str:
    before, _, after = source.partition(str(old))
    return before[before.rfind("\n") + 1 :] + str(new) + after.split("\n")[0]


def _code_and_prose(python: str) -> tuple[str, list[str]]:
    prose: list[str] = []

    def cut(match: re.Match[str]) -> str:
        said = match["string"] or match["comment"] or ""
        if match["comment"] is None and len(_WORD.findall(said)) < 3:  # a key, a name, a mode
            return match[0]
        prose.append(_HEADER.sub("", said))
        return "\n"

    return _HEADER.sub("", _STRING_OR_COMMENT.sub(cut, python)), prose


def _says_something(line: str) -> bool:
    """Return whether a line of Python is more than `if x is None:`, `return x, y` or `x.go()`."""
    several = len(_WORD.findall(line)) > 2
    return several and not line.endswith(":") and bool(_DOES_SOMETHING.search(line))


def without_shown(python: str) -> str:
    """Return a spec.py without the values of `shown`, which students are meant to see."""
    try:
        tree = parse(python)
    except SyntaxError:
        return python
    shown = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "shown"
    ]
    names = {value.id for value in shown if isinstance(value, ast.Name)}
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    shown += [one.value for one in assigned if names & {ast.unparse(t) for t in one.targets}]
    lines = [line.encode() for line in python.split("\n")]
    for value in sorted(shown, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
        lines[first : last + 1] = [
            lines[first][: value.col_offset] + b"()" + lines[last][value.end_col_offset :]
        ]
    return b"\n".join(lines).decode()
