"""Turn a student's designs into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable
from typing import Any

from autograder.kit import Array, Refused, number, plain, several


def one_layer(function: Callable[[], Any]) -> dict[str, Any]:
    """Return E, pos, Q and K of a design of one pattern."""
    return _arrays(function(), ("E", "pos", "Q", "K"), "what it returns (E, pos, Q, K)")


def two_layers(function: Callable[[], Any]) -> dict[str, Any]:
    """Return E, pos, U, and Q, K and V of both layers, by the names Q1 to V2."""
    names = ("E", "pos", "layers", "U")
    result = function()
    if hasattr(result, "keys"):
        raise Refused("It should return four things, (E, pos, layers, U), and returned a dict.")
    E, pos, layers, U = several(result, len(names), f"what it returns ({', '.join(names)})")
    found = {"E": plain(E, "E"), "pos": plain(pos, "pos"), "U": plain(U, "U")}
    for n, layer in enumerate(several(layers, 2, "the list of layers"), start=1):
        found |= _arrays(layer, (f"Q{n}", f"K{n}", f"V{n}"), f"layer {n} (Q, K, V)")
    return found


def _arrays(result: Any, names: tuple[str, ...], what: str) -> dict[str, Any]:
    if hasattr(result, "keys"):
        raise Refused(f"{what} should be {len(names)} matrices, not a dict.")
    found = several(result, len(names), what)
    return {name: plain(matrix, name) for name, matrix in zip(names, found, strict=True)}


def previous_score(function: Callable[..., Any], A: Array) -> dict[str, Any]:
    """Return the score."""
    return {"the score": number(function(A), "the score")}


def copy_score(function: Callable[..., Any], A: Array, words: Array) -> dict[str, Any]:
    """Return the score."""
    return {"the score": number(function(A, words), "the score")}


def induction_score(function: Callable[..., Any], A: Array, words: Array) -> dict[str, Any]:
    """Return the score."""
    return {"the score": number(function(A, words), "the score")}
