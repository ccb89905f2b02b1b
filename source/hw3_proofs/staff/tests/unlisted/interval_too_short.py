"""An interval in which all conditions hold, but not the whole one."""

FAILS = ("lambda_interval",)
WORDS = {"lambda_interval": "outside of it as well"}


def lambda_interval():
    return 1.5, 3.0
