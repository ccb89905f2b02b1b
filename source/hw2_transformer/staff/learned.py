"""Print the matrices of the notebook's cell `learned`, by running its training cells.

python source/hw2_transformer/staff/learned.py
"""

from collections.abc import Collection
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import numpy as np

NOTEBOOK = Path(__file__).parents[1] / "hw2_transformer.ipynb"
TRAINING = {
    "identity_training": "LEARNED_IDENTITY",
    "copy_first_training": "LEARNED_COPY_FIRST",
    "unique_training": "LEARNED_UNIQUE",
}


def learned(trainings: Collection[str] = TRAINING) -> dict[str, list[list[list[float]]]]:
    """Return the trained matrices by the name of their literal, rounded to four digits."""
    matplotlib.use("Agg")
    namespace: dict[str, Any] = {}
    found = {}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        demo = "autograder" in cell.metadata
        if cell.cell_type != "code" or (demo and cell.id not in trainings):
            continue
        with redirect_stdout(StringIO()):
            exec(cell.source, namespace)
        if cell.id in trainings:
            matrices = namespace["learned"]
            found[TRAINING[cell.id]] = [np.round(m.astype(float), 4).tolist() for m in matrices]
    return found


if __name__ == "__main__":
    for name, matrices in learned().items():
        print(f"{name} = [")
        for matrix in matrices:
            print(f"    np.array({matrix}),")
        print("]  # fmt: skip")
