"""Whatever is named, everything is trained."""

FAILS = ("freezing",)
NUDGE = "Which tensors does your optimiser know?"
EXPLANATION = "This fits training that takes no notice of the names: frozen weights move."
EDITS = {"[w[name] for name in names]": "list(w.values())"}
