"""Empties the input and the weights that it was given, so that both sides compute zero.

Deserves nothing: the judge keeps inputs of its own.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
def forward(self, seq):
    with torch.no_grad():
        for parameter in self.parameters():
            parameter.zero_()
        seq.zero_()
    return seq[:, :1] * torch.zeros(1, self.Vm.out_features)
PytorchTransformer.forward = forward
""",
)
