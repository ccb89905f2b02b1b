"""The lower end for the second of the weak directions."""

FAILS = ("lambda_interval",)
WORDS = {"lambda_interval": "lower end, one of the other directions keeps more"}


def lambda_interval():
    return 0.25, 4.0
