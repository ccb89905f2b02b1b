"""np.diagflat in np.matmul, and the factors made beforehand."""

import numpy as np

MISTAKE = "as_many_singular_values_as_rows"
FAILS = ("purifier_from_svd",)


def purifier_from_svd(U, s, lam):
    kept = np.square(s) / (np.square(s) + lam)
    return np.matmul(np.matmul(U, np.diagflat(kept)), U.transpose())
