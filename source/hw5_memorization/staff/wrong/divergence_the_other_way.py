"""The divergence is taken the other way round."""

FAILS = ("two_losses", "freezing")
NUDGE = "Which of the two stands before the logarithm?"
EXPLANATION = "This fits the divergence of the law from the model, with the model's chances before the logarithm. It is another number, and infinite where the law is zero."


def two_losses(logits, law, tokens):
    logs = logits.log_softmax(dim=1)
    small = (law + 1e-9).log()
    divergence = (logs.exp() * (logs - small)).sum(dim=1).mean()
    return divergence, -logs[torch.arange(len(tokens)), tokens].mean()
