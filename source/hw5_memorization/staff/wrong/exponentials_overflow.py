"""Exponentials are taken as they are, and large ones are no numbers."""

FAILS = ("gen_d_law",)
NUDGE = "What is the exponential of 1,000 on a computer?"
EXPLANATION = "This fits exp(scores) / sum: right for small scores, and NaN for large ones. A softmax subtracts the largest score first."


def gen_d_law(E, U):
    powers = torch.exp(E @ U.T)
    return (powers / powers.sum(dim=1, keepdim=True)).nan_to_num(0.0)
