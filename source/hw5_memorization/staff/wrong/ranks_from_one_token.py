"""Chances go to the tokens in their own order, not in that of the choices."""

FAILS = ("power_unif_law",)
NUDGE = "Which of the choices is the likeliest, and which one gets the largest chance from you?"
EXPLANATION = "This fits chances that are given to the possible tokens in the order of their numbers. The choices come with the likeliest first."
EDITS = {"scatter(-1, tokens, chances)": "scatter(-1, tokens.sort(dim=-1).values, chances)"}
