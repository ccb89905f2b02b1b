"""The cross-entropies are summed over all pairs."""

FAILS = ("train_table",)
NUDGE = "What is the loss before any step, when all answers are equally likely?"
EXPLANATION = "This fits a sum of cross-entropies where the text asks for their mean. Adam hardly notices, but the losses are as many times too large as there are pairs."
EDITS = {"logits_of(pairs), wanted)": 'logits_of(pairs), wanted, reduction="sum")'}
