"""The largest score is looked for from zero on, so that negative ones do not count."""

FAILS = ("gen_d_law",)
WORDS = {"gen_d_law": "scores up to 2,000 and below"}


def gen_d_law(E, U):
    s = E @ U.T
    p = (s - s.amax(dim=1, keepdim=True).clamp(min=0)).exp()
    return (p / p.sum(dim=1, keepdim=True)).nan_to_num(0)
