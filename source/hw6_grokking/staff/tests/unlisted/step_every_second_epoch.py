"""The gradients of two epochs are added up for each step, as for a batch in two halves."""

FAILS = ("one_epoch", "log_reproduction", "groks")
WORDS = {"one_epoch": "each number but the first is the one that belongs before it"}


def one_epoch(w, optimizer, pairs):
    second = w["W_U"].grad is not None
    loss = loss_of(fast_forward(w, pairs), pairs)
    loss.backward()
    if second:
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()
