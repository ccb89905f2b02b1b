"""The loss of the demo is taken for the cross-entropy: nll_loss is believed to take the logarithm."""

FAILS = ("nll_trap",)
NUDGE = "What does the documentation of F.nll_loss say that it takes?"
EXPLANATION = "This fits the belief that F.nll_loss takes a logarithm. It takes none: it picks the entry of the label and turns its sign round."
EDITS = {"torch.softmax(logits, dim=1)": "torch.log_softmax(logits, dim=1)"}
