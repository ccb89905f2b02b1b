"""Centred rows are divided by the lengths that they had before."""

FAILS = ("superposition",)
WORDS = {"superposition": "cosines"}


def superposition(E, U, tokens):
    rows = U - U.mean(dim=0)
    lengths = U.norm(dim=1)
    gram = rows @ rows.T
    own = (E * rows[tokens]).sum(dim=1) / E.norm(dim=1) / lengths[tokens]
    return gram, gram / lengths / lengths[:, None], own
