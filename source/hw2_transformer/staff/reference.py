"""The oracle of hw2_transformer: one attention head in numpy, float64, slow and obvious."""

import numpy as np

from autograder.kit import Array

from .shared import sequences


def transformer(Km: Array, Qm: Array, Vm: Array, seq: Array, pos: Array | None = None) -> Array:
    """Return softmax(Q K^T / sqrt(qk_dim)) V, one query at a time.

    Args:
        Km: (input_dim + pos_dim, qk_dim).
        Qm: (input_dim + pos_dim, qk_dim).
        Vm: (input_dim + pos_dim, v_dim).
        seq: (seq_len, input_dim).
        pos: (max_seq_len, pos_dim), concatenated to the input; or None.

    Returns:
        (seq_len, v_dim).
    """
    rows = [row if pos is None else np.concatenate([row, pos[i]]) for i, row in enumerate(seq)]
    outputs = []
    for asking in rows:
        query = asking @ Qm  # (qk_dim,)
        scores = np.array([query @ (row @ Km) for row in rows]) / np.sqrt(Km.shape[1])
        weights = np.exp(scores - scores.max())
        weights = weights / weights.sum()
        outputs.append(sum(weight * (row @ Vm) for weight, row in zip(weights, rows, strict=True)))
    return np.array(outputs)


def port(
    Km: Array,
    Qm: Array,
    Vm: Array,
    seq: Array,
    pos: Array | None = None,
    later: Array | None = None,
    lengths: Array | None = None,
) -> dict[str, Array]:
    """Return what a right port puts out for each sequence that it gets."""
    return {
        name: transformer(Km, Qm, Vm, one, pos)
        for name, one in sequences(seq, later, lengths).items()
    }


def gradients(
    Km: Array, Qm: Array, Vm: Array, seq: Array, pos: Array, direction: Array
) -> dict[str, Array]:
    """Return the gradients of sum(output * direction), derived by hand.

    Args:
        Km: As in `transformer`.
        Qm: As in `transformer`.
        Vm: As in `transformer`.
        seq: As in `transformer`.
        pos: As in `transformer`.
        direction: (seq_len, v_dim).

    Returns:
        "the gradient of Qm" and so on, each in the shape of its matrix. Rows
        of pos beyond the sequence have gradient zero.
    """
    length, input_dim = seq.shape
    x = np.concatenate([seq, pos[:length]], axis=1)  # (seq_len, input_dim + pos_dim)
    root = np.sqrt(Km.shape[1])
    query, key, value = x @ Qm, x @ Km, x @ Vm
    scores = query @ key.T / root
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    d_value = weights.T @ direction
    d_weights = direction @ value.T
    # The Jacobian of a softmax is diag(w) - w w^T.
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=1, keepdims=True))
    d_query, d_key = d_scores @ key / root, d_scores.T @ query / root
    d_x = d_query @ Qm.T + d_key @ Km.T + d_value @ Vm.T
    d_pos = np.zeros_like(pos)
    d_pos[:length] = d_x[:, input_dim:]
    found = {"Qm": x.T @ d_query, "Km": x.T @ d_key, "Vm": x.T @ d_value, "pos": d_pos}
    return {f"the gradient of {name}": gradient for name, gradient in found.items()}
