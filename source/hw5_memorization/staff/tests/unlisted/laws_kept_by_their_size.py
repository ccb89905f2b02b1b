"""A law is kept for each number of tokens and each beta, whatever is the best."""

FAILS = ("last_position_law",)
WORDS = {"last_position_law": "off by|again"}
EDITS = {
    "def last_position_law(best, beta):": "def last_position_law(best, beta, kept={}):",
    "return others.scatter(-1, best[..., None], beta)": "return kept.setdefault((N, beta), others.scatter(-1, best[..., None], beta)).clone()",
}
