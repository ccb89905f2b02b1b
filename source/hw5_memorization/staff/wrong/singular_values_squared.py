"""Eigenvalues of the map times its transpose are returned."""

FAILS = ("attention_maps",)
NUDGE = "What is the sum of the squares of a matrix's numbers, in terms of its singular values?"
EXPLANATION = "This fits the squares of the singular values, which are the eigenvalues of the map times its transpose."
EDITS = {
    "    return maps, torch.linalg.svdvals(maps)": "    return maps, torch.linalg.svdvals(maps) ** 2"
}
