"""Right ports that compute at once, in a thread or under torch's modes; and debuggers that were left in."""

from tests.redteam.attack import WITH_POSITIONS, edited, port, right, within

_AT_ONCE = """\
def at_once():
    K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
    return F.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=-1) @ V
"""
_WAYS = {
    "in a thread": "from concurrent.futures import ThreadPoolExecutor\nreturn ThreadPoolExecutor(1).submit(at_once).result()\n",
    "on a device that is named": "with torch.device('cpu'):\n    return at_once()\n",
    "mapped over queries": """\
K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
return torch.vmap(lambda q: F.softmax(K @ q / K.shape[1] ** 0.5, dim=0) @ V)(Q)
""",
    "with pdb": "import pdb; pdb.set_trace()\nreturn at_once()\n",
    "with IPython's debugger": "from IPython.core.debugger import set_trace; set_trace()\nreturn at_once()\n",
}
HONEST = {
    **{
        title: edited(right, answers={"port_answer": port(WITH_POSITIONS + _AT_ONCE + way)})
        for title, way in _WAYS.items()
    },
    "commands of a shell": within(
        "identity_answer", "!echo one\nlines = !echo two; echo three\n%debug"
    ),
}
