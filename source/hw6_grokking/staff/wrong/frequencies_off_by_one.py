"""Frequency k is taken from the place of frequency k + 1."""

FAILS = ("keep_and_remove",)
NUDGE = "In which row of the transform does frequency 1 stand, and what is in row 0?"
EXPLANATION = "This fits frequencies that are moved by one: row k of the transform is taken for k - 1. Row 0 is the mean, so frequency k stands in row k."


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E, dim=0)
    chosen = torch.zeros(len(spectrum) + 1, dtype=torch.bool)
    chosen[[k + 1 for k in frequencies]] = True
    chosen = chosen[:-1]
    kept, removed = spectrum.clone(), spectrum.clone()
    kept[~chosen] = 0
    kept[0] = spectrum[0]
    removed[chosen] = 0
    return tuple(torch.fft.irfft(part, n=len(E), dim=0) for part in (kept, removed))
