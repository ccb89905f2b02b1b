"""Each step is done when the next epoch begins, so the last one is missing."""

FAILS = ("one_epoch", "log_reproduction", "groks")
WORDS = {"one_epoch": "afterwards"}


def one_epoch(w, optimizer, pairs):
    optimizer.step()
    optimizer.zero_grad()
    loss = loss_of(fast_forward(w, pairs), pairs)
    loss.backward()
    return loss.item()
