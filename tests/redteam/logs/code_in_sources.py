"""Hides code for the grader in the sources that a log carries.

Deserves nothing for the port: it runs where all student code runs.
"""

from tests.redteam.attack import LOGGED, log, log_file

DESERVES = LOGGED | dict.fromkeys(
    ("port", "port_positions", "port_gradients", "port_vectorised"), 0
)
EVIL = """\
def forward(self, seq):
    open("/tmp/redteam-left", "w").write("x")
"""
submission = log_file(log(torch_transformer_forward=EVIL))
