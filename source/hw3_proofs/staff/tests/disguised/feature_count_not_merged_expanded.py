"""1 + 2 D + D^2."""

MISTAKE = "feature_count_not_merged"
FAILS = ("feature_dimension",)


def feature_dimension(D):
    return 1 + 2 * D + D * D
