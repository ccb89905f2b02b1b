"""The powers are not divided by their sum."""

FAILS = ("power_unif_law",)
NUDGE = "What do the chances after one context add up to?"
EXPLANATION = (
    "This fits alpha^r itself as a chance. Chances are in proportion to it, and add up to 1."
)
EDITS = {"(powers / powers.sum()).expand": "powers.expand"}
