"""Read a submission_log.json in the format of the original homework.

Its matrices are flattened row by row, so their shapes follow from the task:
tokens are one-hot vectors of size 3 and v_dim is 3.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.kit import Array, LogAnswers, UserError

from .reference import transformer

CONTENT, POSITION = "attention_by_content", "attention_by_position"
TOKENS = 3
SEQUENCES = {CONTENT: "CAACBA", POSITION: "ABAB"}  # what seeds 1997 and 2017 draw
MAX_NUMBERS = 100_000
NOT_MADE = "The outputs in this log were not made by these matrices."

# Logs come from notebooks written in many ways; these names are free in some of them.
_IMPORTS = """\
from __future__ import annotations
import math, random, time
from typing import *
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
"""


def read_log(values: Mapping[str, Any]) -> LogAnswers:
    """Turn a log's top-level keys into the answers they state.

    Raises:
        UserError: no key of this homework is there, or one is not what it should be.
    """
    keys = ("torch_transformer_init", "torch_transformer_forward", CONTENT, POSITION)
    if not any(key in values for key in keys):
        raise UserError("it is JSON but neither a notebook nor a log of this homework")
    cells: list[str] = []
    refusals = {"unique": "This log does not hold an answer to this question; a notebook can."}
    methods = [values.get(key) for key in keys[:2]]
    if all(isinstance(method, str) for method in methods):
        cells.append(_class(*map(str, methods)))
    else:
        missing = "This log does not hold the source of `PytorchTransformer`."
        for question in ("port", "port_positions", "port_gradients", "port_vectorised"):
            refusals[question] = missing
    for question, key in (("identity", CONTENT), ("copy_first", POSITION)):
        names = ("K", "Q", "V") if key == CONTENT else ("K", "Q", "V", "pos")
        absent = [k for k in (key, *(f"{key}_{name}" for name in names)) if k not in values]
        if absent:
            refusals[question] = (
                f"This log does not hold an answer to this question ({absent[0]} is missing)."
            )
            continue
        matrices = _matrices(key, {name: _numbers(values, f"{key}_{name}") for name in names})
        if not _follows(_numbers(values, key), key, matrices):
            refusals[question] = NOT_MADE
            continue
        text = ", ".join(str(matrix.tolist()) for matrix in matrices)
        cells.append(f"def {question}_weights():\n    return {text}\n")
    return LogAnswers(tuple(cells), refusals)


def _class(init: str, forward: str) -> str:
    methods = "\n".join(
        textwrap.indent(textwrap.dedent(method), "    ") for method in (init, forward)
    )
    return f"{_IMPORTS}\n\nclass PytorchTransformer(nn.Module):\n{methods}\n"


def _numbers(values: Mapping[str, Any], key: str) -> Array:
    """Return a flat list of finite numbers as an array."""
    numbers = values[key]
    if not isinstance(numbers, list) or not 0 < len(numbers) <= MAX_NUMBERS:
        raise UserError(f"{key} should be a list of numbers")
    if not all(type(number) in (int, float) for number in numbers):
        raise UserError(f"{key} holds something that is not a number")
    try:
        array = np.array(numbers, dtype=np.float64)
    except OverflowError as error:
        raise UserError(f"{key} holds a number too large for float64") from error
    if not np.isfinite(array).all():
        raise UserError(f"{key} holds a number that is not finite")
    return array


def _matrices(key: str, flat: Mapping[str, Array]) -> Sequence[Array]:
    """Return Km, Qm, Vm and, where there is one, pos, in their shapes."""
    rows = _division(f"{key}_V", flat["V"], TOKENS)
    pos_dim = rows - TOKENS
    if "pos" not in flat and pos_dim != 0:
        raise UserError(f"{key}_V should hold {TOKENS * TOKENS} numbers, it has {flat['V'].size}")
    if "pos" in flat and pos_dim < 1:
        raise UserError(f"{key}_V should have more than {TOKENS} rows of {TOKENS}, it has {rows}")
    qk_dim = _division(f"{key}_K", flat["K"], rows)
    if flat["K"].size != flat["Q"].size:
        raise UserError(f"{key}_K and {key}_Q should have the same length")
    shaped = [
        flat["K"].reshape(rows, qk_dim),
        flat["Q"].reshape(rows, qk_dim),
        flat["V"].reshape(rows, TOKENS),
    ]
    if "pos" in flat:
        shaped.append(flat["pos"].reshape(_division(f"{key}_pos", flat["pos"], pos_dim), pos_dim))
    return shaped


def _division(key: str, array: Array, size: int) -> int:
    if array.size % size:
        raise UserError(f"{key} has {array.size} numbers, which is not a multiple of {size}")
    return array.size // size


def _follows(outputs: Array, key: str, matrices: Sequence[Array]) -> bool:
    """Whether the claimed outputs are those of the matrices on the log's test sequence."""
    letters = SEQUENCES[key]
    Km, Qm, Vm, *rest = matrices
    pos = rest[0] if rest else None
    if outputs.size != len(letters) * TOKENS or (pos is not None and len(pos) < len(letters)):
        return False
    sequence = np.eye(TOKENS)[["ABC".index(letter) for letter in letters]]
    with np.errstate(over="ignore", invalid="ignore"):
        made = transformer(Km, Qm, Vm, sequence, pos)
    return bool(np.allclose(outputs, made.reshape(-1), rtol=1e-3, atol=1e-3))
