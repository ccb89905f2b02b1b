"""Read a submission in the form of the original homework: its submission_log.json, or its notebook.

There, answers are no functions: they are matrices in variables that every part overwrites, and each part
saves its own in `TO_SAVE`, flattened row by row. The log is `TO_SAVE`.
"""

import inspect
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.kit import LogAnswers, UserError

from . import saved

PARTS = {"identity": "attention_by_content", "copy_first": "attention_by_position"}
NOT_MADE = "The outputs in this {} were not made by these matrices."

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
    keys = ("torch_transformer_init", "torch_transformer_forward", *PARTS.values())
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
    for question, key in PARTS.items():
        names = ("K", "Q", "V", *(["pos"] if question == "copy_first" else []))
        absent = [k for k in (key, *(f"{key}_{name}" for name in names)) if k not in values]
        if absent:
            refusals[question] = (
                f"This log does not hold an answer to this question ({absent[0]} is missing)."
            )
            continue
        try:
            found = saved.matrices(dict(values), key)
            made = saved.follow(dict(values), key, found)
        except ValueError as error:
            raise UserError(str(error)) from error
        if not made:
            refusals[question] = NOT_MADE.format("log")
            continue
        text = ", ".join(str(matrix.tolist()) for matrix in found)
        cells.append(f"def {question}_weights():\n    return {text}\n")
    return LogAnswers(tuple(cells), refusals)


def _class(init: str, forward: str) -> str:
    methods = "\n".join(
        textwrap.indent(textwrap.dedent(method), "    ") for method in (init, forward)
    )
    return f"{_IMPORTS}\n\nclass PytorchTransformer(nn.Module):\n{methods}\n"


def read_notebook(code: Sequence[str]) -> Mapping[int, str]:
    """Return the functions that a notebook in the original form lacks, by the cell that saves for them.

    Its own code still decides what they return: they read `TO_SAVE` as that code left it.

    Args:
        code: The source of each cell; "" for text.
    """
    lacking: dict[int, str] = {}
    for question, key in PARTS.items():
        name = f"{question}_weights"
        saving = [
            n for n, source in enumerate(code) if "TO_SAVE" in source and f"{key}_K" in source
        ]
        if saving and not any(name in source for source in code):
            lacking[saving[-1]] = lacking.get(saving[-1], "") + _function(name, key)
    return lacking


def _function(name: str, key: str) -> str:
    return f'''\
def {name}(to_save=TO_SAVE):
    """Return the matrices that the cells above put into TO_SAVE, in their shapes."""
{textwrap.indent(inspect.getsource(saved), "    ")}
    found = matrices(to_save, "{key}")
    if not follow(to_save, "{key}", found):
        raise ValueError("{NOT_MADE.format("notebook")}")
    return found
'''
