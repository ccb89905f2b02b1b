"""The mean over the tokens is counted in the total."""

FAILS = ("fourier_power",)
NUDGE = "Do your shares add up to one? What else is in the total?"
EXPLANATION = (
    "This fits shares of all power, the mean's included. The mean (k = 0) is no frequency."
)
EDITS = {"rfft(E, dim=0)[1:]": "rfft(E, dim=0)", "power / power.sum()": "power[1:] / power.sum()"}
