"""Token 1 asks in place of token 2."""

FAILS = ("easy_task",)
NUDGE = "Which token speaks for the sentence? Python counts from 0."
EXPLANATION = (
    "This fits a query made from token 1, which knows the answer. Token 2 asks: it is tokens[:, 1]."
)
EDITS = {"tokens[:, 1] @ Q": "tokens[:, 0] @ Q"}
