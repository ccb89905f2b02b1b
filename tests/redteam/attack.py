"""What an attack file may use: submissions to start from, and marks to deserve.

An attack is a file `<family>/<name>.py` with a docstring (what it tries, what it deserves),
`DESERVES` (points by question) and `submission`, which writes what is submitted into an empty
folder and returns its path. One with many small attacks has `ATTACKS` in place of `submission`:
title -> such a writer. A file of `honest/` has `HONEST`: all of it is odd, right, and deserves
everything.
"""

import importlib
import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

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


def looped(way: str) -> str:
    """Return a right port that works in a loop, which it calls in some way: `loop(seq)`."""
    return port(WITH_POSITIONS + LOOP + way)


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


def edited(
    base: Callable[[], Notebook],
    *,
    first: str = "",
    last: str = "",
    answers: Mapping[str, str] | None = None,
    change: Callable[[Notebook], object] = lambda notebook: None,
) -> Build:
    """Return a builder of a notebook with cells added or replaced.

    Args:
        base: `right` or `wrong`.
        first: Source of a cell put after the imports.
        last: Source of a cell put at the end.
        answers: Cell id -> new source.
        change: Does anything else to the notebook.
    """

    def build(folder: Path) -> Path:
        notebook = base()
        for id, source in (answers or {}).items():
            cell(notebook, id)["source"] = source
        if first:
            place = 1 + notebook["cells"].index(cell(notebook, "imports"))
            notebook["cells"].insert(place, new_cell(first, id="first"))
        if last:
            notebook["cells"].append(new_cell(last, id="last"))
        change(notebook)
        return write(notebook, folder)

    return build


def each(
    base: Callable[[], Notebook], before: str, sources: Mapping[str, str], *, after: str = ""
) -> Mapping[str, Build]:
    """Return a builder for each title, of a notebook that ends in one try.

    Args:
        base: `right` or `wrong`.
        before: What all tries need.
        sources: Title -> the try; that it is refused is no failure of the cell.
        after: What follows it.
    """
    built = {}
    for title, source in sources.items():
        tried = f"try:\n{textwrap.indent(source, '    ')}\nexcept (OSError, ValueError) as e:\n    print(e)"
        built[title] = edited(base, last=f"{before}\n{tried}\n{after}")
    return built


def below(id: str, *sources: str) -> Build:
    """Return a builder of a right notebook with cells of one's own below one of its cells."""

    def change(notebook: Notebook) -> None:
        place = 1 + notebook["cells"].index(cell(notebook, id))
        notebook["cells"][place:place] = [
            new_cell(source, id=f"mine-{n}") for n, source in enumerate(sources)
        ]

    return edited(right, change=change)


def above(id: str, source: str, *, use: tuple[str, str], last: str) -> Build:
    """Return a builder of a right notebook with a cell above an answer, which uses what it defines."""

    def change(notebook: Notebook) -> None:
        answer = cell(notebook, id)
        answer["source"] = text(answer).replace(*use)
        notebook["cells"].insert(notebook["cells"].index(answer), new_cell(source, id="helper"))

    return edited(right, last=last, change=change)


def within(id: str, line: str) -> Build:
    """Return a builder of a right notebook with a line above the code of an answer, in its cell."""

    def change(notebook: Notebook) -> None:
        answer = cell(notebook, id)
        answer["source"] = f"{line}\n{text(answer)}"

    return edited(right, change=change)


def returned(id: str, expression: str) -> Build:
    """Return a builder of a right notebook in which a design returns its matrices in another form."""

    def change(notebook: Notebook) -> None:
        answer = cell(notebook, id)
        answer["source"] = text(answer).replace("return Km, Qm, Vm", f"return {expression}")
        assert expression in answer["source"]

    return edited(right, change=change)


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
    """One file of this folder, loaded."""

    name: str
    tries: str
    deserves: Mapping[str, float]
    submission: Build


def attacks() -> list[Attack]:
    """Load every attack."""
    found = []
    for path in sorted(HERE.glob("*/*.py")):
        name = f"{path.parent.name}/{path.stem}"
        module = importlib.import_module(f"tests.redteam.{path.parent.name}.{path.stem}")
        assert module.__doc__, f"{name}: what does it try, and what does it deserve?"
        deserves = EVERYTHING if hasattr(module, "HONEST") else module.DESERVES
        several = getattr(module, "HONEST", None) or getattr(module, "ATTACKS", {})
        for title, build in several.items():
            found.append(Attack(f"{name}: {title}", module.__doc__, deserves, build))
        if several:
            continue
        found.append(
            Attack(name, module.__doc__.splitlines()[0], module.DESERVES, module.submission)
        )
    return found
