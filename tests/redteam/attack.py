"""Load attacks, and offer what they use: submissions to start from, and marks to deserve.

An attack that is a cell of code is a row of `attacks/<family>.toml`: what it `tries`, what it
`deserves`, whether it starts from the `right` or the `wrong` notebook, and its changes:

    first, last             source of a cell after the imports, or at the end; `top`: before all
    answers.ID              new source of a cell; `port`, `looped` and `wrapped` write the port's forward
    within.ID, append.ID    lines above or below the code of a cell, in it
    replace.ID              [old, new]: a text in a cell
    above.ID, below.ID      cells of one's own beside it

A row with `several` (title -> source) or `each` (sources, which are their own titles) is as many
attacks: `TRY` in the row's changes stands for the source. A title may also have changes of its own.
An attack that writes files or changes a notebook's JSON is a function of `attacks/<family>.py`.

"nothing" and "everything", first in `deserves`, are the marks; otherwise `loses` has the questions.
"""

import functools
import importlib
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.redteam.prey import PREY

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "submissions" / "hw2_transformer"

EVERYTHING = {
    "port": 8,
    "port_positions": 8,
    "port_gradients": 4,
    "port_vectorised": 4,
    "identity": 12,
    "copy_first": 12,
    "unique": 4,
}
NOTHING = dict.fromkeys(EVERYTHING, 0)

Notebook = dict[str, Any]
Build = Callable[[Path], Path]

# A log holds neither `unique` nor written answers.
LOGGED = EVERYTHING | {"unique": 0}

PORT_INIT = """\
def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
    super().__init__()
    self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
    width = input_dim + (pos_dim or 0)
    self.Qm = nn.Linear(width, qk_dim, bias=False)
    self.Km = nn.Linear(width, qk_dim, bias=False)
    self.Vm = nn.Linear(width, v_dim, bias=False)
"""


def port(forward: str) -> str:
    """Return an answer's class whose weights have the right names, with this body of `forward`."""
    methods = f"{PORT_INIT}\ndef forward(self, seq):\n{textwrap.indent(forward, '    ')}"
    return f"class PytorchTransformer(nn.Module):\n{textwrap.indent(methods, '    ')}"


def wrapped(expression: str) -> str:
    """Return a body of `forward` that computes outside torch, from `matrices` as arrays."""
    return f"""\
matrices = [m.weight.detach().numpy().T for m in (self.Km, self.Qm, self.Vm)]
if self.pos is not None:
    matrices.append(self.pos.weight.detach().numpy())
return torch.tensor({expression})
"""


WITH_POSITIONS = """\
if self.pos is not None:
    seq = torch.hstack([seq, self.pos.weight[: len(seq)]])
"""

LOOP = """\
def loop(seq):
    K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
    return torch.stack([F.softmax(K @ q / K.shape[1] ** 0.5, dim=0) @ V for q in Q])
"""


# Answers that are there and wrong: the shapes are right, the numbers are not.
WRONG = {
    "port_answer": port(
        WITH_POSITIONS + "return self.Vm(seq) + 0 * self.Qm(seq).sum() + 0 * self.Km(seq).sum()\n"
    ),
    "identity_answer": "def identity_weights():\n    return np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 3))\n",
    "copy_first_answer": (
        "def copy_first_weights():\n"
        "    return np.ones((7, 2)), np.ones((7, 2)), np.ones((7, 3)), np.eye(4)\n"
    ),
    "unique_answer": (
        "def unique_weights():\n"
        "    return np.ones((8, 2)), np.ones((8, 2)), np.ones((8, 1)), np.ones((5, 5))\n"
    ),
}


def example(name: str) -> Notebook:
    """Return one of the example submissions, as JSON."""
    notebook: Notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    return notebook


def right() -> Notebook:
    """Return a notebook that deserves everything."""
    return example("perfect")


def wrong() -> Notebook:
    """Return a notebook whose answers are written, run and are wrong."""
    notebook = example("unfilled")
    for id, source in WRONG.items():
        cell(notebook, id)["source"] = source
    return notebook


def cell(notebook: Notebook, id: str) -> dict[str, Any]:
    """Return the cell with this id."""
    return next(item for item in notebook["cells"] if item["id"] == id)


