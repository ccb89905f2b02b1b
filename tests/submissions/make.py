"""Write the example submissions: the releases, filled in as students might.

python tests/submissions/make.py
"""

from pathlib import Path

import nbformat
from answers_on_paper import ON_PAPER
from nbformat import NotebookNode, v4

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAME = "hw2_transformer"
PROOFS = "hw3_proofs"

LOOPED_PORT = """\
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            input_dim = input_dim + pos_dim
        else:
            self.pos = None
        self.qk_dim = qk_dim
        self.Qm = nn.Linear(input_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: seq.shape[0]]], dim=-1)
        K = self.Km(seq)
        Q = self.Qm(seq)
        V = self.Vm(seq)
        rows = []
        for q in Q:
            scores = torch.matmul(K, q) / np.sqrt(self.qk_dim)
            rows.append(torch.matmul(F.softmax(scores, dim=-1), V))
        return torch.stack(rows)
"""
IDENTITY_OF_THE_SOURCE = """\
def identity_weights():
    return 5.0 * np.eye(3), 9.0 * np.eye(3), np.eye(3)
"""
COPY_FIRST_OF_THE_SOURCE = """\
def copy_first_weights():
    pos = np.eye(4)
    Km = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0]])
    Qm = np.array([[0.0], [0.0], [0.0], [1.0], [0.0], [0.0], [0.0]])
    Vm = np.concatenate([np.eye(3), np.zeros((4, 3))])
    return Km, Qm, Vm, pos
"""
PORT_WITH_SDPA = """\
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Vm, self.Km, self.Qm = (
            nn.Linear(width, size, bias=False) for size in (v_dim, qk_dim, qk_dim)
        )

    def forward(self, seq):
        x = seq if self.pos is None else torch.hstack([seq, self.pos(torch.arange(len(seq)))])
        return F.scaled_dot_product_attention(self.Qm(x), self.Km(x), self.Vm(x))
"""
ROTATED_IDENTITY = """\
def identity_weights():
    generator = np.random.default_rng(3)
    rotation, _ = np.linalg.qr(generator.normal(size=(5, 5)))
    spread = 7 * np.eye(3, 5) @ rotation  # five columns instead of three
    return torch.tensor(spread), torch.tensor(spread), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
"""
ROTATED_COPY_FIRST = """\
def copy_first_weights():
    generator = np.random.default_rng(4)
    rotation, _ = np.linalg.qr(generator.normal(size=(6, 6)))
    pos = np.eye(6) @ rotation
    Km = np.vstack([np.zeros((3, 2)), 12 * np.outer(rotation.T[:, 0], [1, -1])])
    Qm = np.vstack([[[1, -1]] * 3, np.zeros((6, 2))])
    Vm = np.vstack([np.eye(3), np.zeros((6, 3))])
    return Km, Qm, Vm, pos
"""
SCALED_UNIQUE = """\
def unique_weights():
    pos = np.eye(5)
    Qm, Km = np.zeros((9, 9)), np.zeros((9, 9))
    Qm[:3, :3], Km[:3, :3] = 2 * np.eye(3), 40 * np.eye(3)
    Qm[4:, 3:8], Km[4:, 3:8] = 2 * np.eye(5), -40 * np.eye(5)
    Qm[:3, 8], Km[3, 8] = 2, 20
    return Km, Qm, np.array([[-3.0]] * 3 + [[2.0]] + [[0.0]] * 5), pos
"""
WRITTEN = (
    "Both put the largest attention in the same places: in my figure the weight is 1.00, learned "
    "0.87. The learned Km and Qm have entries of both signs where mine are diagonal, because only "
    "the product of the two decides the scores."
)


def main() -> None:
    """Write all five of hw2_transformer, and what the source of hw3_proofs answers."""
    _write("as_in_the_source", ON_PAPER, PROOFS)
    source = nbformat.read(ROOT / "source" / NAME / f"{NAME}.ipynb", as_version=4)
    solved = {cell.id: cell.source for cell in source.cells}
    answers = [
        cell.id for cell in source.cells if cell.metadata.get("nbgrader", {}).get("solution")
    ]
    written = {"compare_identity": WRITTEN, "compare_copy_first": WRITTEN}
    _write("unfilled", {})
    _write("perfect", {id: solved[id] for id in answers})
    _write(
        "as_in_the_source",
        {
            "port_answer": LOOPED_PORT,
            "identity_answer": IDENTITY_OF_THE_SOURCE,
            "copy_first_answer": COPY_FIRST_OF_THE_SOURCE,
            **written,
        },
    )
    _write(
        "different_but_right",
        {
            "port_answer": PORT_WITH_SDPA,
            "identity_answer": ROTATED_IDENTITY,
            "copy_first_answer": ROTATED_COPY_FIRST,
            "unique_answer": SCALED_UNIQUE,
            **written,
        },
    )
    crashing = _write(
        "crashes_midway",
        {
            "port_answer": solved["port_answer"],
            "identity_answer": "identity_weights = nmp.eye(3)  # a typing error: nmp is not defined",
            "copy_first_answer": solved["copy_first_answer"],
        },
    )
    place = next(n for n, cell in enumerate(crashing.cells) if cell.id == "tokens_code")
    crashing.cells.insert(
        place, v4.new_code_cell("raise RuntimeError('something I tried')", id="tried")
    )
    _save("crashes_midway", crashing)


def _write(name: str, answers: dict[str, str], homework: str = NAME) -> NotebookNode:
    notebook = nbformat.read(ROOT / "release" / homework / f"{homework}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source).rstrip("\n")
    _save(name, notebook, homework)
    return notebook


def _save(name: str, notebook: NotebookNode, homework: str = NAME) -> None:
    (HERE / homework / f"{name}.ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
