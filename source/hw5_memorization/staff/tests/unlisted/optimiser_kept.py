"""The optimiser is kept for the names that it trains, with the weights of an earlier model."""

FAILS = ("train_heads", "freezing")
WORDS = {"train_heads": "has not moved", "freezing": "second model"}
EDITS = {
    "def train(w, names, contexts, law, steps):": "def train(w, names, contexts, law, steps, kept={}):",
    "return minimise(divergence, [w[name] for name in names], steps)": """named = [w[name] for name in names]
    adam = kept.setdefault(tuple(names), torch.optim.Adam(named, lr=0.01))
    losses = []
    for _ in range(steps):
        adam.zero_grad()
        loss = divergence()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses""",
}
