"""Where heads read nothing the residual stream is returned, even if it is skipped."""

FAILS = ("attention_only",)
WORDS = {"attention_only": "everything skipped"}
EDITS = {
    'query = torch.einsum("nd,hkd->nhk", read[:, 1]': """if not carried.any():
        return (tokens + places)[:, 1] @ w["W_U"].T
    query = torch.einsum("nd,hkd->nhk", read[:, 1]"""
}
