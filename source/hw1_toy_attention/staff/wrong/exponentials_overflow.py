"""The exponentials of the logits are summed as they are."""

FAILS = ("nll_trap",)
NUDGE = "What is exp(1000)?"
EXPLANATION = "This fits log(sum(exp(x))) taken step by step: exp(1000) is infinite, and exp(-1000) is 0. The largest logit has to be taken off first."
EDITS = {"torch.logsumexp(logits, dim=1)": "torch.exp(logits).sum(dim=1).log()"}
