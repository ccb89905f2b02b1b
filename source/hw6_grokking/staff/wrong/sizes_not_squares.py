"""Absolute values are added up, not their squares."""

FAILS = ("fourier_power",)
NUDGE = "Is power the size of a coefficient, or something of it?"
EXPLANATION = (
    "This fits shares of |coefficient|. Power is its square, which makes large ones stand out."
)


def fourier_power(E):
    power = torch.fft.rfft(E, dim=0)[1:].abs().sum(dim=1)
    return power / power.sum()
