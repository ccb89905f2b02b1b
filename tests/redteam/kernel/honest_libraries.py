"""Uses what honest notebooks use: temporary files, threads, subprocesses, the user's name, pip.

Deserves everything, and no cell fails.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import getpass, inspect, multiprocessing, os, pickle, sqlite3, subprocess, sys, tempfile, threading, time
assert getpass.getuser()
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
torch.set_num_threads(4)
torch.randn(500, 500) @ torch.randn(500, 500)
torch.save(torch.ones(3), "weights.pt"); torch.load("weights.pt")
plt.plot([1, 2]); plt.savefig("figure.png"); plt.savefig("figure.pdf"); plt.close()
assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout == "1\\n"
child = multiprocessing.get_context("fork").Process(target=print)
child.start(); child.join(); assert child.exitcode == 0
sqlite3.connect("x.db").execute("create table a (b)")
large = np.zeros(100_000_000)
!python -c "import torch"
%timeit -n1 -r1 1 + 1
before = identity_weights
def identity_weights():
    torch.set_num_threads(2)
    torch.randn(500, 500) @ torch.randn(500, 500)
    with tempfile.TemporaryFile():
        return before()
""",
)
