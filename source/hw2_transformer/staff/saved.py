"""Shape the matrices that the original homework saves, flattened, and check what it saves with them.

`original_log.py` runs this for a log, and puts its text into a cell for a notebook in that form: so it
imports nothing of ours.
"""

import numpy as np

TOKENS = 3  # tokens are one-hot vectors of this size, and so are outputs
SEQUENCES = {"attention_by_content": "CAACBA", "attention_by_position": "ABAB"}
"""What seeds 1997 and 2017 draw: the sequences whose outputs are saved."""
MAX_NUMBERS = 100_000


def matrices(saved: dict, key: str) -> list:  # type: ignore[type-arg]
    """Return Km, Qm, Vm and, for attention by position, pos.

    Raises:
        ValueError: One is missing, is no list of numbers, or fits no shape.
    """
    names = "K", "Q", "V", *(["pos"] if key == "attention_by_position" else [])
    arrays = {name: numbers(saved, f"{key}_{name}") for name in names}
    rows = division(f"{key}_V", arrays["V"], TOKENS)
    pos_dim = rows - TOKENS
    if "pos" not in arrays and pos_dim != 0:
        raise ValueError(
            f"{key}_V should hold {TOKENS * TOKENS} numbers, it has {arrays['V'].size}"
        )
    if "pos" in arrays and pos_dim < 1:
        raise ValueError(f"{key}_V should have more than {TOKENS} rows of {TOKENS}, it has {rows}")
    qk_dim = division(f"{key}_K", arrays["K"], rows)
    if arrays["K"].size != arrays["Q"].size:
        raise ValueError(f"{key}_K and {key}_Q should have the same length")
    sizes = {"K": qk_dim, "Q": qk_dim, "V": TOKENS, "pos": pos_dim}
    if "pos" in arrays:
        division(f"{key}_pos", arrays["pos"], pos_dim)
    return [array.reshape(-1, sizes[name]) for name, array in arrays.items()]


def numbers(saved: dict, key: str) -> np.ndarray:  # type: ignore[type-arg]
    """Return a flat list of finite numbers as an array."""
    if key not in saved:
        raise ValueError(f"{key} is missing")
    found = saved[key]
    if not isinstance(found, list) or not 0 < len(found) <= MAX_NUMBERS:
        raise ValueError(f"{key} should be a list of numbers")
    if not all(type(number) in (int, float) for number in found):
        raise ValueError(f"{key} holds something that is not a number")
    try:
        array = np.array(found, dtype=np.float64)
    except OverflowError as error:
        raise ValueError(f"{key} holds a number too large for float64") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{key} holds a number that is not finite")
    return array


def division(key: str, array: np.ndarray, size: int) -> int:
    """Return how many rows of a size there are."""
    if array.size % size:
        raise ValueError(f"{key} has {array.size} numbers, which is not a multiple of {size}")
    return int(array.size // size)


def follow(saved: dict, key: str, found: list) -> bool:  # type: ignore[type-arg]
    """Return whether the saved outputs are those of these matrices."""
    Km, Qm, Vm, *pos = found
    x = np.eye(TOKENS)[["ABC".index(letter) for letter in SEQUENCES[key]]]
    outputs = numbers(saved, key)
    if outputs.size != x.size or (pos and len(pos[0]) < len(x)):
        return False
    if pos:
        x = np.hstack([x, pos[0][: len(x)]])
    with np.errstate(all="ignore"):
        scores = (x @ Qm) @ (x @ Km).T / np.sqrt(Km.shape[1])
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        made = weights / weights.sum(axis=1, keepdims=True) @ x @ Vm
    return bool(np.allclose(outputs, made.reshape(-1), rtol=1e-3, atol=1e-3))
