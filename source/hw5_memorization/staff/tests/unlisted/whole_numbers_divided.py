"""The law has the type of the powers, which are whole numbers for an alpha of 1."""

FAILS = ("power_unif_law",)
WORDS = {"power_unif_law": "an alpha of 1|zero"}
EDITS = {
    "powers = torch.tensor([float(alpha) ** r for r in range(tokens.shape[-1])])": "powers = torch.tensor([alpha**r for r in range(tokens.shape[-1])])",
    "chances = (powers / powers.sum()).expand(tokens.shape)": "chances = (powers / powers.sum()).to(powers.dtype).expand(tokens.shape)",
    "torch.zeros(*tokens.shape[:-1], N).scatter": "torch.zeros(*tokens.shape[:-1], N, dtype=powers.dtype).scatter",
}
