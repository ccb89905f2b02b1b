"""The softmax runs over the sentences of the batch."""

FAILS = ("attend", "easy_task", "oddness")
NUDGE = (
    "What should sum to one: the weights of one sentence, or those of all sentences for one token?"
)
EXPLANATION = "This fits a softmax over the sentences of the batch. The weights of each sentence sum to one: the softmax runs over its tokens."
EDITS = {"torch.softmax(scores, dim=1)": "torch.softmax(scores, dim=0)"}
