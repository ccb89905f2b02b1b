"""A list, computed."""

MISTAKE = "interval_swapped"
FAILS = ("lambda_interval",)


def lambda_interval():
    return [4**2 / 0.8 - 4**2, 1 / 0.5 - 1]
