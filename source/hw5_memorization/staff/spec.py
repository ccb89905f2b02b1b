"""hw5_memorization: its questions, and how each is asked and checked."""

from autograder.kit import Close, Homework, Limits, Question, tolerance

from . import cases, cases_inside, models, reference

# A probability, which may have been computed in single precision.
CHANCE = 1e-6
# Queries and keys, scores, average, outputs, heads, logits.
LOGITS = tolerance(((6, 2.0), (6, 2.0), (2, 1.0), (6, 1.0), (4, 1.0), (6, 1.0)), scale=3.0)
# Of logits up to a thousand, relative to themselves.
LOSSES = 1e-5
# Projectors by the normal equations in single precision are off by up to that.
DISTANCE = 1e-4

BUILT = {
    "attention_only": "`attention_only` itself is right.",
    "two_losses": "`two_losses` itself is right.",
}

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "power_unif_law",
            Close(reference.power_unif, CHANCE, cases.describe_sizes),
            cases.power_cases,
        ),
        Question(
            "last_position_law",
            Close(reference.last_position_law, CHANCE, cases.describe_best),
            cases.last_cases,
        ),
        Question(
            "entropy",
            Close(reference.entropy, LOSSES, cases.describe_laws, says_how_far=False),
            cases.entropy_cases,
        ),
        Question(
            "two_way_softmax_is_sigmoid",
            Close(reference.first_share, CHANCE, cases.describe_scores),
            cases.share_cases,
            use="first_share",
            objects=("first_share",),
        ),
        Question(
            "attention_only",
            Close(
                reference.attention_only, LOGITS, cases.describe_model, cases.words_for_gradients
            ),
            cases.attention_cases,
            gradients=True,
        ),
        Question(
            "head_logits",
            Close(reference.head_logits, LOGITS, cases.describe_model),
            cases.head_cases,
        ),
        Question(
            "two_losses",
            Close(reference.two_losses, LOSSES, cases.describe_losses, says_how_far=False),
            cases.loss_cases,
            gradients=True,
        ),
        Question("argue_comparison"),
        Question(
            "train_heads",
            models.REMEMBERS,
            objects=("attention_only", "two_losses", "train"),
            may_mutate=("train",),
            if_right=BUILT,
        ),
        Question(
            "freezing",
            models.FROZEN,
            objects=("attention_only", "two_losses", "train"),
            may_mutate=("train",),
            if_right=BUILT,
        ),
        Question(
            "uneven",
            models.UNEVEN,
            objects=("attention_only", "train_uneven"),
            may_mutate=("train_uneven",),
            if_right={"attention_only": BUILT["attention_only"]},
        ),
        Question(
            "attention_maps",
            Close(reference.attention_maps, LOGITS, cases_inside.describe_maps),
            cases_inside.map_cases,
            milder={"w['W_O']": "no map depends on it"},
        ),
        Question(
            "promoted",
            Close(reference.promoted, CHANCE, cases_inside.describe_parts),
            cases_inside.promoted_cases,
        ),
        Question(
            "superposition",
            Close(reference.superposition, DISTANCE, cases_inside.describe_rows),
            cases_inside.superposition_cases,
            extra=True,
        ),
        Question(
            "gen_d_law",
            Close(reference.gen_d_law, CHANCE, cases.describe_rank),
            cases.rank_cases,
            extra=True,
        ),
        Question(
            "gauge",
            Close(reference.gauge, DISTANCE, cases.describe_spaces, says_how_far=False),
            cases.gauge_cases,
            extra=True,
        ),
        Question(
            "principal",
            Close(reference.principal, DISTANCE, cases_inside.describe_principal),
            cases_inside.principal_cases,
            extra=True,
        ),
        Question(
            "second_order",
            Close(reference.second_order, DISTANCE, cases_inside.describe_second),
            cases_inside.second_cases,
            extra=True,
        ),
    ),
    # A loop over contexts takes about ten times as long as all contexts at once.
    limits=Limits(question_seconds=120.0, submission_seconds=600.0),
)
