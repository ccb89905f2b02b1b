"""The losses are plain numbers, which nothing can be learned from."""

FAILS = ("two_losses", "train_heads", "freezing")
NUDGE = "Can a gradient flow from each of your losses back to the logits?"
EXPLANATION = "This fits losses that are cut off from the logits, as .item(), float(), .detach() and numpy do: their values are right or wrong as before, but nothing can be trained with them."


def two_losses(logits, law, tokens):
    logs = logits.log_softmax(dim=1)
    divergence = (torch.xlogy(law, law) - law * logs).sum(dim=1).mean()
    return divergence.item(), -logs[torch.arange(len(tokens)), tokens].mean().item()
