"""The divergence is a mean over tokens, too."""

FAILS = ("two_losses",)
NUDGE = "Over what is the mean, and over what the sum?"
EXPLANATION = "This fits a mean over all entries, which is smaller by a factor N: what F.kl_div does by default. The sum runs over tokens, the mean over contexts."
EDITS = {"law * logs).sum(dim=1).mean()": "law * logs).mean()"}
