"""The Frobenius norms of part 1 are not squared."""

import numpy as np

FAILS = ("purification_losses",)
NUDGE = "Read the two norms in L once more, exponents included."
EXPLANATION = "This fits norms that were not squared. Both terms of L are squared norms: sums of squares, with no root."


def purification_losses(lam):
    X = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
    P = np.diag([1, 0])
    rec_P = np.linalg.norm(X - P @ X)
    return 0.0, lam * np.linalg.norm(np.eye(2)), rec_P, lam * np.linalg.norm(P)
