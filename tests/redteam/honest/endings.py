"""Slow, endless or failing cells at the end, in the middle and at the start, as people leave them."""

from tests.redteam.attack import below, edited, right

BUSY = "import time\nstart = time.process_time()\nwhile time.process_time() - start < {}: pass\n"


def _several(source: str, number: int) -> str:
    return "\n".join([source] * number)


HONEST = {
    "an experiment of three seconds": edited(right, last=BUSY.format(3)),
    "an experiment that never ends": edited(right, last="while True:\n    pass"),
    "one that never ends above all answers": edited(right, first="while True:\n    pass"),
    "one below the port that never ends": below("port_answer", "while True:\n    pass"),
    "five that never end": below("unique", *["while True:\n    pass"] * 5),
    "five that sleep below the port": below("port", *["import time\ntime.sleep(600)"] * 5),
    "sleeps for a minute": edited(right, last="import time\ntime.sleep(60)"),
    "leaves politely": edited(right, last="import sys\nsys.exit()"),
    "leaves": edited(right, last="import os\nos._exit(0)"),
    "leaves in the middle": below("identity_answer", "import os\nos._exit(0)"),
    "interrupts itself": edited(right, last="raise KeyboardInterrupt"),
    "divides by zero": edited(right, first="1 / 0", last="1 / 0"),
    "goes too deep": edited(right, last="def f(n):\n    return f(n + 1)\nf(0)"),
    "keeps a large array": edited(right, first="large = np.ones(80_000_000)"),
    "prints much": edited(right, last="for n in range(20_000):\n    print(n, 'x' * 50)"),
    "leaves a thread": edited(
        right,
        last="import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
    ),
    "leaves a process": edited(right, last="import subprocess\nsubprocess.Popen(['sleep', '60'])"),
    "asks for a name": edited(right, first="name = input('Your name? ')", last="input()"),
    "asks for a password": edited(right, first="import getpass\ngetpass.getpass()"),
    "stops at an own assertion": edited(right, last="assert 1 + 1 == 3, 'never mind'"),
}