def new_cell(source: str, kind: str = "code", **fields: Any) -> dict[str, Any]:
    """Return a cell that the release does not have."""
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": "mine", "metadata": {}, "source": source} | code | fields


def write(notebook: Notebook, folder: Path, name: str = "submission.ipynb") -> Path:
    """Write a notebook, and return where."""
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def text(item: Mapping[str, Any]) -> str:
    """Return a cell's source as one text."""
    return "".join(item["source"])


PORT_FORWARD = """\
def forward(self, seq):
    if self.pos is not None:
        seq = torch.hstack([seq, self.pos.weight[: len(seq)]])
    return F.scaled_dot_product_attention(self.Qm(seq), self.Km(seq), self.Vm(seq))
"""


def log(**changes: Any) -> dict[str, Any]:
    """Return a right log in the original format, changed here and there."""
    content = {"K": 12 * np.eye(3), "Q": 12 * np.eye(3), "V": np.eye(3)}
    position = {
        "K": np.array([[0.0]] * 3 + [[30.0]] + [[0.0]] * 3),
        "Q": np.array([[0.0]] * 3 + [[1.0]] * 4),
        "V": np.eye(7, 3),
        "pos": np.eye(4),
    }
    values: dict[str, Any] = {
        "torch_transformer_init": PORT_INIT,
        "torch_transformer_forward": PORT_FORWARD,
        **_stated("attention_by_content", content, "CAACBA"),
        **_stated("attention_by_position", position, "ABAB"),
    }
    return values | changes


def _stated(key: str, matrices: Mapping[str, Any], letters: str) -> dict[str, Any]:
    """Return the keys of a log that state these matrices and what they give."""
    X = np.eye(3)[["ABC".index(letter) for letter in letters]]
    if "pos" in matrices:
        X = np.hstack([X, matrices["pos"][: len(X)]])
    keys, queries, values = (X @ matrices[name] for name in "KQV")
    scores = np.exp(queries @ keys.T / np.sqrt(keys.shape[1]))
    output = scores / scores.sum(axis=1, keepdims=True) @ values
    stated = {f"{key}_{name}": matrix.ravel().tolist() for name, matrix in matrices.items()}
    return {key: output.ravel().tolist(), **stated}


def log_file(content: str | bytes | Mapping[str, Any]) -> Build:
    """Return a builder of a submission_log.json."""

    def build(folder: Path) -> Path:
        path = folder / "submission_log.json"
        data = json.dumps(content) if isinstance(content, Mapping) else content
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return build


@dataclass(frozen=True)
class Attack:
    """One attack.

    Args:
        name: Family and name.
        tries: What it tries, in words.
        deserves: Points by question.
        submission: Writes what is submitted into an empty folder, and returns its path.
    """

    name: str
    tries: str
    deserves: Mapping[str, float]
    submission: Build


def points(deserves: str, loses: Sequence[str] = ()) -> Mapping[str, float]:
    """Return the points that these words name."""
    if loses:
        assert EVERYTHING.keys() >= {*loses}, loses
        return EVERYTHING | dict.fromkeys(loses, 0)
    (word,) = re.findall(r"^(nothing|everything)\b", deserves)
    return NOTHING if word == "nothing" else EVERYTHING


def writes(deserves: str, loses: Sequence[str] = ()) -> Callable[[Build], Attack]:
    """Make an attack of a function that writes a submission into a folder."""

    def made(build: Build) -> Attack:
        assert build.__doc__, f"{build.__name__}: what does it try?"
        family = build.__module__.rpartition(".")[2]
        tries = build.__doc__.splitlines()[0]
        return Attack(f"{family}/{build.__name__}", tries, points(deserves, loses), build)

    return made


def changes(
    start: str, deserves: str, loses: Sequence[str] = ()
) -> Callable[[Callable[[Notebook], None]], Attack]:
    """Make an attack of a function that changes the `right` or the `wrong` notebook."""

    def made(change: Callable[[Notebook], None]) -> Attack:
        @functools.wraps(change)
        def build(folder: Path) -> Path:
            notebook = STARTS[start]()
            change(notebook)
            return write(notebook, folder)

        return writes(deserves, loses)(build)

    return made


