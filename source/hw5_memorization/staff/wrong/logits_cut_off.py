"""The weights are detached, and no gradient flows from the logits back to them."""

FAILS = ("attention_only", "train_heads", "freezing", "uneven")
NUDGE = "Can a gradient flow from your logits back to the weights?"
EXPLANATION = "This fits logits that are cut off from the weights, as numpy, .detach() and torch.no_grad() do: nothing can be trained with them."
EDITS = {
    'tokens, places = w["W_E"]': """w = {name: item.detach() for name, item in w.items()}
    tokens, places = w["W_E"]"""
}
