"""No upper end."""

FAILS = ("lambda_interval",)
WORDS = {"lambda_interval": "NaN or infinity"}


def lambda_interval():
    return 1.0, float("inf")
