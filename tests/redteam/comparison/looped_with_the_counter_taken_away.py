"""Takes the mode that counts off torch's stack, and puts it back.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    answers={
        "port_answer": looped(
            """\
held = []
while torch._C._len_torch_dispatch_stack():
    held.append(torch._C._pop_torch_dispatch_stack(None))
found = loop(seq)
for mode in reversed(held):
    torch._C._push_on_torch_dispatch_stack(mode)
return found
"""
        )
    },
)
