"""The search for the best score begins at 0, which no key reaches where all scores are negative."""

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "a negative score, as all have"}


def argmax_attention(q, K, V):
    best, place = 0, 0
    for j in range(len(K)):
        if q @ K[j] > best:
            best, place = q @ K[j], j
    return V[place]
