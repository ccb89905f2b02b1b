"""The kept part has lost the mean."""

FAILS = ("keep_and_remove",)
NUDGE = "What is the mean of each column of `kept`?"
EXPLANATION = "This fits a kept part without the mean of the embedding. Both parts have it."


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E, dim=0)
    chosen = torch.zeros(len(spectrum), dtype=torch.bool)
    chosen[list(frequencies)] = True
    kept, removed = spectrum.clone(), spectrum.clone()
    kept[~chosen] = 0
    removed[chosen] = 0
    return tuple(torch.fft.irfft(part, n=len(E), dim=0) for part in (kept, removed))
