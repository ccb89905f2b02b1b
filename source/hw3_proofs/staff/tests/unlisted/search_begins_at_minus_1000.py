"""The search for the best score begins at -1000, which no key reaches where all scores are below."""

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "a negative score, as all have"}


def argmax_attention(q, K, V):
    best, place = -1000, 0
    for j in range(len(K)):
        if q @ K[j] > best:
            best, place = q @ K[j], j
    return V[place]
