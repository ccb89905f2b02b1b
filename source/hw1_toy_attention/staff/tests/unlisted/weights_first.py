"""The weights come first, z after them."""

FAILS = ("attend", "easy_task", "oddness")
WORDS = {"attend": "is the order right"}
EDITS = {
    'return torch.einsum("nt,ntk->nk", weights, tokens), weights': 'return weights, torch.einsum("nt,ntk->nk", weights, tokens)',
}
