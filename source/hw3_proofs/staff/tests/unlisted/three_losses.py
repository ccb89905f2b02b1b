"""One loss is left out, because it is 0."""

FAILS = ("purification_losses",)
WORDS = {"purification_losses": "should be 4 things"}


def purification_losses(lam):
    return 2 * lam, 0.001, lam
