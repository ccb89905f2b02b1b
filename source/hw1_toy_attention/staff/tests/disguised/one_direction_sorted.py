"""Both differences are looked at one by one, upwards only."""

MISTAKE = "logit_of_one_direction"
FAILS = ("count_xor_patterns",)


def count_xor_patterns(outputs):
    return sum(min(b, c) - max(a, d) > 1e-6 for a, b, c, d in outputs.tolist())
