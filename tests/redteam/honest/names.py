"""Names that answers use are bound anew below them, and modules, seeds and settings change."""

from tests.redteam.attack import above, below, edited, right

HONEST = {
    source.split("\n")[0]: edited(right, last=source)
    for source in (
        "F = torch.fft.rfft(torch.ones(4))",
        "del np, torch",
        "del math, F, nn",
        "np = torch",
        "sum = 0",
        "len = range = max = None",
        "math = 'my favourite subject'",
        "PytorchTransformer = PytorchTransformer(3, 2, 3)",
        "identity_weights = identity_weights()",
        "copy_first_weights = unique_weights = None",
        "Km, Qm, Vm = 1, 2, 3",
        "%reset -f",
        "class PytorchTransformer:\n    'a second try that I did not finish'",
        "def identity_weights():\n    return None",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_default_device('meta')",
        "torch.set_grad_enabled(False)",
        "torch.use_deterministic_algorithms(True)",
        "np.seterr(all='raise')",
        "import warnings\nwarnings.simplefilter('error')",
        "import os\nos.chdir('/')",
        "import os\nos.environ.clear()",
        "import sys\nsys.path.clear()",
        "import sys\nsys.setrecursionlimit(200)",
        "import gc\ngc.disable()",
        "import builtins\nbuiltins.print = None",
        "F.softmax = None",
        "torch.cat = torch.hstack = None",
        "nn.Linear = None",
        "np.eye = np.zeros = None",
    )
} | {
    "float64 from the start": edited(right, first="torch.set_default_dtype(torch.float64)"),
    "warnings are errors from the start": edited(
        right, first="import warnings\nwarnings.simplefilter('error')"
    ),
    "own seeds everywhere": edited(right, first="set_seed(7)", last="set_seed(8)"),
    "four threads": edited(right, first="torch.set_num_threads(4)"),
    "a helper of the same name twice": below(
        "port_answer", "def scale(x):\n    return x", "def scale(x, y):\n    return x / y"
    ),
    "a global that an answer needs is bound anew below": above(
        "identity_answer", "SIZE = 3", use=("np.eye(3)", "np.eye(SIZE)"), last="SIZE = 64"
    ),
    "a helper that an answer needs is deleted below": above(
        "identity_answer",
        "def unit():\n    return np.eye(3)",
        use=("np.eye(3)", "unit()"),
        last="del unit",
    ),
}
