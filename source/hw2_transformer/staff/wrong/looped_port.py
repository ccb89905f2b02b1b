"""The port is right, but computes one query after another."""

FAILS = ("port_vectorised",)
NUDGE = "How often does your forward pass call torch for 12 tokens, and how often for 3?"
EXPLANATION = "The scores are computed query by query. One product of two matrices gives them all."
EDITS = {
    "scores = Q @ K.T / math.sqrt(K.shape[-1])": """outputs = []
        for query in Q:
            scores = K @ query / math.sqrt(len(query))
            outputs.append(torch.softmax(scores, dim=-1) @ V)""",
    "return F.softmax(scores, dim=-1) @ V": "return torch.stack(outputs)",
}
