"""The output for a model's first sequence is kept and returned for every other one."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "What does your model give for a second sequence, and what should it give?"
EXPLANATION = "This fits a model that keeps what it computed for its first sequence, and returns it for every other one."
EDITS = {
    "        return F.softmax(scores, dim=-1) @ V": """\
        self.kept = getattr(self, "kept", F.softmax(scores, dim=-1) @ V)
        return self.kept"""
}
