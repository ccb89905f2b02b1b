"""The factors of q and k have the Gaussian kernel's sign."""

import numpy as np

FAILS = ("gaussian_derivation",)
NUDGE = "Solve ||q - k||^2 = ||q||^2 - 2 q.k + ||k||^2 for q.k, and look at the signs."
EXPLANATION = "This fits factors that fall with the norm. They have to undo what the kernel does to long vectors, so they grow."


def gaussian_derivation():
    return [
        ("factor of q", lambda q: np.exp(-q @ q / (2 * np.sqrt(len(q))))),
        ("Gaussian kernel", lambda q, k: np.exp(-(q - k) @ (q - k) / (2 * np.sqrt(len(q))))),
        ("factor of k", lambda k: np.exp(-k @ k / (2 * np.sqrt(len(k))))),
    ]
