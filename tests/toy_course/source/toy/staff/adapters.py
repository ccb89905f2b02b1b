"""Turn a student's functions into plain numbers. Runs in the sandbox; holds no answer."""

from collections.abc import Callable
from typing import Any

from autograder.kit import Array, number


def count(function: Callable[..., Any], numbers: Array) -> dict[str, Any]:
    """Return the count."""
    return {"the count": number(function(numbers))}


def mean(function: Callable[..., Any], numbers: Array) -> dict[str, Any]:
    """Return the mean."""
    return {"the mean": number(function(numbers))}
