"""Embeddings and positions start as torch.nn.Embedding would start them."""

FAILS = ("initial_weights", "log_reproduction")
NUDGE = "How far from zero are your embeddings, beside the other weights?"
EXPLANATION = "This fits embeddings of deviation 1, torch's default for nn.Embedding. The source's start has 1/sqrt(d) for them, too."
EDITS = {
    '1 / (p + 1 if name == "W_U" else width)': '{"W_E": 1, "W_pos": 1, "W_U": 1 / (p + 1)}.get(name, 1 / width)'
}
