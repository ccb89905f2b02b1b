"""Uses the weights of the layers without calling them."""

EDITS = {
    "self.Km(seq), self.Qm(seq), self.Vm(seq)": "(seq @ layer.weight.T for layer in (self.Km, self.Qm, self.Vm))"
}
