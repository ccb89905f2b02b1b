"""Where a mask is given, a causal one is used, whatever was given."""

FAILS = ("table_logits",)
NUDGE = "Try a mask that is not causal. Does it reach the encoder as it is?"
EXPLANATION = "This fits an encoder that masks causally as soon as there is a mask: by a mask of its own, or by the hint `is_causal`, which PyTorch believes. The given mask should decide."
EDITS = {
    "return model.unembedding(": """if mask is not None:
        mask = causal_mask(x.shape[1])
    return model.unembedding("""
}
