"""What a student's function returned -> plain numbers, or a word on why not.

For staff/adapters.py, so for the sandbox: torch is not imported here, and nothing is known of answers.
"""

import math
from typing import Any

import numpy as np

from autograder.model import Refused


def array(item: Any, name: str = "what it returns") -> Any:
    """Return an array or a tensor as it is, without its gradient.

    Args:
        item: What came back.
        name: What it is called in the refusal.

    Raises:
        Refused: it is None.
    """
    if item is None:
        raise Refused(f"{name[0].upper()}{name[1:]} is None: is there a `return`?")
    return item.detach() if hasattr(item, "detach") else item


def number(item: Any, name: str = "what it returns") -> Any:
    """Return one number, whatever it is wrapped in, as an array without axes.

    Args:
        item: What came back.
        name: What it is called in the refusal.

    Raises:
        Refused: it is None, or not one number.
    """
    found = array(item, name)
    if math.prod(np.shape(found)) != 1:
        raise Refused(
            f"{name[0].upper()}{name[1:]} should be one number, and has shape {tuple(np.shape(found))}."
        )
    return np.asarray(found).reshape(())
