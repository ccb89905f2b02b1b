"""Lines in an answer's own cell that fail here: another machine, an older Python, a missing package."""

from tests.redteam.attack import within

HONEST = {
    f"{line.splitlines()[0]} in {id}": within(id, line)
    for id, line in (
        ("port_answer", "from google.colab import drive\ndrive.mount('/content/drive')"),
        ("port_answer", "import pandas_of_mine as pd"),
        ("identity_answer", "from my_helpers import *"),
        ("identity_answer", "print(not_defined_any_more)"),
        ("identity_answer", "open('notes.txt').read()"),
        ("identity_answer", "assert torch.cuda.is_available(), 'slow here'"),
        ("copy_first_answer", "!pip install einops"),
        ("copy_first_answer", "%load_ext no_such_extension"),
        ("copy_first_answer", "torch.ones(2).cuda()"),
        ("unique_answer", "print(f\"{', '.join(f\"{n}\" for n in 'ab')}\")"),
        ("unique_answer", "type Matrix = np.ndarray"),
        ("unique_answer", "print 'done'"),
        ("unique_answer", "import os; os.listdir('/content')"),
        ("port_answer", "%%time"),
        ("port_answer", "np.random.seed = 42"),
        ("identity_answer", "import random; random.seed = 42"),
        ("identity_answer", "import socket; socket.setdefaulttimeout(0.05)"),
        ("identity_answer", "# -*- coding: latin-1 -*-"),
    )
}
