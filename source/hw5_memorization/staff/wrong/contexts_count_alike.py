"""Each context counts as much as any other, however rarely it comes."""

FAILS = ("uneven",)
NUDGE = "How often do the rare contexts come, and how much do they count in your loss?"
EXPLANATION = "This fits a mean over contexts in which each counts as much as any other: the probabilities of the contexts are not used."
EDITS = {"return (each * chances).sum()": "return each.mean()"}
