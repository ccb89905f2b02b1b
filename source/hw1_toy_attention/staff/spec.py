"""hw1_toy_attention: its questions, and how each is asked and checked."""

from autograder.kit import Ask, Close, Homework, Question, tolerance

from . import cases, models, reference

# A key sums four products, a score up to six, the average up to seven tokens; a logit four more.
SCORE_SIZE = 2.5
HEAD = ((4, SCORE_SIZE), (6, SCORE_SIZE), (7, 1.0), (7, 1.0))
HEAD_TOLERANCE = tolerance(HEAD, scale=1.0)
LOGIT_TOLERANCE = tolerance((*HEAD, (4, 1.0)), scale=4.0)
# A sum of two exponentials, its logarithm, a mean over up to nine sentences. Of logits around 100
# that cancel there are four: their mean takes off half of the roundings.
LOSS_TOLERANCE = tolerance(((2, 1.0), (1, 1.0), (9, 1.0)), scale=50.0)
# An exponential of a score, a product with a sum of four.
LARGE_SCORE = 25.0
TERM_TOLERANCE = tolerance(((4, LARGE_SCORE), (4, LARGE_SCORE), (1, 1.0), (4, 1.0)), scale=1.0)
COUNT_TOLERANCE = 1e-9

HOMEWORK = Homework(
    title="Homework 1: a token that knows nothing",
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "attend",
            Ask("attend", ("attend",)),
            Close(reference.attend, HEAD_TOLERANCE, cases.describe_tokens),
            cases.attend_cases,
        ),
        Question(
            "nll_trap",
            Ask("losses", ("loss_of_the_demo", "cross_entropy")),
            Close(reference.losses, LOSS_TOLERANCE, cases.describe_logits, says_how_far=False),
            cases.losses_cases,
        ),
        Question(
            "easy_task",
            Ask("trained_easy", ("attend", "token_logit")),
            models.EASY,
            cases.easy_cases,
            if_right={"attend": "`attend` earned its own points."},
            gradients=True,
        ),
        Question(
            "oddness",
            Ask("odd", ("attend", "learned_logit", "oddness")),
            Close(
                reference.odd,
                LOGIT_TOLERANCE,
                cases.describe_odd,
                models.unreached(reference.odd),
                says_how_far=False,
            ),
            cases.odd_cases,
            if_right={"attend": "`attend` earned its own points."},
            gradients=True,
        ),
        Question("argue_even"),
        Question(
            "terms",
            Ask("terms", ("terms",)),
            Close(reference.terms, TERM_TOLERANCE, cases.describe_model),
            cases.terms_cases,
        ),
        Question(
            "count_xor_patterns",
            Ask("count", ("count_xor_patterns",)),
            Close(reference.count, COUNT_TOLERANCE, cases.describe_rows, says_how_far=False),
            cases.count_cases,
        ),
        Question("argue_threshold"),
        Question("xor_by_hand", Ask("by_hand", ("xor_by_hand",)), models.BY_HAND),
        Question(
            "xor_trained",
            Ask("trained_xor", ("xor_logits",)),
            models.TRAINED,
            cases.xor_cases,
            gradients=True,
        ),
        Question("full_even", extra=True),
        Question("full_threshold", extra=True),
    ),
)
