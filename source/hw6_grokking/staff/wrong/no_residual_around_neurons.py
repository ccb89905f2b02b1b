"""What the neurons write replaces the stream."""

FAILS = ("naive_forward",)
NUDGE = "What does the arrow in the third formula add to what?"
EXPLANATION = (
    "This fits neurons whose output replaces the residual stream; it should be added to it."
)
EDITS = {'w["W_O"], mixed)\n    x = x + F.relu(': 'w["W_O"], mixed)\n    x = F.relu('}
