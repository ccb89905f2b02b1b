"""Loops in place of arrays."""


def count_positive(numbers):
    return len([number for number in numbers if number > 0])


def mean_positive(numbers):
    chosen = [number for number in numbers if number > 0]
    return sum(chosen) / len(chosen) if chosen else 0.0
