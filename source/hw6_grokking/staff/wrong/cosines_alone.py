"""Only the cosine part of a frequency is kept and removed."""

FAILS = ("keep_and_remove",)
NUDGE = "How many directions does one frequency take up?"
EXPLANATION = "This fits an answer that knows only the cosine of each frequency. A frequency is a plane: its sine belongs to it as well."


def keep_and_remove(E, frequencies):
    mean, part = E.mean(dim=0, keepdim=True), torch.zeros_like(E)
    for k in frequencies:
        cosine = torch.cos(2 * math.pi * k * torch.arange(len(E), dtype=E.dtype) / len(E))
        part = part + 2 / len(E) * torch.outer(cosine, cosine @ E)
    return mean + part, E - part
