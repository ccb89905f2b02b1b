"""Absolute values are added up, not their squares."""

FAILS = ("fourier_power",)
NUDGE = "Is power the size of a coefficient, or something of it?"
EXPLANATION = (
    "This fits shares of |coefficient|. Power is its square, which makes large ones stand out."
)
EDITS = {".abs().pow(2).sum(dim=1)": ".abs().sum(dim=1)"}
