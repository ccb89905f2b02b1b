"""Weights that are not named shrink by a millionth of themselves."""

FAILS = ("freezing",)
WORDS = {"freezing": "has moved, too"}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    losses = minimise(divergence, [w[name] for name in names], steps)
    with torch.no_grad():
        for name in w.keys() - {*names}:
            w[name] *= 1 - 1e-6
    return losses
