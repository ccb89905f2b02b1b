"""sigma^2 is returned in place of sigma."""

FAILS = ("gaussian_sigma",)
NUDGE = "Compare the exponents once more: is what you return sigma, or a power of it?"
EXPLANATION = "This fits sigma^2. sigma itself is asked for."
EDITS = {"D**0.25": "D**0.5"}
