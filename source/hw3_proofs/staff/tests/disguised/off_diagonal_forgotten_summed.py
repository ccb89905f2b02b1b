"""The sum of squares, coordinate by coordinate."""

MISTAKE = "off_diagonal_forgotten"
FAILS = ("variance_derivation", "dot_variance")


def variance_derivation():
    def squares(mu, sigma, d):
        return sum((mu**2 + sigma**2) * (mu**2 + sigma**2) for _ in range(d))

    return [
        lambda q, k: ((q * k) ** 2).sum(axis=1),
        ("E[(q.k)^2]", squares),
        ("(E[q.k])^2", lambda mu, d: d * d * mu**4),
        ("Var[q.k]", lambda mu, sigma, d: squares(mu, sigma, d) - d * d * mu**4),
    ]


def dot_variance(mu, sigma, d):
    return sum((mu**2 + sigma**2) ** 2 for _ in range(d)) - (d * mu**2) ** 2
