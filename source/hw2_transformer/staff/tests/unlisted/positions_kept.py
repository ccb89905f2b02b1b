"""The first rows of the table are cut off once, for the first sequence."""

FAILS = ("port_positions", "port_gradients")
WORDS = {"port_positions": "raised RuntimeError"}
EDITS = {
    "            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)": """\
            self.kept = getattr(self, "kept", self.pos.weight[: len(seq)])
            seq = torch.cat([seq, self.kept], dim=-1)"""
}
