"""The keys of the first sequence of each length are kept."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {"port": "keep of the first"}
EDITS = {
    "        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)": """\
        self.kept = getattr(self, "kept", {})
        K = self.kept.setdefault(len(seq), self.Km(seq))
        Q, V = self.Qm(seq), self.Vm(seq)"""
}
