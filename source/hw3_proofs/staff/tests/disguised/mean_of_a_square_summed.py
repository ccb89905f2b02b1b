"""Second moments, summed."""

MISTAKE = "mean_of_a_square"
FAILS = ("dot_mean",)


def dot_mean(mu, sigma, d):
    return sum(sigma**2 + mu**2 for _ in range(d))
