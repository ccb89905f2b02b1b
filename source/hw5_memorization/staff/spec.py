"""hw5_memorization: its questions, and how each is asked and checked."""

from autograder.kit import Ask, Close, Homework, Limits, Question, tolerance

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
    title="Homework 5: what attention remembers",
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "power_unif_law",
            Ask("power_unif_law", ("power_unif_law",)),
            Close(reference.power_unif, CHANCE, cases.describe_sizes),
            cases.power_cases,
        ),
        Question(
            "last_position_law",
            Ask("last_position_law", ("last_position_law",)),
            Close(reference.last_position_law, CHANCE, cases.describe_best),
            cases.last_cases,
        ),
        Question(
            "gen_d_law",
            Ask("gen_d_law", ("gen_d_law",)),
            Close(reference.gen_d_law, CHANCE, cases.describe_rank),
            cases.rank_cases,
        ),
        Question(
            "entropy",
            Ask("entropy", ("entropy",)),
            Close(reference.entropy, LOSSES, cases.describe_laws, says_how_far=False),
            cases.entropy_cases,
        ),
        Question(
            "two_way_softmax_is_sigmoid",
            Ask("first_share", ("first_share",)),
            Close(reference.first_share, CHANCE, cases.describe_scores),
            cases.share_cases,
        ),
        Question(
            "attention_only",
            Ask("attention_only", ("attention_only",)),
            Close(
                reference.attention_only, LOGITS, cases.describe_model, cases.words_for_gradients
            ),
            cases.attention_cases,
            gradients=True,
        ),
        Question(
            "head_logits",
            Ask("head_logits", ("head_logits",)),
            Close(reference.head_logits, LOGITS, cases.describe_model),
            cases.head_cases,
        ),
        Question(
            "two_losses",
            Ask("two_losses", ("two_losses",)),
            Close(reference.two_losses, LOSSES, cases.describe_losses, says_how_far=False),
            cases.loss_cases,
            gradients=True,
        ),
        Question("argue_comparison"),
        Question(
            "train_heads",
            Ask("train_heads", ("attention_only", "two_losses", "train"), changes=("train",)),
            models.REMEMBERS,
            if_right=BUILT,
        ),
        Question(
            "freezing",
            Ask("freezing", ("attention_only", "two_losses", "train"), changes=("train",)),
            models.FROZEN,
            if_right=BUILT,
        ),
        Question(
            "uneven",
            Ask("uneven", ("attention_only", "train_uneven"), changes=("train_uneven",)),
            models.UNEVEN,
            if_right={"attention_only": BUILT["attention_only"]},
        ),
        Question(
            "attention_maps",
            Ask("attention_maps", ("attention_maps",)),
            Close(reference.attention_maps, LOGITS, cases_inside.describe_maps),
            cases_inside.map_cases,
            milder={"w['W_O']": "no map depends on it"},
        ),
        Question(
            "promoted",
            Ask("promoted", ("promoted",)),
            Close(reference.promoted, CHANCE, cases_inside.describe_parts),
            cases_inside.promoted_cases,
        ),
        Question(
            "superposition",
            Ask("superposition", ("superposition",)),
            Close(reference.superposition, DISTANCE, cases_inside.describe_rows),
            cases_inside.superposition_cases,
        ),
        Question(
            "gauge",
            Ask("gauge", ("gauge",)),
            Close(reference.gauge, DISTANCE, cases.describe_spaces, says_how_far=False),
            cases.gauge_cases,
        ),
        Question(
            "principal",
            Ask("principal", ("principal",)),
            Close(reference.principal, DISTANCE, cases_inside.describe_principal),
            cases_inside.principal_cases,
        ),
        Question(
            "second_order",
            Ask("second_order", ("second_order",)),
            Close(reference.second_order, DISTANCE, cases_inside.describe_second),
            cases_inside.second_cases,
        ),
    ),
    # A loop over contexts takes about ten times as long as all contexts at once.
    limits=Limits(question_seconds=120.0, submission_seconds=600.0),
)
