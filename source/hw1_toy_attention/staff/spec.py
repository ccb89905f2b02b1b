"""hw1_toy_attention: its questions, and how each is asked and checked."""

from autograder.kit import Close, Homework, Question, tolerance

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
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "attend",
            Close(reference.attend, HEAD_TOLERANCE, cases.describe_tokens),
            cases.attend_cases,
        ),
        Question(
            "nll_trap",
            Close(reference.losses, LOSS_TOLERANCE, cases.describe_logits, says_how_far=False),
            cases.losses_cases,
            use="losses",
            objects=("loss_of_the_demo", "cross_entropy"),
        ),
        Question(
            "easy_task",
            models.EASY,
            cases.easy_cases,
            use="trained_easy",
            objects=("attend", "token_logit"),
            if_right={"attend": "`attend` earned its own points."},
            gradients=True,
        ),
        Question(
            "oddness",
            Close(
                reference.odd,
                LOGIT_TOLERANCE,
                cases.describe_odd,
                models.unreached(reference.odd),
                says_how_far=False,
            ),
            cases.odd_cases,
            use="odd",
            objects=("attend", "learned_logit", "oddness"),
            if_right={"attend": "`attend` earned its own points."},
            gradients=True,
        ),
        Question("argue_even"),
        Question(
            "terms",
            Close(reference.terms, TERM_TOLERANCE, cases.describe_model),
            cases.terms_cases,
        ),
        Question(
            "count_xor_patterns",
            Close(reference.count, COUNT_TOLERANCE, cases.describe_rows, says_how_far=False),
            cases.count_cases,
            use="count",
        ),
        Question("argue_threshold"),
        Question("xor_by_hand", models.BY_HAND, use="by_hand"),
        Question(
            "xor_trained",
            models.TRAINED,
            cases.xor_cases,
            use="trained_xor",
            objects=("xor_logits",),
            gradients=True,
        ),
        Question("places_by_hand", models.PLACED, use="placed", extra=True),
        Question("full_even", extra=True),
        Question("full_threshold", extra=True),
    ),
)
