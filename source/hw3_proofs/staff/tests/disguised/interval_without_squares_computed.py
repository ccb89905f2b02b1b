"""Both ends computed from s."""

MISTAKE = "interval_without_squares"
FAILS = ("lambda_interval",)


def lambda_interval():
    return 1 * (1 / 0.5 - 1), round(4 * (1 / 0.8 - 1), 9)
