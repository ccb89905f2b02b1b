"""A class that is like a module, and is none."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": "is not an nn.Module",
    "port_positions": "is not an nn.Module",
    "port_gradients": "is not an nn.Module",
    "port_vectorised": "is not an nn.Module",
}


class PytorchTransformer:
    def __init__(self, *sizes):
        self.sizes = sizes

    def __call__(self, seq):
        return seq
