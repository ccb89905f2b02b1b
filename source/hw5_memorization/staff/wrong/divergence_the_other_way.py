"""The divergence is taken the other way round."""

FAILS = ("two_losses", "freezing")
NUDGE = "Which of the two is before the logarithm?"
EXPLANATION = "This fits the divergence of the law from the model, with the model's chances before the logarithm. It is another number, and infinite where the law is zero."
EDITS = {"(torch.xlogy(law, law) - law * logs)": "(logs.exp() * (logs - (law + 1e-9).log()))"}
