"""Random right answers to the questions about matrices, in forms that nobody would write down.

Keys and queries may be turned by any invertible matrix R (Km R^-T and Qm R give the same
scores), in any qk_dim that leaves room; positions may be anything that can be told apart.
"""

from collections.abc import Callable

import numpy as np

from autograder.kit import Array, Value

Draw = Callable[[np.random.Generator], Value]
KINDS = (np.float64, np.float32)


def identity(rng: np.random.Generator) -> Value:
    """Draw keys and queries whose product is a large multiple of the identity."""
    qk_dim = int(rng.integers(3, 9))
    gain = rng.uniform(12, 60) * np.sqrt(qk_dim)
    Km, Qm = _turned(np.eye(3, qk_dim), np.eye(3, qk_dim) * gain, rng)
    return _typed({"Km": Km, "Qm": Qm, "Vm": np.eye(3)}, rng)


def copy_first(rng: np.random.Generator) -> Value:
    """Draw positions of which the first lies apart along some direction, which the keys read."""
    pos_dim, qk_dim = int(rng.integers(1, 7)), int(rng.integers(1, 7))
    gain = rng.uniform(12, 60) * np.sqrt(qk_dim)
    direction = _direction(pos_dim, rng)
    pos = rng.normal(size=(int(rng.integers(4, 9)), pos_dim))
    pos -= np.outer(pos @ direction, direction)
    pos[0] += direction
    first = np.eye(qk_dim)[0]
    Km = np.vstack([np.zeros((3, qk_dim)), np.outer(direction * gain, first)])
    Qm = np.vstack([np.outer(np.ones(3), first), np.zeros((pos_dim, qk_dim))])
    Km, Qm = _turned(Km, Qm, rng)
    Vm = np.vstack([np.eye(3), np.zeros((pos_dim, 3))])
    return _typed({"Km": Km, "Qm": Qm, "Vm": Vm, "pos": pos}, rng)


def unique(rng: np.random.Generator) -> Value:
    """Draw a head that finds equal tokens elsewhere, else CLS, on positions turned at random."""
    length, qk_dim = int(rng.integers(5, 8)), int(rng.integers(9, 13))
    equal, cls = rng.uniform(50, 80), rng.uniform(20, 35)
    oneself = equal + rng.uniform(0, 30)  # so that a token looks at CLS rather than at itself
    turn = np.linalg.qr(rng.normal(size=(length, length)))[0]
    pos = turn[:5]
    scale = np.sqrt(qk_dim)
    Km, Qm = np.zeros((4 + length, qk_dim)), np.zeros((4 + length, qk_dim))
    Qm[:3, :3], Km[:3, :3] = np.eye(3), equal * np.eye(3) * scale / 3
    # Positions are rows of a rotation: turned back, they are one-hot again.
    Qm[4:, 3:8] = turn[:5].T
    Km[4:, 3:8] = -oneself * turn[:5].T * scale / 3
    Qm[:3, 8], Km[3, 8] = 1, cls * scale / 3
    Km, Qm = _turned(Km, Qm, rng)
    Vm = np.zeros((4 + length, 1))
    Vm[:3], Vm[3] = -rng.uniform(0.5, 2), rng.uniform(0.5, 2)
    return _typed({"Km": Km, "Qm": Qm, "Vm": Vm, "pos": pos}, rng)


def _turned(Km: Array, Qm: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Turn keys and queries so that their scores stay the same."""
    size = Km.shape[1]
    twist = rng.normal(size=(size, size)) + 3 * np.eye(size)
    return Km @ np.linalg.inv(twist).T, Qm @ twist


def _direction(size: int, rng: np.random.Generator) -> Array:
    direction = rng.normal(size=size)
    return np.asarray(direction / np.linalg.norm(direction))


def _typed(value: dict[str, Array], rng: np.random.Generator) -> Value:
    """Round some answers to float32, as a tensor would be, and give them back as they cross the line."""
    kind = KINDS[int(rng.integers(2))]
    return {name: matrix.astype(kind).astype(np.float64) for name, matrix in value.items()}


DRAWN: dict[str, Draw] = {"identity": identity, "copy_first": copy_first, "unique": unique}
"""Question id -> draws one right value."""
