"""Rows are second tokens, and columns first ones."""

FAILS = ("attention_maps",)
NUDGE = "In the cell [i, j], which of the two tokens is the query's?"
EXPLANATION = (
    "This fits maps that are turned round: rows should be first tokens and columns second ones."
)
EDITS = {
    "    return maps, torch.linalg.svdvals(maps)": "    return maps.mT, torch.linalg.svdvals(maps)"
}
