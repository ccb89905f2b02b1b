"""The output is right, and an array of numpy."""

FAILS = ("port_gradients", "port_vectorised")
WORDS = {
    "port_gradients": "returned (a )?ndarray",
    "port_vectorised": "returned (a )?ndarray",
}
EDITS = {
    "return F.softmax(scores, dim=-1) @ V": "return (F.softmax(scores, dim=-1) @ V).detach().numpy()"
}
