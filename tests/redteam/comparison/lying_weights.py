"""Shows the weights that were loaded and computes with others.

Deserves nothing: the output is compared, not the weights.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
class Lying(PytorchTransformer):
    def state_dict(self, *args, **kwargs):
        return super().state_dict(*args, **kwargs)
    def load_state_dict(self, state, *args, **kwargs):
        object.__setattr__(self, "claimed", state)
    def forward(self, seq):
        return torch.zeros(len(seq), self.Vm.out_features) + 0 * self.Vm.weight.sum()
PytorchTransformer = Lying
""",
)
