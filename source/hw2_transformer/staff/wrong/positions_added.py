"""Positions are added to the tokens instead of concatenated."""

FAILS = ("port_positions", "port_gradients")
NUDGE = "How does a position join its token in the numpy head?"
EXPLANATION = "This fits positions that were added to the tokens. Here they are concatenated."
EDITS = {
    "seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)": """position = self.pos.weight[: len(seq)]
            width = min(seq.shape[-1], position.shape[-1])
            added = seq[:, :width] + position[:, :width]
            rest = seq.new_zeros(len(seq), self.Qm.in_features - width)
            seq = torch.cat([added, rest], dim=-1)"""
}
