"""Writes the attention in numpy a second time, and wraps it in torch.

Deserves `port` and `port_positions`: the values are right, but no gradient flows.
"""

from tests.redteam.attack import EVERYTHING, edited, port, right, wrapped

DESERVES = EVERYTHING | {"port_gradients": 0, "port_vectorised": 0}
PORT = port(wrapped("own(seq.numpy(), *matrices)"))
OWN = """\
def own(X, Km, Qm, Vm, pos=None):
    if pos is not None:
        X = np.hstack([X, pos[: len(X)]])
    scores = np.exp((X @ Qm) @ (X @ Km).T / np.sqrt(Km.shape[1]))
    return scores / scores.sum(axis=1, keepdims=True) @ (X @ Vm)
"""
submission = edited(right, answers={"port_answer": PORT}, last=OWN)
