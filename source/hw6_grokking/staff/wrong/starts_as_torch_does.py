"""Weights start as torch.nn.Linear would start them."""

FAILS = ("initial_weights", "log_reproduction", "groks")
NUDGE = "How are the numbers of your weights distributed, and how far from zero are they?"
EXPLANATION = "This fits torch's default: uniform between -1/sqrt(n) and 1/sqrt(n), with n the numbers that a matrix reads. Its deviation is smaller by the root of three, and learning begins later: at p = 97 the loss after 400 epochs is four times as large."


def initial_weights(p, width, hidden, seed):
    return default_weights(p, width, hidden, seed)