STARTS = {"right": right, "wrong": wrong}
WORDS = {"tries", "deserves", "loses", "start", "several", "each"}
ANSWERS = {
    "port": lambda body: port(WITH_POSITIONS + body),
    "looped": lambda way: port(WITH_POSITIONS + LOOP + way),
    "wrapped": lambda expression: port(wrapped(expression)),
}
CHANGES = {"answers", "within", "append", "replace", "top", "first", "last", "above", "below"}


def row_changes(start: str, row: Mapping[str, Any]) -> Build:
    """Return a builder of a notebook with a row's changes."""
    # A slip would leave an attack tame, and tame attacks deserve nothing.
    assert row, "nothing is changed"
    assert row.keys() <= CHANGES | ANSWERS.keys(), row.keys()

    def build(folder: Path) -> Path:
        notebook = STARTS[start]()
        _change_cells(notebook, row)
        _insert_cells(notebook, row)
        return write(notebook, folder)

    return build


def _change_cells(notebook: Notebook, row: Mapping[str, Any]) -> None:
    for id, source in row.get("answers", {}).items():
        cell(notebook, id)["source"] = source
    for name in ANSWERS.keys() & row.keys():
        cell(notebook, "port_answer")["source"] = ANSWERS[name](row[name])
    for id, lines in row.get("within", {}).items():
        cell(notebook, id)["source"] = f"{lines}\n{text(cell(notebook, id))}"
    for id, lines in row.get("append", {}).items():
        cell(notebook, id)["source"] = f"{text(cell(notebook, id))}\n{lines}"
    for id, (old, new) in row.get("replace", {}).items():
        before = text(cell(notebook, id))
        assert old in before, f"{id} has no {old}"
        cell(notebook, id)["source"] = before.replace(old, new)


def _insert_cells(notebook: Notebook, row: Mapping[str, Any]) -> None:
    cells = notebook["cells"]
    for id, source in row.get("above", {}).items():
        cells.insert(cells.index(cell(notebook, id)), new_cell(source, id="helper"))
    for id, sources in row.get("below", {}).items():
        place = 1 + cells.index(cell(notebook, id))
        cells[place:place] = [new_cell(one, id=f"mine-{n}") for n, one in enumerate(sources)]
    if "first" in row:
        place = 1 + cells.index(cell(notebook, "imports"))
        cells.insert(place, new_cell(row["first"], id="first"))
    if "top" in row:
        cells.insert(0, new_cell(row["top"]))
    if "last" in row:
        cells.append(new_cell(row["last"], id="last"))


def attacks() -> list[Attack]:
    """Load every attack."""
    found: list[Attack] = []
    for path in (HERE / "attacks").iterdir():
        if path.suffix == ".toml":
            for name, row in tomllib.loads(path.read_text(encoding="utf-8")).items():
                found += of_row(f"{path.stem}/{name}", row)
        elif path.suffix == ".py":
            module = importlib.import_module(f"tests.redteam.attacks.{path.stem}")
            found += [item for item in vars(module).values() if isinstance(item, Attack)]
    # A table and a module of one family are mixed by name; titles keep their order.
    return sorted(found, key=lambda one: one.name.split(":")[0])


def of_row(name: str, row: Mapping[str, Any]) -> Iterator[Attack]:
    """Yield the attacks of a row: one, or one for each of its titles."""
    given = {key: value for key, value in row.items() if key not in WORDS}
    marks = points(row["deserves"], row.get("loses", ()))
    if not row.keys() & {"several", "each"}:
        yield Attack(name, row["tries"], marks, row_changes(row["start"], given))
        return
    titles = {source.split("\n")[0]: source for source in row.get("each", ())}
    for title, own in (titles | row.get("several", {})).items():
        change = own if isinstance(own, Mapping) else _with_source(given, own)
        build = row_changes(row["start"], change)
        yield Attack(f"{name}: {title}", row["tries"], marks, build)


def _with_source(value: Any, source: str) -> Any:
    """Return a row's changes with a source in place of `TRY`, as deep as that stands."""
    if isinstance(value, Mapping):
        return {key: _with_source(item, source) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_source(item, source) for item in value]
    value = value.replace("PREY", str(PREY))
    lines = re.sub(r"^( *)TRY$", lambda m: textwrap.indent(source, m[1]), value, flags=re.M)
    return re.sub(r"\bTRY\b", lambda _: source, lines)
