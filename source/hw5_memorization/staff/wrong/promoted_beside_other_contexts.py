"""The mean over contexts is subtracted, not the one over tokens."""

FAILS = ("promoted",)
NUDGE = "Over which axis is the mean that no probability depends on?"
EXPLANATION = "This fits parts less their mean over all contexts. The mean over all tokens, in each context, is what changes no probability."
EDITS = {"above = parts - parts.mean(dim=2, keepdim=True)": "above = parts - parts.mean(dim=0)"}
