"""The loss comes back as a tensor with its graph, which fills the memory."""

FAILS = ("one_epoch", "log_reproduction", "groks")
WORDS = {"one_epoch": "keeps its whole graph"}
EDITS = {"loss.item()": "loss"}
