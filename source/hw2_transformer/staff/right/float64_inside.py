"""Computes in float64 and returns float32."""

EDITS = {
    "scores = Q @ K.T": """K, Q, V = K.double(), Q.double(), V.double()
        scores = Q @ K.T""",
    "F.softmax(scores, dim=-1) @ V": "(F.softmax(scores, dim=-1) @ V).float()",
}
