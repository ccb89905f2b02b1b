"""Gradients are never set to zero."""

FAILS = ("one_epoch", "log_reproduction", "groks")
NUDGE = "What is in `.grad` when the second epoch begins?"
EXPLANATION = "This fits gradients that pile up from epoch to epoch, so that every step is that of all before."


def one_epoch(w, optimizer, pairs):
    loss = loss_of(fast_forward(w, pairs), pairs)
    loss.backward()
    optimizer.step()
    return loss.item()
