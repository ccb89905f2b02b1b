"""The number of right pairs in place of the share."""

FAILS = ("ceiling",)
WORDS = {"ceiling": "share|times"}


def ceiling(M):
    return (M.numel() + int((M == M.T).sum())) / 2
