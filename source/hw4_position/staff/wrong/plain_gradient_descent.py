"""Plain gradient descent in place of Adam."""

FAILS = ("train_table", "symmetric_control", "no_mask_control")
NUDGE = "Which optimiser does the text name, and how fast do your losses fall?"
EXPLANATION = "This fits plain gradient descent with the learning rate that is meant for Adam: the weights hardly move."
EDITS = {"torch.optim.Adam(": "torch.optim.SGD("}
