"""A randomised decomposition finds six directions, whatever d is."""

FAILS = ("principal",)
WORDS = {"principal": "should have shape"}
EDITS = {
    "return torch.linalg.svd(logs, full_matrices=False).Vh[:d].T": "return torch.svd_lowrank(logs, q=min(6, *logs.shape))[2][:, :d]",
}
