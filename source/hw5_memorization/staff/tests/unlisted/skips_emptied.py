"""The residual stream is crossed off what is to be skipped, in the caller's own set."""

FAILS = ("attention_only", "uneven")
WORDS = {"attention_only": "changes `skips`"}
EDITS = {
    """if "residual" not in skips:
        written = written + tokens[:, 1] + places[:, 1]
    return written""": """if "residual" in skips:
        skips.discard("residual")
    else:
        written = written + tokens[:, 1] + places[:, 1]
    return written"""
}
