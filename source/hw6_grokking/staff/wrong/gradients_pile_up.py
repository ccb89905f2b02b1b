"""Gradients are never set to zero."""

FAILS = ("one_epoch", "log_reproduction", "groks")
NUDGE = "What is in `.grad` when the second epoch begins?"
EXPLANATION = "This fits gradients that pile up from epoch to epoch, so that every step is that of all before."
EDITS = {"optimizer.zero_grad()": ""}
