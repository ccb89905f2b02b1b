"""Every token weighs the same: least squares."""

FAILS = ("second_order",)
NUDGE = "Which tokens' errors does a divergence count most?"
EXPLANATION = "This fits least squares in which all tokens weigh the same. Weight each token's error by its probability."


def second_order(law, U):
    logs = law.log()
    logs = logs - logs.mean(dim=1, keepdim=True)
    return torch.linalg.lstsq(U - U.mean(dim=0), logs.T).solution.T
