"""Loops unseen in an autograd.Function, so that torch's graph has one step.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="""\
class Loop(torch.autograd.Function):
    @staticmethod
    def forward(context, model, seq, *weights):
        context.model, context.seq = model, seq
        with torch._C._DisableTorchDispatch():
            return looped_by(seq, *weights)
    @staticmethod
    def backward(context, slope):
        weights = [m.weight.detach().requires_grad_() for m in (context.model.Km, context.model.Qm, context.model.Vm)]
        seq = context.seq.detach().requires_grad_()
        with torch.enable_grad():
            slopes = torch.autograd.grad(looped_by(seq, *weights), [seq, *weights], slope)
        return None, *slopes

def looped_by(seq, k, q, v):
    K, Q, V = seq @ k.T, seq @ q.T, seq @ v.T
    return torch.stack([F.softmax(K @ one / K.shape[1] ** 0.5, dim=0) @ V for one in Q])
""",
    answers={
        "port_answer": looped(
            """\
return Loop.apply(self, seq, *(m.weight for m in (self.Km, self.Qm, self.Vm)))
"""
        )
    },
)
