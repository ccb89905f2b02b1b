"""The matrix behind the neurons starts by the root of what it reads."""

FAILS = ("initial_weights",)
NUDGE = "What does the text say of the matrix that reads the neurons?"
EXPLANATION = "This fits W_out drawn with deviation 1/sqrt(m). The source's start has 1/sqrt(d) for every matrix but W_U, also for that one; the losses differ by less than seeds do."
EDITS = {'(p + 1 if name == "W_U" else width)': '{"W_U": p + 1, "W_out": hidden}.get(name, width)'}
