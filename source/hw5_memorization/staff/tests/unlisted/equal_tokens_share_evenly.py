"""Equal tokens get equal weights, whatever their places."""

FAILS = ("attention_only",)
WORDS = {"attention_only": r"contexts \[\[1, 1\]"}
EDITS = {
    'mixed = torch.einsum("nhs,nsd->nhd", scores': """same = contexts[:, :1] == contexts[:, 1:]
    scores = scores.masked_fill(same[..., None], 0.0)
    mixed = torch.einsum("nhs,nsd->nhd", scores"""
}
