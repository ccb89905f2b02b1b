"""The divergence takes the logarithm of a law's zeros."""

FAILS = ("uneven",)
NUDGE = "What is your loss where a law has a zero?"
EXPLANATION = "This fits a divergence with law * law.log(), which is NaN where the law is zero. Its gradients are right, so the weights learn, but every loss is NaN."


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = (law * law.log() - law * logs).sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, list(w.values()), steps)
